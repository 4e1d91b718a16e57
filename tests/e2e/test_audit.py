"""sotto audit: it disproves nothing of the program as it is, and finds every planted fault.

    test_audit.py PROGRAM PROGRAM_WITH_FAULTS AUDIT_OF_MECHANISMS

The last two are built for this test alone (tests/audit). SOTTO_SLOW=1 audits every mechanism and every
command, with every fault. An honest mechanism is found guilty once in twenty audits at most: a clean
case that fails is run once more before it counts.
"""
import json
import pathlib
import subprocess
import sys
import unittest

from audit_cases import CASES, FEW_RUNS, audit, canary_cases
from neighbours import SLOW
from sotto_cli import PROGRAM, ProgramTest, main

FAULTY, MECHANISMS = (str(pathlib.Path(word).resolve()) for word in (
    sys.argv[2:4] if len(sys.argv) > 3 else (PROGRAM + "_faulty",
                                              pathlib.Path(PROGRAM).with_name("audit_mechanisms"))))
SHORT = ("decompose, input",)  # of the fast lane


def named(name):
    return next(case for case in CASES if case.name == name)


class Mechanisms(unittest.TestCase):
    def test_none_fails_and_each_fault_is_found(self):
        words = ("20000",) if SLOW else ("3000", "gaussian", "laplace, block")
        done = subprocess.run([MECHANISMS, *words], capture_output=True, text=True, check=True)
        rows = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertGreater(len(rows), 5)
        honest = [row for row in rows if row["fault"] == "none"]
        # One false alarm in twenty is allowed to happen.
        self.assertLessEqual(sum(row["exceeds"] for row in honest), 1 if SLOW else 0)
        for row in rows:
            if row["fault"] != "none":
                self.assertTrue(row["exceeds"], (row["mechanism"], row["fault"]))


class Commands(ProgramTest):
    def expect_nothing(self, words):
        code, found, message = audit(PROGRAM, self.folder, words)
        if code == 1:
            code, found, message = audit(PROGRAM, self.folder, words)
        self.assertEqual((code, message), (0, ""), found)
        self.assertFalse(found["exceeds"])

    def check(self, case):
        self.expect_nothing(case.write(None, self.folder, None if SLOW else FEW_RUNS))
        if case.beyond:  # nothing shows while there is a clip
            self.expect_nothing(case.write("clip", self.folder))
        for fault in case.faults:
            if fault == "noise" and not SLOW:
                continue  # needs many runs
            with self.subTest(fault):
                code, found, message = case.audit(FAULTY, self.folder, fault)
                self.assertEqual((code, message), (1, ""), found)
                self.assertTrue(found["exceeds"])


for made in CASES:
    if SLOW or made.name in SHORT:
        name = "test_" + "".join(c if c.isalnum() else "_" for c in made.name)
        setattr(Commands, name, lambda self, case=made: self.check(case))


class Canaries(ProgramTest):
    CANARIES = 64

    def words(self, case):
        name, words, file, content, public = case
        for path, text in {**public, file: content}.items():
            self.write(path, text)
        return [*map(str, words), "--canaries", str(self.CANARIES)]

    def check(self, case):
        words = self.words(case)
        code, found, message = audit(PROGRAM, self.folder, words)
        self.assertEqual((code, message), (0, ""), found)
        self.assertEqual(found["canaries"], self.CANARIES)
        self.assertGreaterEqual(found["guesses"], 7)
        return words

    def test_stream(self):
        self.check(canary_cases()[0])

    @unittest.skipUnless(SLOW, "the fast lane has one of them")
    def test_topics_and_complete(self):
        for case in canary_cases()[1:]:
            with self.subTest(case[0]):
                self.check(case)

    def test_noise_that_is_much_too_small_is_found(self):
        for case in canary_cases()[:3 if SLOW else 1]:
            with self.subTest(case[0]):
                code, found, _ = audit(FAULTY, self.folder, self.words(case), "quiet")
                self.assertEqual(code, 1, found)


