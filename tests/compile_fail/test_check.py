"""check.py notices a line that compiles, one that fails for another reason, and any other error.

    test_check.py COMPILER
"""
import pathlib
import sys
import tempfile
import unittest

from check import complaints

COMPILER = sys.argv.pop() if len(sys.argv) > 1 else "c++"


class Check(unittest.TestCase):
    def said(self, *wrong_ways, before=""):
        with tempfile.TemporaryDirectory() as folder:
            source, other = pathlib.Path(folder, "ways.cc"), pathlib.Path(folder, "other.cc")
            source.write_text("\n".join(["struct S {};", before, "void ways() {", *wrong_ways, "}",
                                         ""]))
            pathlib.Path(folder, "header.h").write_text(
                "template <class T> void f(T t) { t.missing(); }\n")
            other.write_text("\n\n\nint another(S s) { return s; }  // error: cannot convert\n")
            return "\n".join(complaints([str(source), str(other)], [COMPILER, "-std=c++20"]))

    def test_a_way_that_fails_as_it_should(self):
        self.assertEqual(self.said("int x = S(); // error: cannot convert"), "")

    def test_a_way_that_compiles(self):
        self.assertIn("ways.cc:4 compiles", self.said("int x = 1; // error: cannot convert"))

    def test_a_way_that_fails_for_another_reason(self):
        self.assertIn(":4 fails with", self.said("int x = T(); // error: cannot convert"))

    def test_another_error(self):
        self.assertIn(":5 fails, too",
                      self.said("int x = S(); // error: cannot convert", "int y = S();"))

    def test_a_way_that_fails_in_a_header(self):
        header = '#include "header.h"'
        self.assertEqual(self.said("f(S()); // error: has no member", before=header), "")
        self.assertIn(":4 fails, too", self.said("f(S());", "S() + 1; // error: no match for",
                                                 before=header))

    def test_an_error_before_the_ways(self):
        self.assertIn(":2 fails, too", self.said("int x = S(); // error: cannot convert",
                                                 before='#include "nowhere.h"'))

    def test_no_way_at_all(self):
        self.assertIn("expects no error", self.said("int x = 1;"))


if __name__ == "__main__":
    unittest.main()
