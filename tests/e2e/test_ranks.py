"""Several ranks under mpirun give the result of one process, and fail as one."""
import concurrent.futures
import contextlib
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
import unittest

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

    def mpirun(self, ranks, *arguments, limit=None, more=None):
        """`limit`: the memory that each rank may map, in KiB; `more`: variables for the ranks."""
        program = [PROGRAM]
        if limit is not None:
            program = ["bash", "-c", f'ulimit -v {limit}; exec "$0" "$@"', PROGRAM]
        for name, value in (more or {}).items():
            program = ["-x", f"{name}={value}", *program]
        return subprocess.run(["mpirun", "-n", str(ranks), *program, *map(str, arguments)],
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
        for name in "seconds_reading", "seconds_preparing":
            result.get("diagnostics", {}).pop(name, None)
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

    def rating_files(self):
        """Users whose ratings are in several files, twice in some places, and a list of items."""
        random.seed(4)
        items = self.write("items.txt", "".join(f"i{i}\n" for i in range(40)))
        lines = []
        for user in range(600):
            for item in random.sample(range(44), random.randint(1, 30)):  # four are not listed
                lines.append(f"u{user},i{item},{random.randint(1, 9) / 2}\n")
        random.shuffle(lines)
        lines[-1] = lines[0].rsplit(",", 1)[0] + ",5\n"
        files = []
        for name, part in ("z", lines[:3]), ("a", lines[3:6000]), ("m", []), ("b", lines[6000:]):
            files.append(self.write(f"{name}.csv", "user,item,rating\n" + "".join(part)))
        return files, self.write("whole.csv", "user,item,rating\n" + "".join(lines)), items

    def test_private_users_have_the_bits_and_the_certificate_of_one_process(self):
        files, whole, items = self.rating_files()
        options = ["-r", 2, "--unit", "user", "--epsilon", 8, "--delta", 1e-6, "--items", items,
                   "--range", "0:5", "--per-user", 20, "--insecure-seed", 7]
        made = ["factors_1.npy", "biases_1.npy", "labels_1.txt"]
        alone = self.same_result("complete", *options, made=made, files=files)
        self.assertIn("pair moment", json.dumps(self.described(alone)["privacy"]))
        self.succeed("complete", whole, *options, "--out", "whole")
        for name in made:  # the list is read as one file
            self.assertEqual((alone / name).read_bytes(),
                             (self.folder / "whole" / name).read_bytes(), name)

    def test_a_symmetric_tensor_has_the_bits_of_one_process(self):
        made = ["vectors.npy"]
        for order, dim, options in ((3, 40, []), (4, 14, ["--method", "simultaneous"]),
                                    (3, 5, ["--method", "eigenpairs"])):
            folder = self.folder / f"tensor{order}{dim}"
            self.succeed("generate", "tensor", "-p", order, "-d", dim, "-k", 3, "--condition", 2,
                         "--out", folder)
            self.same_result("decompose", "-k", 3, *options, made=made,
                             files=[folder / "tensor.npy"])
            shutil.rmtree(self.folder / "alone")
            for ranks in RANKS:
                shutil.rmtree(self.folder / f"on{ranks}")

    def test_a_tensor_of_one_mode_is_refused_and_one_without_symmetry_is_named(self):
        lop = self.write("lop.npy", npy_bytes([1.0, 2, 3, 4, 5, 6, 7, 9], (2, 2, 2)))
        self.fails("decompose", lop, "-k", 1, says="the tensor is not symmetric: entries with the "
                   "indices (0,0,1), in any order, differ by 3")
        flat = self.write("flat.npy", npy_bytes([1.0] * 6, (1, 2, 3)))
        self.fails("decompose", flat, "-k", 1, says="on several ranks a tensor has order 3 or 4 and "
                   "equal dimensions, this one is 1 x 2 x 3")
        nan = self.write("nan.npy", npy_bytes([1.0] * 7 + [float("nan")], (2, 2, 2)))
        self.fails("decompose", nan, "-k", 1, says="nan.npy: the value at index (1, 1, 1)")
        cut = self.write("cut.npy", npy_bytes([1.0] * 8, (2, 2, 2))[:-8])
        self.fails("decompose", cut, "-k", 1, says="cut.npy: an array of 2 x 2 x 2")

    # The limit counts what is mapped: about 190 MB a rank for MPI, 314 MB for the tensor in one piece.
    @unittest.skipUnless(SLOW, "makes a large tensor")
    def test_a_tensor_too_large_for_one_rank_is_decomposed_on_four(self):
        folder, dim, limit = self.folder / "large", 340, 300 * 1024
        self.succeed("generate", "tensor", "-d", dim, "-k", 2, "--out", folder)
        asked = ["decompose", folder / "tensor.npy", "-k", 2, "-L", 2, "-R", 20, "--threads", 1]
        alone = self.mpirun(1, *asked, "--out", "alone", limit=limit)
        self.assertEqual(alone.returncode, 1, alone.stderr)
        self.assertRegex(alone.stderr, "does not fit in memory|not enough memory")
        done = self.mpirun(4, *asked, "--out", "shared", limit=limit)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.succeed(*asked, "--out", "whole")
        self.assertEqual((self.folder / "shared" / "vectors.npy").read_bytes(),
                         (self.folder / "whole" / "vectors.npy").read_bytes())

    def people_file(self):
        random.seed(5)
        entries = {(random.randint(1, 500), *random.choice([(1, 2), (3, 4), (5, 1), (6, 6)]))
                   for _ in range(1500)}
        lines = [f"{p} {i} {j} {random.randint(1, 3)}\n" for p, i, j in entries]
        return self.write("visits.tns", f"sptensor\n3\n500 8 7\n{len(lines)}\n" + "".join(lines))

    def test_private_people_have_the_bits_and_the_certificate_of_one_process(self):
        options = ["-k", 2, "--unit", "person", "--epsilon", 8, "--delta", 1e-4,
                   "--insecure-seed", 7]
        made = ["factors_1.npy", "factors_2.npy", "weights.npy", "loadings.npy"]
        alone = self.same_result("decompose", *options, made=made, files=[self.people_file()])
        self.assertIsNotNone(self.described(alone)["privacy"])
        shutil.rmtree(alone)
        for ranks in RANKS:
            shutil.rmtree(self.folder / f"on{ranks}")
        random.seed(6)
        slices = self.write("slices.npy", npy_bytes([random.gauss(0, 1) for _ in range(300 * 30)],
                                                    (300, 6, 5)))
        self.same_result("decompose", *options, "--values", "real", made=made, files=[slices])

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

    # How long the documents are is not released, and no length of a message that is printed tells it.
    def test_what_is_said_of_private_questions_is_the_same_for_longer_documents(self):
        vocab = self.write("vocab.txt", "\n".join(f"word{w}" for w in range(60)) + "\n")
        longer = self.folder / "longer.txt"
        text = self.texts[1].read_text()
        longer.write_text(text.replace("\n", " word1" * 1000000 + "\n", 1))
        lines = []
        for file in self.texts[1], longer:
            done = self.mpirun(3, "topics", file, "-k", 3, "--vocab", vocab, "--epsilon", 8, "--delta",
                               1e-6, "--insecure-seed", 7)
            self.assertEqual(done.returncode, 0, done.stderr)
            lines += [line for line in done.stdout.splitlines() if line.startswith("3 ranks: ")]
        self.assertEqual(len(lines), 2)
        self.assertEqual(*lines)

    def fails(self, *arguments, says, code=2, ranks=3, beside=None):
        """One line of rank 0, and nothing written, but to the ledger `beside`."""
        before = sorted(self.folder.rglob("*"))
        done = self.mpirun(ranks, *arguments)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(len(said(done.stderr)), 1, done.stderr)
        self.assertIn(says, said(done.stderr)[0])
        self.assertRegex(done.stdout, NOTHING)
        made = set(self.folder.rglob("*")) - set(before)
        self.assertEqual([p for p in made if beside is None or not p.name.startswith(beside)], [])

    def test_what_cannot_run_on_ranks_is_refused_once(self):
        self.fails("generate", "points", "-n", 3, "--out", "o", says="'generate points' does not run")
        self.fails("complete", "x.csv", says="--unit: must be user on several ranks")
        self.fails("decompose", "x.npy", "-k", 1, "--unit", "person",
                   says="--epsilon: is needed on several ranks")
        for option in ("--epsilon", 1, "--delta", 1e-6), ("--whiten", "tensor"), ("--method", "cp"):
            self.fails("decompose", "x.npy", "-k", 1, *option,
                       says=f"{option[0]}: does not work on several ranks")
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

    def test_faults_of_ratings_and_people_are_one_line_and_nothing_is_written(self):
        files, _, items = self.rating_files()
        options = ["--unit", "user", "--epsilon", 1, "--delta", 1e-6, "--items", items, "--range",
                   "0:5", "--out", "out"]
        self.fails("complete", *files, "missing.csv", *options, says="missing.csv: cannot be opened")
        other = self.write("other.csv", "user,film,rating\nu1,i1,3\n")
        self.fails("complete", *files, other, *options, says="other.csv: has another format or other")
        cut = self.write("cut.csv", "user,item,rating\nu1,i1,3\nu2,i")
        self.fails("complete", *files, cut, *options, says="cut.csv")
        people = self.people_file()
        cut = self.write("cut.tns", people.read_bytes()[:-40])
        options = ["-k", 1, "--unit", "person", "--epsilon", 1, "--delta", 1e-4, "--out", "out"]
        self.fails("decompose", cut, *options, says="cut.tns: is not a tensor of finite numbers")
        self.fails("decompose", "missing.tns", *options, says="missing.tns: cannot be opened")
        text = self.write("dense.tns", "tensor\n3\n2 2 2\n" + "1 " * 8 + "\n")
        self.fails("decompose", text, *options, says="dense.tns: has no Tensor Toolbox header")

    # A run that fails costs what it costs in one process: nothing before it has a place in the
    # ledger, all that it asked for afterwards.
    def test_faults_count_in_the_ledger_as_in_one_process(self):
        private = ["-k", 1, "-R", 1, "--epsilon", 1, "--delta", 1e-7, "--max-norm", 1, "--ledger"]
        cut = self.write("cut.npy", self.files[3].read_bytes()[:-800])
        for name, last in ("missing", "missing.npy"), ("cut", cut):
            states = []
            for ledger in "alone", "shared":
                self.succeed("ledger", "init", ledger, "--data", name, "--epsilon", 3, "--delta",
                             1e-5, "--unit", "one patient")
                command = ["stream", self.files[0], last, *private, ledger, "--out", "out"]
                if ledger == "alone":
                    self.assertEqual(self.sotto(*command).returncode, 2)
                else:
                    self.fails(*command, says=str(last), beside=ledger)
                states.append(self.ledger_states(ledger))
                (self.folder / ledger).unlink()
            self.assertEqual(*states)

    def ledger_data(self, ledger):
        (data,) = json.loads(self.succeed("ledger", "export", ledger, "--json"))["data"]
        return data

    def ledger_states(self, ledger):
        return [run["state"] for run in self.ledger_data(ledger)["runs"]]

    def assert_counts_whole(self, ledger):
        self.assertEqual(self.ledger_states(ledger), ["open or broken off"])
        self.assertEqual(self.ledger_data(ledger)["plain_sum"], 1)

    def test_a_part_that_was_altered_ends_the_run_and_counts_whole(self):
        library = self.folder / "alter_part.so"
        source = pathlib.Path(__file__).parents[1] / "faults" / "alter_part.c"
        subprocess.run(["mpicc", "-O1", "-shared", "-fPIC", source, "-o", library], check=True)
        self.succeed("ledger", "init", "runs.ledger", "--data", "d", "--epsilon", 3, "--delta", 1e-5,
                     "--unit", "one patient")
        out = self.folder / "out"
        done = self.mpirun(3, "stream", *self.files, "-k", 1, "-R", 1, "--epsilon", 1, "--delta",
                           1e-7, "--max-norm", 1, "--ledger", "runs.ledger", "--out", out,
                           more={"LD_PRELOAD": str(library), "ALTER_RANK": "2"})
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(len(said(done.stderr)), 1, done.stderr)
        self.assertIn("was altered", said(done.stderr)[0])
        self.assertEqual([p for p in self.folder.rglob("*") if out in p.parents], [])
        self.assert_counts_whole("runs.ledger")

    def killed(self, arguments, victim, wait, out):
        """Kills one rank of a run, and returns its exit code and what it said."""
        run = subprocess.Popen(
            ["mpirun", "-n", "3", PROGRAM, *map(str, arguments), "--out", out],
            cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=dict(MPI, OMPI_MCA_odls_base_sigkill_timeout="1"))
        self.addCleanup(run.kill)
        deadline = time.monotonic() + 60
        while not (ranks := self.ranks_of(run.pid)) or len(ranks) < 3:
            self.assertLess(time.monotonic(), deadline, "the ranks did not start")
            if run.poll() is not None:  # it was faster
                break
            time.sleep(0.02)
        if callable(wait):
            while not wait():
                self.assertLess(time.monotonic(), deadline, "the run did not come so far")
                time.sleep(0.02)
        else:
            time.sleep(wait)
        with contextlib.suppress(KeyError, ProcessLookupError):
            os.kill(ranks[victim], signal.SIGKILL)
        try:
            _, err = run.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            # mpirun may wait for itself at its own end where a rank died while it started (Open MPI
            # 4.1 with PMIx 4.2, in PMIx_server_finalize). No rank is left then.
            self.assertEqual(self.ranks_of(run.pid), {})
            run.kill()
            _, err = run.communicate()
        return run.returncode, err

    def ranks_of(self, parent):
        """The processes of a run by their rank."""
        found = {}
        for entry in pathlib.Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and f"PPid:\t{parent}\n" in (entry / "status").read_text():
                    environment = (entry / "environ").read_bytes()
                    rank = re.search(rb"OMPI_COMM_WORLD_RANK=(\d+)", environment)
                    if rank and PROGRAM.encode() in (entry / "cmdline").read_bytes():
                        found[int(rank.group(1))] = int(entry.name)
            except OSError:
                pass
        return found

    def test_a_checkpoint_goes_on_with_another_number_of_ranks(self):
        command = ["stream", *map(str, self.files), "-k", "2", "-R", "400"]
        protected = ["--epsilon", "1", "--delta", "1e-7", "--max-norm", "2", "--insecure-seed", "7"]
        for private in ([], protected) if SLOW else (protected,):
            run = subprocess.Popen(["mpirun", "-n", "3", PROGRAM, *command, *private,
                                    "--checkpoint", "c"], cwd=self.folder, env=MPI,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.addCleanup(run.kill)
            checkpoint, deadline = self.folder / "c", time.monotonic() + 60
            while not checkpoint.exists() or checkpoint.stat().st_size < 6 * 8 * DIM * 16:
                self.assertLess(time.monotonic(), deadline, "no checkpoint came")
                time.sleep(0.005)
            os.kill(self.ranks_of(run.pid)[1], signal.SIGKILL)
            run.wait(timeout=60)
            state = checkpoint.read_bytes()
            self.succeed(*command, *private, "--out", "alone")
            for ranks in (1, 2, 4) if SLOW else (2,):
                checkpoint.write_bytes(state)
                done = self.mpirun(ranks, *command, *private, "--checkpoint", "c", "--out",
                                   f"on{ranks}", "--force")
                self.assertEqual(done.returncode, 0, done.stderr)
                found = json.loads((self.folder / f"on{ranks}" / "result.json").read_text())
                self.assertGreater(found["diagnostics"]["answers_from_checkpoint"], 2)
                self.assertEqual((self.folder / f"on{ranks}" / "vectors.npy").read_bytes(),
                                 (self.folder / "alone" / "vectors.npy").read_bytes())
            # Records that are others than those of the answers are found, whoever holds them.
            checkpoint.write_bytes(state)
            self.fails(*command[:1], *reversed(self.files), *command[5:], *private, "--checkpoint",
                       "c", says="records are not those that the answers in the checkpoint were")
            checkpoint.unlink()
            shutil.rmtree(self.folder / "alone")

    def long_stream(self):
        return ["stream", *self.files, "-k", "2", "-R", "20000", "--passes", "1000000", "--batch",
                str(RECORDS)]

    def test_a_rank_that_dies_ends_the_run_and_leaves_nothing(self):
        cases = [(1, 0.3), (2, 0.6)]
        # mpirun waits for seconds where a rank was lost, so several runs are lost at a time.
        with concurrent.futures.ThreadPoolExecutor(2) as at_once:
            ended = at_once.map(lambda c: self.killed(self.long_stream(), *c, out=f"out{c}"), cases)
        for code, err in ended:
            self.assertNotEqual(code, 0)
            self.assertLessEqual(len(said(err)), 1, err)
            for line in said(err):
                self.assertIn("a rank was lost", line)
        self.assertEqual([p for p in self.folder.rglob("*") if p.is_file()], [])

    def test_a_private_run_that_loses_its_first_rank_counts_whole(self):
        self.succeed("ledger", "init", "runs.ledger", "--data", "d", "--epsilon", 3, "--delta", 1e-5,
                     "--unit", "one patient")
        code, _ = self.killed(["stream", *self.files, "-k", 2, "-R", 20000, "--epsilon", 1, "--delta",
                               1e-7, "--max-norm", 1, "--ledger", "runs.ledger"], 0,
                              lambda: self.ledger_states("runs.ledger") != [], "out")
        self.assertNotEqual(code, 0)
        self.assertFalse((self.folder / "out" / "result.json").exists())
        self.assert_counts_whole("runs.ledger")

    @unittest.skipUnless(SLOW, "kills a hundred runs")
    def test_ranks_that_die_at_any_moment_leave_all_or_nothing(self):
        ratings, _, items = self.rating_files()
        self.succeed("generate", "tensor", "-d", 60, "-k", 3, "--out", "tensor")
        vocab = self.write("vocab.txt", "\n".join(f"word{w}" for w in range(60)) + "\n")
        protected = ["--epsilon", 8, "--delta", 1e-6]
        public = [
            self.long_stream(),
            ["mixture", *self.files, "-k", 2, "--refine", 50],
            ["topics", *self.texts, "-k", 3],
            ["decompose", "tensor/tensor.npy", "-k", 3]]
        private = [
            ["stream", *self.files, "-k", 2, "-R", 200, "--max-norm", 1, *protected],
            ["mixture", *self.files, "-k", 2, "--max-norm", 4, *protected],
            ["topics", *self.texts, "-k", 3, "--vocab", vocab, *protected],
            ["complete", *ratings, "-r", 2, "--unit", "user", "--items", items, "--range", "0:5",
             *protected],
            ["decompose", self.people_file(), "-k", 2, "--unit", "person", *protected]]
        random.seed(9)
        cases = [(random.choice(public + private), random.randrange(3), random.random(), n)
                 for n in range(100)]

        def killed(case):
            command, victim, wait, n = case
            kept = []
            if command in private:
                kept = ["--ledger", f"{n}.ledger"]
                self.succeed("ledger", "init", kept[1], "--data", "d", "--epsilon", 9, "--delta", 1e-5,
                             "--unit", "one unit")
            return self.killed([*command, *kept], victim, wait, f"out{n}")

        with concurrent.futures.ThreadPoolExecutor(2) as at_once:
            ended = list(at_once.map(killed, cases))
        self.assertGreater(sum(code != 0 for code, _ in ended), 30)
        counted = set()
        for (code, err), (command, victim, _, n) in zip(ended, cases):
            case = command, victim, err
            made = [p for p in (self.folder / f"out{n}").rglob("*")
                    if p.is_file() and ".sotto" not in str(p)]
            has_result = "result.json" in {p.name for p in made}
            if code == 0:
                self.assertTrue(has_result, case)
            else:
                self.assertLessEqual(len(said(err)), 1, case)
            if not has_result:  # else it was lost after its end
                self.assertEqual(made, [], case)
            if command in private:  # what has its place in the ledger costs all that was asked for
                data = self.ledger_data(f"{n}.ledger")
                states = [run["state"] for run in data["runs"]]
                self.assertLessEqual(len(states), 1, case)
                self.assertEqual(data["plain_sum"], 8 * len(states), case)
                if has_result:
                    self.assertEqual(len(states), 1, case)
                counted.update(states)
        self.assertIn("open or broken off", counted)


if __name__ == "__main__":
    main()
