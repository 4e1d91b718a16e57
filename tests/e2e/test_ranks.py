"""Several ranks under mpirun give the result of one process, and fail as one."""
import concurrent.futures
import gzip
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import time

from sotto_cli import MADE, NOTHING, PROGRAM, ProgramTest, main, npy_bytes, read_npy

SLOW = "SOTTO_SLOW" in os.environ
RANKS = (2, 3, 4, 8) if SLOW else (3,)
DIM, RECORDS, DOCUMENTS = 6, 120000, 14000

# Tests run as root, with more ranks than processors, and need no network. mpirun waits twice as long
# as it says for the others where a rank fails: those that fail by themselves have nothing left to do.
MPI = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
           OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_pml="ob1", OMPI_MCA_btl="self,vader",
           OMPI_MCA_btl_vader_single_copy_mechanism="none", OMPI_MCA_plm="isolated",
           OMPI_MCA_hwloc_base_binding_policy="none", OMPI_MCA_odls_base_sigkill_timeout="0")


def said(stderr):
    """The lines of the program; mpirun adds a notice of its own when a rank fails."""
    return [line for line in stderr.splitlines() if line.startswith("sotto: ")]


class Ranks(ProgramTest):
    @classmethod
    def setUpClass(cls):
        """One list of files of unequal length, in an order that is not that of their names."""
        folder = pathlib.Path(MADE.name, "ranks")
        folder.mkdir()
        subprocess.run([PROGRAM, "generate", "points", "-d", str(DIM), "-k", "2", "-n",
                        str(RECORDS), "--out", folder / "made"], check=True, capture_output=True)
        cls.whole = folder / "made" / "points.npy"
        _, values = read_npy(cls.whole)
        cls.files = []
        start = 0
        for name, rows in ("c", 1), ("a", 70000), ("d", 17), ("b", RECORDS - 70018):
            path = folder / f"{name}.npy"
            path.write_bytes(npy_bytes(values[start * DIM:(start + rows) * DIM], (rows, DIM)))
            cls.files.append(path)
            start += rows

        random.seed(1)
        lines = []
        for _ in range(DOCUMENTS):
            mix = [random.choice((0, 20, 40)) for _ in range(2)]
            words = [mix[t % 2] + int(20 * random.random() ** 2) for t in range(random.randint(0, 16))]
            lines.append(" ".join(f"word{w}" for w in words) + "\n")
        lines[DOCUMENTS // 2] = "the Rare, rarer; rarest: d\xe9j\xe0-vu\r\n"
        cls.text = folder / "whole.txt"
        cls.text.write_text("".join(lines), newline="")
        cls.texts = []
        start = 0
        for name, count in ("z", 2), ("a", 9000), ("m", 3), ("b", DOCUMENTS - 9005):
            cls.texts.append(folder / f"{name}.txt")
            text = "".join(lines[start:start + count])
            cls.texts[-1].write_text(text.rstrip("\n") if name == "b" else text, newline="")
            start += count

    def mpirun(self, ranks, *arguments):
        return subprocess.run(["mpirun", "-n", str(ranks), PROGRAM, *map(str, arguments)],
                              capture_output=True, text=True, cwd=self.folder, timeout=300, env=MPI)

    def same_result(self, command, *options, made, files=None, ranks_say=True):
        """One process and several ranks over the same list write the same bytes."""
        files = files or self.files
        alone = self.folder / "alone"
        self.succeed(command, *files, *options, "--out", alone)
        for ranks in RANKS:
            out = self.folder / f"on{ranks}"
            done = self.mpirun(ranks, command, *files, *options, "--out", out)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stderr, "")
            says = rf"{ranks} ranks: \d+ questions of at most \d+ bytes"
            (self.assertRegex if ranks_say else self.assertNotRegex)(done.stdout, says)
            self.assertEqual(self.described(out), self.described(alone))
            for name in made:
                self.assertEqual((out / name).read_bytes(), (alone / name).read_bytes(), name)
        return alone

    def described(self, folder):
        result = json.loads((folder / "result.json").read_text())
        for name in "seconds", "digests", "seal":  # the page shows the name of the folder
            result.pop(name, None)
        result["options"].pop("out", None)
        result.pop("arguments", None)
        result.get("diagnostics", {}).pop("seconds_reading", None)
        return result

    def test_a_stream_has_the_bits_of_one_process(self):
        alone = self.same_result("stream", "-k", 2, "-R", 3, made=["vectors.npy"])
        # The list is read as one file.
        self.succeed("stream", self.whole, "-k", 2, "-R", 3, "--out", "whole")
        self.assertEqual((alone / "vectors.npy").read_bytes(),
                         (self.folder / "whole" / "vectors.npy").read_bytes())

    def test_a_private_stream_has_the_bits_and_the_certificate_of_one_process(self):
        alone = self.same_result(
            "stream", "-k", 2, "-R", 2, "--epsilon", 1, "--delta", 1e-7, "--norm-range", "0.1:10",
            "--insecure-seed", 7, made=["vectors.npy"])
        self.assertIsNotNone(self.described(alone)["privacy"])

    def test_a_mixture_has_the_bits_of_one_process(self):
        self.same_result("mixture", "-k", 2, "--refine", 2,
                         made=["means.npy", "weights.npy", "proportions.npy"])

    def test_a_mixture_of_full_covariances_has_the_bits_of_one_process(self):
        self.same_result("mixture", "-k", 3, "--covariance", "full", "--refine", 3,
                         made=["means.npy", "weights.npy", "covariances.npy"])

    def test_a_private_mixture_has_the_bits_of_one_process(self):
        self.same_result("mixture", "-k", 2, "--epsilon", 2, "--delta", 1e-7, "--norm-range",
                         "0.5:20", "--insecure-seed", 3, made=["means.npy", "weights.npy"])

    def test_topics_have_the_bits_of_one_process(self):
        made = ["topics.npy", "weights.npy", "proportions.npy", "vocab.txt"]
        self.same_result("topics", "-k", 3, "--min-df", 5, "--heldout", self.texts[0], made=made,
                         files=self.texts)
        self.succeed("topics", self.text, "-k", 3, "--min-df", 5, "--heldout", self.texts[0],
                     "--out", "whole")
        for name in made:  # the list is read as one file
            self.assertEqual((self.folder / "alone" / name).read_bytes(),
                             (self.folder / "whole" / name).read_bytes(), name)

    def test_single_topics_over_a_vocabulary_have_the_bits_of_one_process(self):
        vocab = self.write("vocab.txt", "\n".join(f"word{w}" for w in range(60)) + "\n")
        self.same_result("topics", "-k", 3, "--model", "single", "--vocab", vocab, "--header", "yes",
                         made=["topics.npy", "proportions.npy"], files=self.texts)

    def test_private_topics_have_the_bits_and_the_certificate_of_one_process(self):
        options = "-k", 3, "--epsilon", 8, "--delta", 1e-6, "--insecure-seed", 7, "--refine", 1
        made = ["topics.npy", "weights.npy", "vocab.txt"]
        # How long the parts are tells how many words there are, which is not released.
        alone = self.same_result("topics", *options, made=made, files=self.texts, ranks_say=False)
        self.assertIsNotNone(self.described(alone)["privacy"])
        shutil.rmtree(alone)
        vocab = self.write("vocab.txt", "\n".join(f"word{w}" for w in range(60)) + "\n")
        for ranks in RANKS:
            shutil.rmtree(self.folder / f"on{ranks}")
        self.same_result("topics", *options, "--vocab", vocab, "--mechanism", "triples", made=made,
                         files=self.texts)

    # What a rank sends does not depend on the number of records.
    def test_parts_do_not_grow_with_the_records(self):
        sizes = []
        for files in self.files[:2], [*self.files, *self.files]:
            done = self.mpirun(2, "stream", *files, "-k", 1, "-R", 1)
            self.assertEqual(done.returncode, 0, done.stderr)
            sizes.append(re.search(r"questions of at most (\d+) bytes, answered by parts of at "
                                   r"most (\d+) bytes", done.stdout).groups())
        self.assertEqual(sizes[0][0], sizes[1][0])
        self.assertLess(int(sizes[1][1]), 12 * 8 * DIM * 16 + 1000)

    def fails(self, *arguments, says, code=2, ranks=3):
        """One line of rank 0, and nothing written."""
        before = sorted(self.folder.rglob("*"))
        done = self.mpirun(ranks, *arguments)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(len(said(done.stderr)), 1, done.stderr)
        self.assertIn(says, said(done.stderr)[0])
        self.assertRegex(done.stdout, NOTHING)
        self.assertEqual(sorted(self.folder.rglob("*")), before)

    def test_what_cannot_run_on_ranks_is_refused_once(self):
        self.fails("complete", "x.csv", says="'complete' does not run on several")
        self.fails("stream", *self.files, "-k", 1, "--checkpoint", "c", says="--checkpoint: does not")
        self.fails("stream", *self.files, "-k", 1, "--shuffle", says="--shuffle: does not work on")
        text = self.write("points.csv", "1,2\n3,4\n")
        self.fails("stream", text, "-k", 1, "-R", 1, "--batch", 1, "--out", "out",
                  says="points.csv: cannot be shared out among ranks")
        self.fails("stream", *self.files, "-k", 1, "--no-such-option", says="--no-such-option")
        done = self.mpirun(3, "--version")
        self.assertEqual(done.stdout.count("sotto"), 1)

    def test_faults_of_the_files_are_one_line_and_nothing_is_written(self):
        options = "-k", 1, "-R", 1, "--out", "out"
        self.fails("stream", *self.files, "missing.npy", *options, says="missing.npy: cannot be opened")
        other = self.write("other.npy", npy_bytes([1.0] * 10, (2, 5)))
        self.fails("stream", *self.files, other, *options, says="has records of dimension 5")
        cut = self.write("cut.npy", self.files[3].read_bytes()[:-800])
        self.fails("stream", *self.files[:3], cut, *options, says="cut.npy")
        spoilt = bytearray(self.files[3].read_bytes())
        spoilt[-8 * DIM:-8 * DIM + 8] = b"\xff" * 8
        nan = self.write("nan.npy", bytes(spoilt))
        last = RECORDS - 70018
        self.fails("mixture", *self.files[:3], nan, "-k", 1, "--out", "out",
                  says=f"nan.npy: record {last} has a value that is NaN")
        self.fails("mixture", *self.files[:3], nan, "-k", 1, "--out", "out", "--epsilon", 1,
                  "--delta", 1e-7, "--max-norm", 1,
                  says="has a record that cannot be read in this format; what is wrong with it is "
                  "not shown")

    def test_faults_of_texts_are_one_line_and_nothing_is_written(self):
        options = "-k", 2, "--out", "out"
        self.fails("topics", *self.texts, "missing.txt", *options, says="missing.txt: cannot be opened")
        self.fails("topics", *self.texts, self.write("empty.txt", ""), *options, says="empty.txt: is empty")
        numbers = self.write("docs.ldac", "2 0:1 3:2\n1 2:5\n" * 20)
        self.fails("topics", numbers, *options, says="cannot be shared out among ranks")
        counting = self.write("counting.txt", "2\na b\nc d\n")
        self.fails("topics", *self.texts, counting, *options,
                   says="counting.txt: the first line is the number of those that follow")
        packed = self.folder / "packed.txt.gz"
        packed.write_bytes(gzip.compress(self.text.read_bytes()))
        self.fails("topics", packed, *options, says="packed.txt.gz: cannot be shared out among ranks")
        self.fails("topics", *self.texts, *options, "--epsilon", 1, "--delta", 1e-6,
                   "--as-published", "agn", says="--as-published")

    def killed(self, victim, wait, out):
        """Kills one rank of a run that would take long, and returns what the run said."""
        run = subprocess.Popen(
            ["mpirun", "-n", "3", PROGRAM, "stream", *map(str, self.files), "-k", "2", "-R",
             "20000", "--passes", "1000000", "--batch", str(RECORDS), "--out", out],
            cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=dict(MPI, OMPI_MCA_odls_base_sigkill_timeout="1"))
        self.addCleanup(run.kill)
        deadline = time.monotonic() + 60
        while not (ranks := self.ranks_of(run.pid)) or len(ranks) < 3:
            self.assertLess(time.monotonic(), deadline, "the ranks did not start")
            time.sleep(0.02)
        time.sleep(wait)
        os.kill(ranks[victim], signal.SIGKILL)
        _, err = run.communicate(timeout=60)
        self.assertNotEqual(run.returncode, 0)
        return err

    def ranks_of(self, parent):
        """The processes of a run by their rank."""
        found = {}
        for entry in pathlib.Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and f"PPid:\t{parent}\n" in (entry / "status").read_text():
                    environment = (entry / "environ").read_bytes()
                    rank = re.search(rb"OMPI_COMM_WORLD_RANK=(\d+)", environment)
                    if rank and b"stream" in (entry / "cmdline").read_bytes():
                        found[int(rank.group(1))] = int(entry.name)
            except OSError:
                pass
        return found

    def test_a_rank_that_dies_ends_the_run_and_leaves_nothing(self):
        cases = [(1, 0.3), (2, 0.6)] + [(1 + i % 2, 0.05 * i) for i in range(20)] * SLOW
        # mpirun waits for seconds where a rank was lost, so several runs are lost at a time.
        with concurrent.futures.ThreadPoolExecutor(2) as at_once:
            ended = at_once.map(lambda case: self.killed(*case, out=f"out{case}"), cases)
        for err in ended:
            self.assertLessEqual(len(said(err)), 1, err)
            for line in said(err):
                self.assertIn("a rank was lost", line)
        self.assertEqual([p for p in self.folder.rglob("*") if p.is_file()], [])


if __name__ == "__main__":
    main()
