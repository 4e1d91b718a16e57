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
    def said(self, *wrong_ways):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder, "ways.cc")
            source.write_text("\n".join(["struct S {};", "#ifdef SHOULD_NOT_COMPILE", "void ways() {",
                                         *wrong_ways, "}", "#endif", ""]))
            return "\n".join(complaints(str(source), [COMPILER, "-std=c++20", "-fsyntax-only"]))

    def test_a_way_that_fails_as_it_should(self):
        self.assertEqual(self.said("int x = S(); // error: cannot convert"), "")

    def test_a_way_that_compiles(self):
        self.assertIn(":4 compiles", self.said("int x = 1; // error: cannot convert"))

    def test_a_way_that_fails_for_another_reason(self):
        self.assertIn(":4 fails with", self.said("int x = T(); // error: cannot convert"))

    def test_another_error(self):
        self.assertIn(":5 fails, too",
                      self.said("int x = S(); // error: cannot convert", "int y = S();"))

    def test_no_way_at_all(self):
        self.assertIn("expects no error", self.said("int x = 1;"))


if __name__ == "__main__":
    unittest.main()
