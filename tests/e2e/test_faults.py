"""Faults: files that lie, closed streams, and calls of the system that fail.

The second half runs commands under a library that fails the n-th call of one function of the C
library (tests/faults/fail_nth.c), for n = 1, 2, 3, .. until the run succeeds. Whatever fails, the
exit code is 1 or 2, standard error has one line, and the folder holds what it held before. The fast
lane takes a few commands and some n; SOTTO_SLOW=1 takes all of them.
"""
import collections
import gzip
import hashlib
import itertools
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import time
import unittest

from sotto_cli import PROGRAM, SANITIZED, ProgramTest, limit_memory, main, npy_bytes

ROOT = pathlib.Path(__file__).resolve().parents[2]
SLOW = "SOTTO_SLOW" in os.environ
QUICK = 2.0 if not SLOW else 10.0  # seconds; other tests run beside these


class Lies(ProgramTest):
    """Work and memory follow what is in a file, not what it claims."""

    def within_limits(self, *arguments, env=None):
        """Runs it with little memory; what it spends must be little as well."""
        began = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True,
                              cwd=self.folder, timeout=60, preexec_fn=lambda: limit_memory(3 << 30), env=env)
        ended = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = ended.ru_utime - began.ru_utime + ended.ru_stime - began.ru_stime
        self.assertLess(spent, QUICK * (10 if SANITIZED else 1), arguments)
        return done

    def refused(self, *arguments, code=2, contains="", env=None):
        done = self.within_limits(*arguments, env=env)
        self.assertEqual(done.returncode, code, (arguments, done.stderr))
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn(contains, done.stderr)

    def taken(self, *arguments):
        done = self.within_limits(*arguments)
        self.assertIn(done.returncode, (0, 3), (arguments, done.stderr))

    def test_a_file_of_one_comment_ends(self):
        self.write("f", "#x")
        self.refused("complete", "f", contains="no entries")

    def test_documents_that_are_only_claimed(self):
        for claimed in 9223372036854775807, 2147483647, 100000000:
            self.write("f.txt", f"{claimed}\n4\n1\n{claimed} 1 1\n")
            for command in "mixture", "stream", "topics":
                self.refused(command, "f.txt", "-k", 2, "--format", "uci")
        self.write("f.mtx", "%%MatrixMarket matrix coordinate integer general\n"
                            "2000000000 4 2\n1 1 1\n2000000000 2 1\n")
        self.refused("topics", "f.mtx", "-k", 2, contains="2000000000 documents for 2 entries")

    def test_words_that_are_only_claimed(self):
        self.write("f.txt", "3\n2000000000\n3\n1 1 2\n2 2 1\n3 2 1\n")
        for command in "mixture", "stream", "topics":
            self.refused(command, "f.txt", "-k", 2, "--format", "uci", contains="2000000000 words")
        packed = self.folder / "f.txt.gz"
        packed.write_bytes(gzip.compress(b"3\n2000000000\n2000000000\n1 1 2\n2 2 1\n3 2 1\n"))
        self.refused("topics", packed, "-k", 2, contains="2000000000 words")

    def test_one_large_number_of_a_word(self):
        self.write("f.ldac", "1 2000000000:1\n2 3:1 4:2\n1 2:1\n")
        self.refused("topics", "f.ldac", "-k", 2, contains="2000000001 words")
        self.refused("mixture", "f.ldac", "-k", 2, contains="2000000001 words")

    def test_words_that_never_occur_cost_little(self):
        lines = "".join(f"3 {n}:1 {n + 1}:2 {{}}:1\n" for n in range(200))
        self.write("f.ldac", lines.format(*[1048000] * 200))
        self.refused("topics", "f.ldac", "-k", 2, contains="1048001 words for 600 entries")
        self.write("g.ldac", lines.format(*[32000] * 200))
        self.taken("topics", "g.ldac", "-k", 2)
        self.write("r.tns", "sptensor\n2\n32768 32768\n4\n1 1 5\n2 2 4\n1 2 3\n2 1 1\n")
        self.taken("complete", "r.tns", "-r", 2)

    def test_one_large_index_makes_one_row(self):
        lines = "".join(f"{u} {i} {1 + (u * i) % 5}\n" for u in range(1, 9) for i in range(1, 6))
        self.write("f.tns", lines + "2 100000000 5\n")
        done = self.sotto("complete", "f.tns", "-r", 1, "--out", "out")
        self.assertIn(done.returncode, (0, 3), done.stderr)
        self.write("g.tns", "sptensor\n2\n100000000 100000000\n2\n1 1 5\n2 2 4\n")
        self.refused("complete", "g.tns", contains="the header declares 100000000 rows")

    def test_a_gzip_file_with_something_behind_it(self):
        whole = gzip.compress(b"1 1 1 2\n1 1 2 1\n")
        for behind in b"garbage", b"\x1f", b"\0\0x":
            self.write("t.tns.gz", whole + behind)
            self.refused("decompose", "t.tns.gz", "-k", 1, contains="gzip data")
        self.write("u.txt.gz", gzip.compress(b"a b c\n") + gzip.compress(b"c d e\n") + b"\0" * 600)
        self.assertIn(self.sotto("topics", "u.txt.gz", "-k", 1).returncode, (0, 2, 3))

    def test_numbers_whose_powers_are_none(self):
        self.write("p.csv", "1e110,1\n2,3\n4,5\n1,1\n")
        self.write("t.npy", npy_bytes([1e308] * 8, (2, 2, 2)))
        self.write("r.csv", "user,item,rating\na,x,1e308\nb,y,2\na,y,3\n")
        self.write("p.npy", npy_bytes([1e110] * 80, (40, 2)))
        self.refused("mixture", "p.csv", "-k", 1, contains="1e+110")
        self.refused("stream", "p.npy", "-k", 1, contains="1e+110")
        self.refused("decompose", "t.npy", "-k", 1, contains="1e+308")
        self.refused("complete", "r.csv", "--method", "als", contains="1e+308")

    def test_what_is_not_a_header_or_a_date_is_not_taken_for_one(self):
        self.write("p.csv", "NA,NA,NA\n1,2,3\n3,1,2\n2,3,1\n")
        self.refused("mixture", "p.csv", "-k", 1, contains="p.csv:1")
        self.write("r.csv", "7,12,NA\n7,13,4\n8,12,5\n")
        self.refused("complete", "r.csv", contains="r.csv:1")
        self.write("d.csv", "user,item,rating,date\na,x,1,2020-02-20junk\nb,y,2,2020-02-21\n")
        self.refused("complete", "d.csv", "--time-mode", "day", contains="is not a time")
        self.write("m.mtx", "%%matrixmarket matrix coordinate integer general\n2 3 9\n1 1 1\n")
        self.refused("topics", "m.mtx", "-k", 1, contains="header says 9")

    def test_options_that_are_given_badly(self):
        self.write("p.csv", "1,2\n2,3\n")
        self.refused("mixture", "p.csv", "-k", 2, "-k", 3, contains="is given twice")
        self.refused("mixture", "p.csv", "-k", 2, "-o", "", contains="empty value")
        self.refused("mixture", "p.csv", "-k", contains="needs a value")

    def test_names_of_files_that_cannot_be(self):
        self.refused("mixture", "x" * 300, "-k", 1, contains="File name too long")
        os.symlink("loop", self.folder / "loop")
        self.refused("mixture", "loop", "-k", 1, contains="oo many levels")
        os.mkdir(self.folder / "papers")
        os.mkdir(self.folder / "papers" / "wang-fig1")
        self.write("papers/wang-fig1/summary.json", "{}")
        self.refused("reproduce", "--document", "papers", contains="summary.json")

    def test_a_file_that_is_replaced_between_passes(self):
        rows = "".join(f"{i % 7},{(i * 3) % 11}\n" for i in range(20000))
        self.write("p.csv", rows)
        run = subprocess.Popen([PROGRAM, "mixture", "p.csv", "-k", "1", "--refine", "10000"],
                               cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True)
        time.sleep(0.3)
        self.write("other.csv", "1,2,3\n" * 20000)
        os.replace(self.folder / "other.csv", self.folder / "p.csv")
        try:
            _, error = run.communicate(timeout=60)
        except subprocess.TimeoutExpired:  # it read the file once and works on
            run.kill()
            run.communicate()
            return
        self.assertIn(run.returncode, (0, 2, 3), error)


