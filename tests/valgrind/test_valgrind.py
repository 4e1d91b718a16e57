#!/usr/bin/env python3
"""The smallest runs of all commands under valgrind: no use of memory that was never written, freed
or not owned, and nothing lost at the end.

usage: test_valgrind.py PROGRAM

PROGRAM is built for plain x86-64: valgrind does not know AVX-512. The address sanitizer sees more of
what is out of bounds; what was never written, valgrind alone does, in libraries, too.
"""
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))
import sotto_cli  # noqa: E402

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
FOUND = 99
# One thread: libgomp keeps what its threads own until the process ends.
VALGRIND = ["valgrind", "-q", f"--error-exitcode={FOUND}", "--leak-check=full",
            "--errors-for-leak-kinds=definite", "--log-file=valgrind.log"]
PRIVATE = ["--epsilon", 2, "--delta", "1e-5"]


class Valgrind(sotto_cli.ProgramTest):
    def setUp(self):
        super().setUp()
        os.environ["OMP_NUM_THREADS"] = "1"

    def clean(self, *arguments, codes=(0, 3), says=""):
        log = self.folder / "valgrind.log"
        done = sotto_cli.subprocess.run(
            [*VALGRIND, str(PROGRAM), *map(str, arguments)], capture_output=True, text=True,
            cwd=self.folder, timeout=600)
        found = log.read_text()
        self.assertIn(done.returncode, codes, (arguments, done.stderr, found[:4000]))
        self.assertNotRegex(found, r"uninitiali|Invalid|definitely lost|Mismatched")
        self.assertIn(says, done.stderr)
        return done.stdout

    def make(self, kind, *arguments):
        self.clean("generate", kind, *arguments, "--out", kind)
        return self.folder / kind

    def test_tensors(self):
        tensor = self.make("tensor", "-d", 8, "-k", 2) / "tensor.npy"
        self.clean("decompose", tensor, "-k", 2, "-L", 4, "-R", 10, "--out", "power")
        self.clean("decompose", tensor, "-k", 2, "--method", "cp", "--out", "cp")
        self.clean("decompose", tensor, "--ranks", "2,2,2", "--method", "tucker")
        self.clean("decompose", tensor, "-k", 2, *PRIVATE, "--anyway", "--out", "private")
        self.clean("verify", "private")

    def test_people(self):
        folder = self.make("visits", "--people", 60, "--codes", 12, "--drugs", 6, "-k", 2)
        (visits,) = folder.glob("visits*.tns")
        self.clean("decompose", visits, "-k", 2, "--unit", "person", "--epsilon", 50, "--delta",
                   "1e-4", "--out", "people")

    def test_points(self):
        points = self.make("points", "-d", 6, "-k", 2, "-n", 200, "--max-norm", 1) / "points.npy"
        self.clean("stream", points, "-k", 2, "--out", "stream")
        self.clean("stream", points, "-k", 2, *PRIVATE, "--max-norm", 1, "--checkpoint", "kept")
        self.clean("mixture", points, "-k", 2, "--out", "mixture")
        self.clean("mixture", points, "-k", 2, *PRIVATE, "--max-norm", 1)
        self.clean("apply", "mixture", points, "--out", "applied")

    def test_documents(self):
        corpus = self.make("corpus", "-n", 200, "-V", 30, "-k", 2, "-l", 20) / "docword.txt"
        self.clean("topics", corpus, "-k", 2, "--out", "topics")
        self.clean("topics", corpus, "-k", 2, "--format", "uci", "--epsilon", 20, "--delta", "1e-4",
                   "--out", "private")
        self.clean("apply", "private", corpus, "--out", "applied")

    def test_ratings(self):
        folder = self.make("ratings", "-n", 300, "--users", 40, "--items", 20, "--months", 3)
        ratings = next(p for p in sorted(folder.iterdir()) if re.match(r"ratings.*\.(csv|tsv)$", p.name))
        self.clean("complete", ratings, "--method", "als", "--rank", 2, "--out", "als")
        self.clean("complete", ratings, "--range", "1:5", *PRIVATE, "--out", "private")
        items = {line.split(",")[1] for line in ratings.read_text().splitlines()[1:]}
        (self.folder / "items.txt").write_text("\n".join(sorted(items)) + "\n")
        self.clean("complete", ratings, "--columns", "user,item,value,-", "--range", "1:5", *PRIVATE,
                   "--unit", "user", "--items", "items.txt")

    def test_accounts(self):
        self.clean("account", "gaussian", "--noise-multiplier", 2, "--delta", "1e-5")
        self.clean("ledger", "init", "ledger.db", "--data", "visits", "--epsilon", 3, "--delta",
                   "1e-5", "--unit", "one patient")
        self.clean("ledger", "show", "ledger.db")
        self.clean("keys", "new", "key")

    def test_refusals(self):
        (self.folder / "bad.npy").write_bytes(b"\x93NUMPY\x01\x00")
        (self.folder / "bad.csv").write_text("1,2\n3\n")
        for arguments in (("decompose", "bad.npy", "-k", 1), ("stream", "bad.csv", "-k", 1),
                          ("complete", "bad.csv"), ("topics", "nowhere", "-k", 1),
                          ("apply", "nowhere", "bad.csv")):
            self.clean(*arguments, codes=(2,), says="sotto: ")

    def test_a_planted_error_is_found(self):
        (self.folder / "valgrind.log").write_text("")
        source = self.write("planted.c", "#include <stdlib.h>\nint main(void) {\n"
                            "int *x = malloc(4); if (*x == 7) return 1; return 0; }\n")
        sotto_cli.subprocess.run(["cc", "-O0", source, "-o", self.folder / "planted"], check=True)
        done = sotto_cli.subprocess.run([*VALGRIND, self.folder / "planted"], cwd=self.folder,
                                        capture_output=True)
        self.assertEqual(done.returncode, FOUND)


if __name__ == "__main__":
    sotto_cli.main()
