"""Files, folders and options that nobody sane would give: each command takes them or refuses them.

Whatever comes, a run ends by itself with one of its exit codes, a refusal is one line of our own
words, nothing is left beside the output folder, and 4 GB and some seconds of processor time suffice.
The fast lane gives each file to each command; SOTTO_SLOW=1 also gives it to private runs, to
`apply`, `verify` and `ledger` and to every option that names a file, and tries values of all
options.
"""
import gzip
import os
import resource
import signal
import subprocess
import unittest

from sotto_cli import PROGRAM, ProgramTest, limit_memory, limit_processor, main, npy_bytes

SLOW = "SOTTO_SLOW" in os.environ
COMMANDS = {"decompose": ["-k", 2], "stream": ["-k", 2], "topics": ["-k", 2],
            "mixture": ["-k", 2], "complete": ["-r", 2]}
PRIVATE = {"stream": ["--max-norm", 1], "mixture": ["--max-norm", 1], "complete": ["--range", "1:5"]}
# Words of libraries, which no message of ours has.
FOREIGN = ("std::", "basic_", "terminate", "json.exception", "what()", "filesystem error",
           "vector::", "stoi", "libgomp")
SECONDS = 20  # of processor time; whole gzip files are read in less


def npy_header(text):
    return b"\x93NUMPY\x01\x00\x76\x00" + text.encode().ljust(117) + b"\n"


def npy_claim(shape, dtype="<f8"):
    return npy_header(f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}")


FILES = {
    "empty": b"", "newline": b"\n", "newlines": b"\n" * 10**6, "zeros": bytes(10**5),
    "high-bytes": b"\xff" * 10**5, "comment": b"#x", "mark": b"\xef\xbb\xbf", "one": b"1",
    "long-line": b"1" * 10**6, "commas": b"," * 10**6, "spaces": b" " * 10**6,
    "quotes": b'"' * 999999, "colons": b":" * 10**6, "nan.csv": b"nan,nan\n" * 50,
    "inf.csv": b"inf,1\n" * 50, "huge.csv": b"1e308,1\n" * 50, "negative.csv": b"-1,-2\n" * 50,
    "short.npy": b"\x93NUMPY\x01\x00", "long-header.npy": b"\x93NUMPY\x02\x00\xff\xff\xff\xff{'descr",
    "negative.npy": npy_claim("(-1, 3)"), "overflow.npy": npy_claim("(4294967296, 4294967296)"),
    "object.npy": npy_claim("(2, 3)", "|O"), "none.npy": npy_claim("(0, 3)"),
    "nothing.npy": npy_claim("(0, 0, 0)"), "scalar.npy": npy_claim("()") + bytes(8),
    "bomb.gz": gzip.compress(bytes(5 * 10**7)), "line.gz": gzip.compress(b"1" * 5 * 10**7),
    "cut.gz": gzip.compress(b"1 2 3\n" * 10**4)[:-20],
    "twice.gz": gzip.compress(gzip.compress(b"1,2\n" * 10**4)),
    "tail.gz": gzip.compress(b"1,2\n" * 100) + b"junk",
    "claims.uci": b"9223372036854775807\n5\n1\n1 1 1\n",
    "claims.mtx": b"%%MatrixMarket matrix coordinate real general\n99999999 99999999 1\n1 1 1\n",
    "large.tns": b"1 100000000 1 5\n", "twice.tns": b"1 1 1 5\n1 1 1 6\n", "zero.tns": b"0 0 0 1\n",
    "negative.tns": b"-1 1 1 1\n", "large.ldac": b"1 2147483647:1\n",
    "large.svm": b"1 2147483647:1\n" * 3, "disorder.svm": b"1 5:1 3:1\n",
    "returns.csv": b"1,2\r3,4\r", "wide-letters.csv": "user,item,rating\na,b,3\n".encode("utf-16"),
    "bytes.txt": b"a\xff\xfe b\xc3 c\n" * 100,
    "control.csv": b"user,item,rating\n\x1b[31mred\x07,b,3\nc,d,4\n",
}
PLACES = ["/dev/null", "/dev/full", "/dev/tty", "/proc/self/mem", "/", "nosuch", "x" * 5000, "loop"]
GOOD = {
    "topics": "a b c\nb c d\nd a b\n" * 30, "complete": "user,item,rating\na,x,1\nb,y,2\nb,x,3\n",
    "mixture": "".join(f"{i % 7},{i % 3}\n" for i in range(60)),
    "stream": "".join(f"{i % 7},{i % 3}\n" for i in range(60)),
    "decompose": npy_bytes([1 + n * 7 % 11 for n in range(27)], (3, 3, 3)),
}
VALUES = ["", "-1", "0", "1e999", "nan", "-inf", "9223372036854775808", "1e-400", "0x10", "1,2", "\n",
          "\u00e9", "-k", "--", "%s", "1:", ":5", "5:1", "1:nan", "a" * 10**5, "1.5", "+3", " 3"]


