#!/usr/bin/env python3
"""Installs the wheel into a fresh environment without a compiler and uses it: the private model of
the README's six lines, the command, and each module that this processor can run.

usage: test_wheel.py FOLDER_OF_WHEEL
"""
import ast
import json
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import venv
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
(WHEEL,) = pathlib.Path(sys.argv[1]).resolve().glob("sotto-*.whl")
LIMIT = 60  # seconds from `pip install` to the first model
CLOSE = 1e-9
README = (HERE.parents[1] / "README.md").read_text(encoding="utf-8")
FIRST_MODEL = re.search(r"^```python\n(.*?)^```$", README, re.M | re.S)[1]
THEMES = [set(theme.split()) for theme in (
    "ship harbour sail wind anchor captain", "flour oven bread yeast butter sugar",
    "goal match referee stadium team score", "theorem proof lemma algebra prime field",
    "court judge verdict appeal jury witness", "violin cello oboe trumpet flute drum",
    "glacier volcano canyon delta valley ridge", "enzyme protein cell membrane gene nucleus")]


def write_titles(path):
    """What the six lines read: titles about one theme each."""
    random.seed(0)
    themes = [sorted(theme) for theme in THEMES]
    path.write_text("".join(" ".join(random.choices(themes[n % len(themes)], k=12)) + "\n"
                            for n in range(40_000)))


def run(*command, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.work = pathlib.Path(folder.name)
        venv.create(cls.work / "venv", with_pip=True)
        cls.bin = cls.work / "venv" / "bin"
        # The programs of the environment alone, and nothing that points to a checkout.
        cls.environment = {name: value for name, value in os.environ.items()
                           if not name.startswith(("PYTHON", "SOTTO", "LD_"))}
        cls.environment["PATH"] = str(cls.bin)
        for compiler in "cc", "c++", "g++", "clang++", "cmake":
            assert not shutil.which(compiler, path=str(cls.bin))
        write_titles(cls.work / "titles.txt")
        begin, used = time.monotonic(), processor_seconds()
        run(cls.bin / "pip", "install", "--no-cache-dir", "--only-binary", ":all:", WHEEL,
            env=cls.environment, cwd=cls.work)
        cls.installed = time.monotonic() - begin
        cls.said = run(cls.bin / "python", "-c", FIRST_MODEL, cwd=cls.work, env=cls.environment)
        cls.seconds = time.monotonic() - begin
        # The processor's share tells a slow package from a busy machine or a slow network.
        print(f"{WHEEL.name}: {WHEEL.stat().st_size / 1e6:.1f} MB; from pip install to the first "
              f"model {cls.seconds:.1f} s, of which {cls.installed:.1f} s to install "
              f"({processor_seconds() - used:.1f} s of processor)")

    @classmethod
    def results(cls, **environment):
        return json.loads(run(cls.bin / "python", HERE / "wheel_results.py", cwd=cls.work,
                              env={**cls.environment, **environment}))

    def test_the_first_model_is_private_and_soon_there(self):
        self.assertEqual(len(FIRST_MODEL.splitlines()), 6)
        words, certificate = self.said.split("\n", 1)
        found = set(ast.literal_eval(words))
        self.assertTrue(len(found) == 5 and any(found < theme for theme in THEMES), words)
        self.assertIn("differentially private with epsilon 1 ", certificate)
        self.assertLess(self.seconds, LIMIT)

    def test_the_command(self):
        version = re.search(r"-([0-9.]+)-", WHEEL.name)[1]
        command = self.bin / "sotto"
        options = {"cwd": self.work, "env": self.environment}
        self.assertIn(f"sotto {version}", run(command, "--version", **options))
        run(command, "generate", "points", "--model", "mixture", "-d", 10, "-k", 2, "-n", 100000,
            "--out", "made", **options)
        # With 5,000 points some runs do not trust their means (exit code 3); these are many more.
        run(command, "mixture", "made/points.npy", "-k", 2, "--epsilon", 1, "--delta", "1e-6",
            "--max-norm", 5, "--out", "found", **options)
        found = json.loads((self.work / "found" / "result.json").read_text())
        self.assertEqual(found["privacy"]["guarantee"], "proved")
        self.assertLessEqual(found["privacy"]["epsilon"], 1)
        refused = subprocess.run([command, "mixture", "missing.npy", "-k", "2"],
                                 capture_output=True, text=True, **options)
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("missing.npy", refused.stderr)

    def test_every_level_gives_the_same(self):
        best = self.results()
        top = int(best["module"].removeprefix("sotto._core_v"))
        print(f"this processor has level {top}")
        for level in range(2, top):
            found = self.results(SOTTO_LEVEL=str(level))
            self.assertEqual(found.pop("module"), f"sotto._core_v{level}")
            for name, numbers in found.items():
                self.assertEqual(len(numbers), len(best[name]))
                apart = max(abs(a - b) for a, b in zip(numbers, best[name]))
                print(f"  level {level}, {name}: {len(numbers)} numbers, at most {apart:.1e} apart")
                self.assertLess(apart, CLOSE)

    def test_the_wheel_has_the_package_and_nothing_else(self):
        names = zipfile.ZipFile(WHEEL).namelist()
        folders = {name.split("/")[0] for name in names}
        self.assertEqual({re.sub(r"-.*\.", ".", folder) for folder in folders},
                         {"sotto", "sotto.libs", "sotto.dist-info"})
        self.assertLessEqual({"sotto/py.typed", "sotto/_core.pyi"}, set(names))
        self.assertEqual(sorted(re.findall(r"sotto/(_core\w*)\..*so$", "\n".join(names), re.M)),
                         ["_core_v2", "_core_v3", "_core_v4"])
        libraries = {re.sub(r"(-[0-9a-f]{8})?\.so.*", "", name.split("/")[1])
                     for name in names if name.startswith("sotto.libs/")}
        self.assertLessEqual({"libsodium", "libsqlite3", "libgomp"}, libraries)
        terms = set(re.findall(r"dist-info/licenses/(.+)/", "\n".join(names)))
        for library in libraries:
            self.assertTrue(any(name.startswith(library) for name in terms), (library, terms))
        compiled_in = {"libcli11-dev", "libeigen3-dev", "libfast-float-dev", "libjs-chart.js",
                       "nanobind", "nlohmann-json3-dev", "robin_map"}
        self.assertLessEqual(compiled_in, terms)
        self.assertRegex(WHEEL.name, r"-manylinux_2_\d+_x86_64")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
