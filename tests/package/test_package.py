"""Installs the library and builds a program of another project against it, by CMake and pkg-config.

usage: test_package.py BUILD_FOLDER COMPILER
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BUILD, COMPILER = pathlib.Path(sys.argv[1]), sys.argv[2]
HERE = pathlib.Path(__file__).resolve().parent


def run(*command, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command}\n{done.stdout}\n{done.stderr}")
    return done.stdout


class InstalledPackage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.prefix = pathlib.Path(cls.folder.name, "prefix")
        run("cmake", "--install", BUILD, "--prefix", cls.prefix)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_find_package(self):
        build = pathlib.Path(self.folder.name, "consumer")
        run("cmake", "-S", HERE, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={self.prefix}",
            f"-DCMAKE_CXX_COMPILER={COMPILER}")
        run("cmake", "--build", build)
        self.assertEqual(run(build / "consumer"), "2.500000 1.000000\n")

    def test_pkg_config(self):
        pc = next(self.prefix.rglob("sotto.pc"))
        environment = dict(os.environ, PKG_CONFIG_PATH=str(pc.parent))
        flags = run("pkg-config", "--cflags", "--libs", "sotto", env=environment).split()
        program = pathlib.Path(self.folder.name, "program")
        run(COMPILER, "-std=c++20", "-O1", HERE / "main.cc", "-o", program, *flags)
        self.assertEqual(run(program), "2.500000 1.000000\n")

    def test_program_runs(self):
        self.assertIn("sotto 0.2", run(self.prefix / "bin" / "sotto", "--version"))

    def test_no_test_support_is_installed(self):
        self.assertEqual(list(self.prefix.rglob("*testing*")), [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