class Hostile(ProgramTest):
    def setUp(self):
        super().setUp()
        (self.folder / "loop").symlink_to("loop")

    def survives(self, *arguments):
        """The exit code of a run that behaves."""
        def limit():
            limit_memory(4 << 30)
            limit_processor(SECONDS)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        done = subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, timeout=300,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, preexec_fn=limit)
        said = done.stderr.decode(errors="replace")
        shown = [str(argument)[:80] for argument in arguments]
        self.assertIn(done.returncode, (0, 1, 2, 3), (shown, said))
        if done.returncode in (1, 2):
            self.assertEqual(said.count("\n"), 1, (shown, said))
        self.assertFalse([word for word in FOREIGN if word in said], (shown, said))
        self.assertEqual([*self.folder.rglob(".*.sotto*")], [], shown)
        return done.returncode

    def inputs(self):
        for name, data in FILES.items():
            path = self.write(name, data)
            yield path
            path.unlink()
        yield from PLACES
        (self.folder / "folder").mkdir()
        yield "folder"

    def test_files(self):
        for path in self.inputs():
            for command, options in COMMANDS.items():
                self.survives(command, path, *options)
                if SLOW:
                    self.survives(command, path, *options, *PRIVATE.get(command, []),
                                  "--epsilon", 1, "--delta", "1e-6")
            if SLOW:
                self.survives("verify", path)
                self.survives("apply", path, path)
                self.survives("ledger", "show", path)

    def test_a_file_of_zeros_without_end(self):
        with open(self.folder / "sparse.npy", "wb") as file:
            file.write(npy_claim("(2000, 2000, 2000)"))
            file.truncate(128 + 64 * 10**9)
        with open(self.folder / "sparse.csv", "wb") as file:
            file.write(b"1,2\n")
            file.truncate(10**10)
        for name in "sparse.npy", "sparse.csv":
            for command, options in COMMANDS.items():
                # Its records may be summed for as long as there are any.
                done = subprocess.Popen([PROGRAM, command, name, *map(str, options)],
                                        cwd=self.folder, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE,
                                        preexec_fn=lambda: limit_memory(4 << 30))
                try:
                    said = done.communicate(timeout=1)[1].decode()
                    self.assertIn(done.returncode, (0, 1, 2, 3), (command, name, said))
                except subprocess.TimeoutExpired:
                    done.send_signal(signal.SIGTERM)
                    done.communicate(timeout=60)
                    self.assertEqual(done.returncode, -signal.SIGTERM, (command, name))

    @unittest.skipUnless(SLOW, "slow")
    def test_companions(self):
        for command, option in (("topics", "--vocab"), ("topics", "--stop-words"),
                                ("complete", "--test"), ("mixture", "--truth"),
                                ("mixture", "--infer"), ("decompose", "--mask"),
                                ("decompose", "--labels"), ("decompose", "--whiten-with")):
            good = self.write("good.npy" if command == "decompose" else "good.csv", GOOD[command])
            if command == "topics":
                good = good.rename(self.folder / "good.txt")
            for path in self.inputs():
                method = ["--method", "cp"] if option == "--mask" else []
                self.survives(command, good, *COMMANDS[command], *method, option, path)
            (self.folder / "folder").rmdir()

    def test_output_folders(self):
        closed = self.folder / "closed"
        closed.mkdir()
        closed.chmod(0o555)
        file = self.write("file", "1")
        outs = ["/dev/full", "/proc/x", "/", "/nonexist/deep/x", "loop", ".", "..", file, "", " ",
                "\n", "y" * 300, "a\nb", "-dash", "-", "/sys/x", file / "x"]
        good = self.write("good.csv", GOOD["mixture"])
        for out in outs:
            self.survives("mixture", good, "-k", 2, "--out", out)
            if SLOW:
                self.survives("generate", "points", "-n", 10, "-d", 3, "-k", 2, "--out", out)
                self.survives("stream", good, "-k", 1, "--batch", 2, "--out", out)
        self.assertEqual(file.read_text(), "1")
        # Root may write everywhere.
        self.assertEqual(self.survives("mixture", good, "-k", 2, "--out", closed / "x"),
                         0 if os.getuid() == 0 else 1)

    @unittest.skipUnless(SLOW, "slow")
    def test_values_of_options(self):
        options = {
            "mixture": "-k --refine --starts --epsilon --delta --max-norm --norm-range --covariance "
                       "--seed --threads --format --dim --drop-columns --header --index-base "
                       "--ledger --sign --infer --truth",
            "stream": "-k -p --batch --passes --records --weight --checkpoint",
            "topics": "-k --alpha0 --smoothing --min-df --min-length --text-column --vocab --refine",
            "complete": "-r --lambda --range --columns --validation --epochs --step --users "
                        "--per-user --user-column --test --cross-validate --time-limit",
            "decompose": "-k --ranks --tolerance --symmetry-tolerance --entry-change --max-entry "
                         "--people --core --labels -d --components-up-to -p",
        }
        for command, names in options.items():
            suffix = {"topics": "txt", "decompose": "npy"}.get(command, "csv")
            good = self.write(f"good.{suffix}", GOOD[command])
            for name in names.split():
                for value in VALUES:
                    others = [] if name in COMMANDS[command] else COMMANDS[command]
                    self.survives(command, good, *others, name, value)


if __name__ == "__main__":
    main()