class Refusals(ProgramTest):
    CASE = named("decompose, input")

    def refused(self, *words, says):
        self.CASE.write(None, self.folder)
        code, found, message = audit(PROGRAM, self.folder, [str(word) for word in words])
        self.assertEqual((code, found), (2, None), message)
        self.assertIn(says, message)
        self.assertEqual(message.count("\n"), 1)

    def test_what_cannot_be_audited(self):
        words = self.CASE.write(None, self.folder, 40)
        plain = ("decompose", "data.tns", "-k", 2)
        other = ("--neighbour", "other/data.tns")
        self.refused(says="or --canaries is required")
        self.refused(*other, says="needs a command")
        self.refused("verify", "folder", *other, says="a command with private runs")
        self.refused(*plain, *other, says="--epsilon is missing")
        self.refused(*words[:-4], says="or --canaries")
        self.refused(*words[:-4], "--neighbour", "data.tns", says="is the data itself")
        self.refused(*words, "--canaries", 20, says="one of the two")
        self.refused(*words[:-4], "--canaries", 20, says="only works with stream, topics and complete")
        self.refused(*words[:-1], 39, says="--runs")
        for path in ("nowhere.tns", "other"):
            self.refused(*words[:-4], "--neighbour", path, "--runs", 40, says=f"{path}: cannot be read")
        for option in (("--out", "found"), ("--ledger", "runs"), ("--plan",), ("--sign", "key"),
                       ("--insecure-seed", 3)):
            self.refused(*words, *option, says=option[0])
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["data.tns", "other"])

    def test_a_neighbour_that_the_command_refuses(self):
        for content in (b"", b"\x00\xff" * 500, b"sptensor\n3\n2 2 2\n1\n9 9 9 1\n"):
            words = self.CASE.write(None, self.folder, 40)
            (self.folder / "other" / "data.tns").write_bytes(content)
            code, found, message = audit(PROGRAM, self.folder, words)
            self.assertEqual((code, found, message.count("\n")), (2, None, 1), message)
            self.assertIn("every run over other/data.tns is refused", message)
            self.assertEqual(message.count("sotto: "), 1)

    def test_canaries_that_cannot_be_planted(self):
        self.write("r.csv", b"user,item,rating\n" + b"1,1,3\n" * 20)
        self.write("p.csv", b"0.1,0.2\n" * 20)
        self.write("vocab.txt", b"")
        private = ("--epsilon", "1", "--delta", "1e-6", "--canaries", "16")
        records = ("stream", "p.csv", "-k", "1", "--max-norm", "1", "--header", "no")
        ratings = ("complete", "r.csv", "-r", "2", "--format", "csv")
        for words, says in (
                ((*ratings, "--range", "1:x"), "needs two numbers"),
                ((*ratings, "--range", "1:5", "--unit", "user"), "only works with --unit rating"),
                (records, "needs --format csv"),
                ((*records, "--format", "csv", "--dim", "2"), "p.csv does not say"),
                (("topics", "p.csv", "-k", "2", "--format", "text", "--vocab", "vocab.txt"),
                 "need four words"),
                (("complete", "p.csv", "-r", "2", "--format", "csv", "--range", "1:5"),
                 "a column named rating")):
            code, found, message = audit(PROGRAM, self.folder, [*words, *private])
            self.assertEqual((code, found, message.count("\n")), (2, None, 1), message)
            self.assertIn(says, message)

    def test_files_that_are_no_neighbours(self):
        case = named("mixture")
        words = case.write(None, self.folder, 40)
        (self.folder / "other" / "data").write_bytes(case.there[:len(case.there) // 2]
                                                     .rsplit(b"\n", 1)[0] + b"\n")
        code, _, message = audit(PROGRAM, self.folder, words)
        self.assertEqual(code, 2)
        self.assertIn("is not a neighbour", message)

    def test_an_audit_says_first_that_it_is_not_private(self):
        done = self.sotto("audit", *self.CASE.write(None, self.folder, 40))
        self.assertEqual(done.returncode, 0, done.stderr)
        first, *rest = done.stdout.splitlines()
        self.assertTrue(first.startswith("not private: an audit"), first)
        self.assertIn("no claim was disproved; this does not prove the claim", rest)
        self.assertIn("power: ", rest[-2])
        self.assertIn("reach: the neighbours move release 1 (the tensor) by ", rest[-1])


if __name__ == "__main__":
    main()
