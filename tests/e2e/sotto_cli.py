"""Shared by the end-to-end tests: running the program, and .npy files without numpy."""
import array
import json
import os
import pathlib
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

# On standard error with exit code 3.
NOT_CONVERGED = ("sotto: ended without converging (exit code 3); the result is given "
                 "anyway\n")

# Standard output of a run that ends early: at most the warning that it protects nothing.
NOTHING = r"\A(not private: the \w+ (is|are) treated as public\n)?\Z"

# Results name the day: no test depends on midnight.
os.environ["SOURCE_DATE_EPOCH"] = "1767225600"  # 2026-01-01

PROGRAM = str(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/release/sotto").resolve())
SANITIZED = any(name in pathlib.Path(PROGRAM).read_bytes()
                for name in (b"__asan_init", b"__tsan_init"))


def limit_memory(size):
    """In a child that is about to run the program: it gets no more. A sanitizer maps terabytes."""
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (size, size))


def limit_processor(seconds):
    resource.setrlimit(resource.RLIMIT_CPU, 2 * (seconds * (10 if SANITIZED else 1),))


def npy_bytes(values, shape, dtype="<f8", fortran=False, version=1):
    header = f"{{'descr': '{dtype}', 'fortran_order': {fortran}, 'shape': {tuple(shape)!r}, }}"
    prefix = 10 if version == 1 else 12
    header += " " * (-(prefix + len(header) + 1) % 64) + "\n"
    length = struct.pack("<H" if version == 1 else "<I", len(header))
    data = array.array("d" if dtype[1:] == "f8" else "f", values)
    if dtype[0] == ">":
        data.byteswap()
    return b"\x93NUMPY" + bytes([version, 0]) + length + header.encode() + data.tobytes()


def read_npy(path):
    """(shape, values) of a little-endian f8 array in C order."""
    data = pathlib.Path(path).read_bytes()
    length = struct.unpack("<H", data[8:10])[0]
    header = eval(data[10:10 + length])  # written by the program under test
    assert header["descr"] == "<f8" and not header["fortran_order"], header
    return header["shape"], array.array("d", data[10 + length:])


# In memory: the program waits for the disk before it commits a folder, a thousand times in the tests.
MEMORY = pathlib.Path("/dev/shm")
if "TMPDIR" not in os.environ and MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > 2**30:
    tempfile.tempdir = str(MEMORY)

MADE = tempfile.TemporaryDirectory()  # what `generate` has made, until the last test has ended


class ProgramTest(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self._folder.name)

    def tearDown(self):
        self._folder.cleanup()

    def write(self, name, data):
        path = self.folder / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path

    def sotto(self, *arguments, stdin=None, before=None):
        return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True,
                              cwd=self.folder, input=stdin, timeout=300, preexec_fn=before)

    def succeed(self, *arguments, code=0):
        done = self.sotto(*arguments)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stderr, NOT_CONVERGED if code == 3 else "")
        return done.stdout

    def generate(self, *arguments, out):
        """`sotto generate` into a folder; what several tests ask for is made once and copied."""
        words = [*map(str, arguments)]
        made = pathlib.Path(MADE.name, " ".join(words))
        if not made.exists():
            self.succeed("generate", *words, "--out", made)
        return pathlib.Path(shutil.copytree(made, self.folder / out))

    def result(self, *arguments, code=0):
        return json.loads(self.succeed(*arguments, "--json", code=code))

    def refuse(self, *arguments, says=(), code=2):
        """Expects one line on standard error with all of `says`, and no file left behind."""
        before = sorted(self.folder.rglob("*"))
        done = self.sotto(*arguments)
        self.assertEqual(done.returncode, code, (arguments, done.stdout, done.stderr))
        self.assertRegex(done.stdout, NOTHING)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertTrue(done.stderr.startswith("sotto: "), done.stderr)
        for text in [says] if isinstance(says, str) else says:
            self.assertIn(text, done.stderr)
        self.assertEqual(sorted(self.folder.rglob("*")), before)


def main():
    unittest.main(argv=sys.argv[:1])