class Streams(ProgramTest):
    """Standard output and error that are closed or full."""

    def code(self, redirection, *arguments):
        line = " ".join(["exec", PROGRAM, *arguments, redirection])
        return subprocess.run(["bash", "-c", line], cwd=self.folder, timeout=60,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode

    def test_an_error_that_cannot_be_said(self):
        for where in "2>&-", "2>/dev/full", ">&- 2>&-":
            self.assertEqual(self.code(where, "mixture", "missing", "-k", "1"), 2, where)

    def test_a_result_that_cannot_be_said(self):
        for where in ">&-", ">/dev/full", ">&- 2>&-", ">/dev/full 2>/dev/full":
            self.assertEqual(self.code(where, "--version"), 1, where)

    def test_no_file_becomes_standard_error(self):
        self.write("p.csv", "1,2\n2,3\n")
        self.assertEqual(self.code(">&- 2>&-", "mixture", "p.csv", "-k", "9"), 2)
        self.assertEqual((self.folder / "p.csv").read_text(), "1,2\n2,3\n")


def snapshot(folder):
    """Everything below a folder: names, and digests of the files."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        found[name] = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "folder"
    return found


CALLS = ["write", "fsync", "rename", "open", "close", "read", "mkdir", "getrandom", "thread",
         "malloc"]
CLAIM = "--epsilon", "8", "--delta", "1e-4"
PRIVATE = *CLAIM, "--max-norm", "10"
LIMIT = "--epsilon", "3", "--delta", "1e-5", "--unit", "one patient"


def built_library(folder):
    library = folder / "fail_nth.so"
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", ROOT / "tests/faults/fail_nth.c", "-o", library,
                    "-ldl"], check=True)
    return library


class NthCall(ProgramTest):
    def setUp(self):
        super().setUp()
        self.library = built_library(self.folder)
        self.work = self.folder / "work"
        self.work.mkdir()
        self.log = self.folder / "failed"
        if self.run_failing("write", 10**9, ["--version"]).returncode != 0:
            self.skipTest("this program does not run with other libraries in front")

    def run_failing(self, call, n, arguments, how=""):
        self.log.unlink(missing_ok=True)
        env = {**os.environ, "LD_PRELOAD": str(self.library), "FAIL_CALL": call,
               "FAIL_NTH": str(n), "FAIL_LOG": str(self.log), "FAIL_HOW": how,
               "GOMP_SPINCOUNT": "3000", "OMP_NUM_THREADS": "3"}
        return subprocess.run([PROGRAM, *arguments], capture_output=True, cwd=self.work, env=env,
                              timeout=120)

    def kept(self):
        """What a failed run must not change."""
        return snapshot(self.work)

    def loop(self, arguments, prepare=lambda: None, kept=None, ended=lambda code, what: None):
        """Fails every call, one a run, and checks what is left. Returns the number of faults.

        prepare() makes what every run begins with, kept() is what a failed run must not change, and
        ended() looks at every run under a fault.
        """
        kept = kept or self.kept
        prepare()
        self.assertIn(self.run_failing("none", 1, arguments).returncode, (0, 3), arguments)
        names = kept().keys()
        faults = collections.Counter()
        for call, how in itertools.product(CALLS, ("", "short")):
            if how and not (SLOW and call in ("read", "write")):
                continue
            n = 1
            while True:
                prepare()
                before = kept()
                done = self.run_failing(call, n, arguments, how)
                if not self.log.exists():  # nothing was failed
                    break
                faults[call] += 1
                what = f"{call} {n} {how} of {' '.join(arguments)}: {done.returncode} {done.stderr}"
                self.assertIn(done.returncode, (0, 1, 2, 3), what)
                if done.returncode in (1, 2):
                    # The OpenMP runtime has a line of its own, after an empty one (SECURITY.md).
                    line = done.stderr.removeprefix(b"\n")
                    self.assertEqual(line.count(b"\n"), 1, what)
                    self.assertTrue(line.startswith((b"sotto: ", b"libgomp: ")), what)
                    # The ledger is written last: where that fails, the line says what holds.
                    if b"the result is complete" in line:
                        self.assertEqual(kept().keys(), names, what)
                    else:
                        self.assertEqual(kept(), before, what)
                else:  # the call was not needed, and the result is whole
                    self.assertEqual(kept().keys(), names, what)
                ended(done.returncode, what)
                n += self.step(call, n)
        print(f"{' '.join(arguments)}: {dict(faults)}", file=sys.stderr)
        return faults.total()

    @staticmethod
    def step(call, n):
        """The next n: all of the first, then fewer; memory is asked for thousands of times."""
        if SLOW:
            return 1 if call != "malloc" or n < 300 else 1 + n // 100
        return 1 + n

    def run_plainly(self, *arguments):
        done = subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.work, capture_output=True,
                              text=True)
        self.assertIn(done.returncode, (0, 3), (arguments, done.stderr))
        return done.stdout

    def make_inputs(self, *names):
        for name in names:
            self.run_plainly("generate", *{
                "t": ["tensor", "-d", "6", "-k", "2"],
                "p": ["points", "--model", "mixture", "-d", "4", "-k", "2", "-n", "400"],
                "c": ["corpus", "-V", "30", "-k", "2", "-n", "200"],
                "v": ["visits", "-n", "100"],
                "r": ["ratings", "--model", "cp"]}[name], "--out", name)

    COMMANDS = [
        ["mixture", "p/points.npy", "-k", "2", *PRIVATE, "--out", "out"],
    ]
    MORE = [
        ["decompose", "t/tensor.npy", "-k", "2", "--out", "out"],
        ["decompose", "t/tensor.npy", "-k", "2", "--epsilon", "8", "--delta", "1e-6", "--anyway",
         "--out", "out"],
        ["decompose", "v/visits.tns", "-k", "2", "--unit", "person", *CLAIM, "--out", "out"],
        ["stream", "p/points.npy", "-k", "2", *PRIVATE, "--out", "out"],
        ["mixture", "p/points.npy", "-k", "2", "--out", "out"],
        ["stream", "p/points.npy", "-k", "2", "--out", "out"],
        ["topics", "c/docword.txt", "--vocab", "c/vocab.txt", "-k", "2", "--out", "out"],
        ["topics", "c/docword.txt", "--vocab", "c/vocab.txt", "-k", "2", *CLAIM, "--out", "out"],
        ["complete", "r/ratings.csv", "--rank", "2", "--out", "out"],
        ["complete", "r/ratings.csv", "--range", "1:5", *CLAIM, "--out", "out"],
        ["complete", "r/ratings.csv", "--unit", "user", "--items", "items.txt", "--range", "1:5",
         *CLAIM, "--out", "out"],
        ["apply", "model", "p/points.npy", "--out", "out"],
        ["generate", "tensor", "-d", "5", "-k", "2", "--out", "out"],
        ["generate", "points", "-d", "4", "-k", "2", "-n", "100", "--out", "out"],
        ["generate", "corpus", "-V", "30", "-k", "2", "-n", "50", "--out", "out"],
        ["generate", "ratings", "--model", "cp", "--out", "out"],
        ["generate", "visits", "-n", "50", "--out", "out"],
        ["account", "compare", "--releases", "gaussian:2:3,laplace:4:1", "--delta", "1e-6"],
    ]

    def test_every_command_under_every_fault(self):
        self.make_inputs(*"tpcvr" if SLOW else "p")
        (self.work / "items.txt").write_text("".join(f"{i}\n" for i in range(1, 21)))
        if SLOW:
            self.run_plainly("mixture", "p/points.npy", "-k", 2, "--out", "model")
        faults = 0
        for command in self.COMMANDS + self.MORE if SLOW else self.COMMANDS:
            found = self.loop(command)
            faults += found
            shutil.rmtree(self.work / "out", ignore_errors=True)
        self.assertGreater(faults, 20)

    def test_keys_and_verify_under_every_fault(self):
        def without_key():
            for name in "k", "k.pub":
                (self.work / name).unlink(missing_ok=True)
        faults = self.loop(["keys", "new", "k"], prepare=without_key)
        self.make_inputs("p")
        without_key()
        self.run_plainly("keys", "new", "k")
        self.run_plainly("mixture", "p/points.npy", "-k", 2, *PRIVATE, "--sign", "k", "--out", "out")
        faults += self.loop(["verify", "out", "--key", "k.pub"])
        self.assertGreater(faults, 20)

    def exported(self):
        """The ledger by what it says: SQLite decides which of its files hold it."""
        text = self.run_plainly("ledger", "export", "runs.ledger", "--json")
        return {"ledger": json.loads(text), **{
            name: digest for name, digest in snapshot(self.work).items()
            if not name.startswith("runs.ledger")}}

    def with_ledger(self):
        for path in self.work.glob("runs.ledger*"):
            path.unlink()
        self.run_plainly("ledger", "init", "runs.ledger", "--data", "visits", *LIMIT)

    def test_ledgers_under_every_fault(self):
        self.make_inputs("p")
        faults = 0
        self.with_ledger()
        changes = [["add", "runs.ledger", "--data", "staff", *LIMIT],
                   ["lower", "runs.ledger", "--epsilon", "2", "--delta", "1e-6"]]
        looks = [["show", "runs.ledger", "--html", "page.html"], ["history", "runs.ledger"],
                 ["forecast", "runs.ledger", "--epsilon", "1", "--delta", "1e-6"],
                 ["export", "runs.ledger", "--csv"]]
        for change in changes if SLOW else changes[:1]:
            faults += self.loop(["ledger", *change], self.with_ledger, self.exported)
        for look in looks if SLOW else looks[:1]:
            faults += self.loop(["ledger", *look], kept=self.exported)
        self.assertGreater(faults, 20)

    def test_a_run_that_fails_is_charged_as_documented(self):
        self.make_inputs("p")
        command = ["mixture", "p/points.npy", "-k", "2", "--max-norm", "10", "--epsilon", "1",
                   "--delta", "1e-6", "--ledger", "runs.ledger", "--out", "out"]

        def charged(code, what):
            runs = self.exported()["ledger"]["data"][0]["runs"]
            self.assertLessEqual(len(runs), 1, what)
            if code in (0, 3):
                self.assertEqual(len(runs), 1, what)
            if code in (1, 2) and runs:  # all that it asked for
                self.assertNotEqual(runs[0]["state"], "settled", what)
                self.assertEqual(runs[0]["claim"]["epsilon"], 1, what)

        def others():
            return {name: digest for name, digest in snapshot(self.work).items()
                    if not name.startswith("runs.ledger")}
        self.assertGreater(self.loop(command, self.with_ledger, others, charged), 20)

    def test_reproduce_under_every_fault_goes_on_to_the_same_end(self):
        command = ["reproduce", "wang-whitening", "--quick", "--threads", "2", "--out", "out"]
        self.run_plainly(*command)
        cells = self.work / "out" / "cells.csv"
        lines = cells.read_bytes().splitlines(keepends=True)
        whole = (self.work / "out" / "data.csv").read_bytes()

        def one_trial_missing():
            cells.write_bytes(b"".join(lines[:-1]))

        def others():
            return {name: digest for name, digest in snapshot(self.work).items()
                    if name != "out/cells.csv"}

        def goes_on(_, what):
            self.run_plainly(*command)
            self.assertEqual((self.work / "out" / "data.csv").read_bytes(), whole, what)
        self.assertGreater(self.loop(command, one_trial_missing, others, goes_on), 20)

    @unittest.skipUnless(SLOW, "half a minute")
    def test_a_stream_under_every_fault_goes_on_from_its_checkpoint_to_the_same_end(self):
        self.make_inputs("p")
        command = ["stream", "p/points.npy", "-k", "2", "-R", "3", "--batch", "50", *PRIVATE,
                   "--insecure-seed", "3", "--checkpoint", "run.ckpt", "--out", "out"]
        self.run_plainly(*command)
        whole = (self.work / "out" / "vectors.npy").read_bytes()
        shutil.rmtree(self.work / "out")

        def new():
            (self.work / "run.ckpt").unlink(missing_ok=True)
            shutil.rmtree(self.work / "out", ignore_errors=True)

        def others():
            return {name: digest for name, digest in snapshot(self.work).items()
                    if name != "run.ckpt" and name.split("/")[0] != "out"}

        def goes_on(code, what):
            if code in (1, 2) and (self.work / "out").exists():
                self.assertIn("result.json", os.listdir(self.work / "out"), what)
            self.run_plainly(*command)
            self.assertEqual((self.work / "out" / "vectors.npy").read_bytes(), whole, what)
        self.assertGreater(self.loop(command, new, others, goes_on), 20)

    def test_memory_that_lacks_while_threads_work(self):
        """Eigen resizes by giving back first: what a thread keeps was given back twice."""
        self.make_inputs("v", "c")
        for command, calls in (
                (["decompose", "v/visits.tns", "-k", "2", "--unit", "person", *CLAIM],
                 range(5300, 5600, 12)),
                (["topics", "c/docword.txt", "-k", "2"], range(4000, 5600, 80))):
            for n in calls:
                done = self.run_failing("malloc", n, command)
                self.assertIn(done.returncode, (0, 1, 3), (command, n, done.stderr))

    def test_a_limit_is_lowered_or_it_is_not(self):
        for n in range(1, 30):
            self.with_ledger()
            before = self.exported()
            done = self.run_failing("write", n, ["ledger", "lower", "runs.ledger", "--epsilon", "2",
                                                 "--delta", "1e-6"])
            if done.returncode != 0:
                self.assertEqual(self.exported(), before, n)
            if not self.log.exists():
                break

    @staticmethod
    def catches_interrupt(pid):
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
        caught = next(line for line in status.splitlines() if line.startswith("SigCgt"))
        return int(caught.split()[1], 16) & 1 << signal.SIGINT - 1 != 0

    def test_a_signal_leaves_nothing(self):
        self.make_inputs("t")
        arguments = ["decompose", "t/tensor.npy", "-k", "2", "-R", "1000000", "--tolerance", "0",
                     "-L", "200", "--out", "out"]  # minutes
        before = snapshot(self.work)
        for ending in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            run = subprocess.Popen([PROGRAM, *arguments], cwd=self.work, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
            deadline = time.monotonic() + 30
            self.addCleanup(run.kill)
            # Until the run is under way: its folder is there, and it watches for Ctrl-C.
            while snapshot(self.work) == before or not self.catches_interrupt(run.pid):
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.01)
            run.send_signal(ending)
            run.wait(60)
            self.assertNotEqual(run.returncode, 0)
            self.assertEqual(snapshot(self.work), before, ending)

    def test_runs_into_one_folder_do_not_mix(self):
        self.make_inputs("t")
        for _ in range(40 if SLOW else 4):
            runs = [subprocess.Popen([PROGRAM, "decompose", "t/tensor.npy", "-k", str(k), "--out",
                                      "out"], cwd=self.work, stdout=subprocess.DEVNULL,
                                     stderr=subprocess.PIPE, text=True) for k in (1, 2, 1, 2)]
            ends = [(run.communicate()[1], run.returncode) for run in runs]
            self.assertTrue(any(code in (0, 3) for _, code in ends), ends)
            for error, code in ends:
                self.assertTrue(code in (0, 3) or "another run is writing" in error, error)
            done = subprocess.run([PROGRAM, "verify", "out"], cwd=self.work, capture_output=True,
                                  text=True)
            self.assertNotIn("differs", done.stdout + done.stderr)
            self.assertEqual([p.name for p in self.work.iterdir() if p.name.startswith(".")], [])

    def test_threads_that_cannot_be_started(self):
        self.make_inputs("t")
        done = subprocess.run([PROGRAM, "decompose", "t/tensor.npy", "-k", "2", "--threads", "64"],
                              cwd=self.work, capture_output=True, text=True,
                              preexec_fn=lambda: limit_memory(500 << 20))
        self.assertIn(done.returncode, (0, 1, 3), done.stderr)
        self.assertLessEqual(done.stderr.count("\n"), 1, done.stderr)


if __name__ == "__main__":
    main()
