"""The program and the shared libraries are built so that a bug is hard to use.

usage: test_hardened.py COMPILER PROGRAM LIBRARY..

Position-independent, with read-only tables of addresses, a stack that cannot be executed, canaries
on the stack, and calls of the C library that know how large their buffers are (_FORTIFY_SOURCE). A
program that is compiled without all of these must fail each check.
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

COMPILER, PROGRAM, *LIBRARIES = sys.argv[1:]

WEAK = ["-std=c++20", "-O0", "-U_FORTIFY_SOURCE", "-fno-stack-protector", "-fno-pie", "-no-pie",
        "-Wl,-z,norelro", "-Wl,-z,lazy", "-Wl,-z,execstack"]


def readelf(path, *what):
    return subprocess.run(["readelf", "--wide", *what, path], check=True, capture_output=True,
                          text=True).stdout


def missing(path, is_program):
    """What the file lacks, as a set of words."""
    header, segments = readelf(path, "--file-header"), readelf(path, "--program-headers")
    dynamic, symbols = readelf(path, "--dynamic"), readelf(path, "--dyn-syms")
    stack = re.search(r"GNU_STACK.* (R\w*) +0x", segments)
    imported = re.findall(r" UND (\w+)", symbols)
    checked = [name for name in imported if re.fullmatch(r"__\w+_chk", name)]
    found = {
        "position-independent": re.search(r"Type: +DYN", header)
        and (not is_program or re.search(r"FLAGS_1.* PIE", dynamic)),
        "relocations read-only": "GNU_RELRO" in segments,
        "relocations at once": re.search(r"BIND_NOW|FLAGS_1.* NOW", dynamic),
        "no relocations in code": "TEXTREL" not in dynamic,
        "stack not executable": stack and "E" not in stack[1],
        "canaries": "__stack_chk_fail" in imported,
        "fortified calls": checked,
    }
    return {what for what, is_there in found.items() if not is_there}


class Hardened(unittest.TestCase):
    def test_the_program(self):
        self.assertEqual(missing(PROGRAM, True), set())

    def test_the_shared_libraries(self):
        for library in LIBRARIES:
            lacks = missing(library, False)
            if "report" in pathlib.Path(library).name:
                lacks.discard("fortified calls")  # it makes none that could be
            self.assertEqual(lacks, set(), library)

    def test_a_program_without_all_this_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            source, program = pathlib.Path(folder, "weak.cc"), pathlib.Path(folder, "weak")
            source.write_text("#include <cstdio>\n#include <cstring>\n"
                              "int main(int n, char** words) {\n"
                              "  char text[64];\n"
                              "  std::strcpy(text, words[n - 1]);\n"
                              "  return std::puts(text);\n}\n")
            subprocess.run([COMPILER, *WEAK, source, "-o", program], check=True)
            self.assertEqual(missing(program, True), {
                "position-independent", "relocations read-only", "relocations at once",
                "stack not executable", "canaries", "fortified calls"})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
