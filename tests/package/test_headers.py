"""The public headers: each includes public headers only, shows what it declares to users of the shared
libraries, and (with SOTTO_SLOW=1) compiles alone; examples include nothing else.

usage: test_headers.py BUILD_FOLDER COMPILER [FLAGS..]    FLAGS: include paths of other libraries
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD, COMPILER, FLAGS = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
sys.path.insert(0, str(ROOT / "scripts"))
import public_headers  # noqa: E402

PUBLIC = public_headers.public_headers()
GENERATED = "sotto/base/version.h"
# Headers that declare nothing.
WITHOUT_NAMESPACE = {GENERATED, "sotto/base/export.h", "sotto/sotto.h"}
NAMES_INNER_CLASSES = "sotto/base/sensitive.h"  # friends that the library keeps inside
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)


def text_of(header):
    """A header as it is installed, but for its includes of others."""
    folder = BUILD / "generated" if header == GENERATED else ROOT
    return public_headers.OWN_TARGETS.sub("", (folder / header).read_text())


def compile_alone(header):
    command = [COMPILER, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", *FLAGS,
               "-I", str(ROOT), "-I", str(BUILD / "generated"), "-include", header, "-x", "c++",
               os.devnull]
    return header, subprocess.run(command, capture_output=True, text=True)


class PublicHeaders(unittest.TestCase):
    def test_each_includes_public_headers_only(self):
        for header in PUBLIC:
            for target in INCLUDE.findall(text_of(header)):
                self.assertIn(target, PUBLIC, f"included by {header}")

    def test_each_shows_what_it_declares(self):
        for header in PUBLIC:
            opened = re.findall(r"^namespace (.*sotto) \{", text_of(header), re.M)
            inner = ["sotto"] if header == NAMES_INNER_CLASSES else []
            self.assertEqual(opened, [] if header in WITHOUT_NAMESPACE
                             else inner + ["SOTTO_API sotto"], header)

    def test_no_other_header_shows_anything(self):
        for path in (ROOT / "sotto").rglob("*.h"):
            if path.relative_to(ROOT).as_posix() not in PUBLIC:
                self.assertNotIn("SOTTO_API", path.read_text(), path)

    def test_each_comes_after_those_of_its_folder_that_it_includes(self):
        for place, header in enumerate(PUBLIC):
            for target in INCLUDE.findall(text_of(header)):
                if public_headers.installed_name(target) == public_headers.installed_name(header):
                    self.assertIn(target, PUBLIC[:place], f"included by {header}")

    def test_examples_include_installed_headers_only(self):
        for path in (ROOT / "examples").glob("*.cc"):
            for target in INCLUDE.findall(path.read_text()):
                self.assertIn(target, public_headers.by_installed_name(), path)

    @unittest.skipUnless(os.environ.get("SOTTO_SLOW"), "a minute: for the slow lane")
    def test_each_compiles_alone(self):
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for header, done in pool.map(compile_alone, PUBLIC):
                self.assertEqual(done.returncode, 0, f"{header}\n{done.stderr}")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
