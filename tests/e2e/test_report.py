"""report.html beside every result.json; tests/browser looks at it with a browser."""
import html
import json
import re
import shlex

from sotto_cli import ProgramTest, main

PRIVATE = ["--epsilon", 5, "--delta", "1e-6"]


def page_numbers(page):
    return {float(text) for text in re.findall(r'<data value="([^"]*)"', page)}


class Report(ProgramTest):
    def run_into(self, out, *arguments):
        done = self.sotto(*arguments, "--out", out)
        # Noise may keep a run from converging; its result is still written.
        self.assertIn(done.returncode, (0, 3), done.stderr)
        folder = self.folder / out
        result = json.loads((folder / "result.json").read_text())
        page = (folder / "report.html").read_text()
        self.assertTrue(page.startswith("<!DOCTYPE html>") and page.endswith("</html>\n"))
        self.assertLess(len(page), 2_000_000)
        for weight in result.get("weights", []):
            self.assertIn(weight, page_numbers(page))
        if result["privacy"]:
            for key in "epsilon", "delta":
                self.assertIn(result["privacy"][key], page_numbers(page))
            self.assertIn("Differentially private", page)
        else:
            self.assertNotIn("Differentially private", page)
        return result, page

    def test_every_command_that_writes_a_folder_writes_a_page(self):
        self.run_into("tensor", "generate", "tensor", "--dim", 8, "--components", 2)
        self.run_into("points", "generate", "points", "--dim", 5, "--components", 2, "--records",
                      20000, "--max-norm", 1)
        self.run_into("clouds", "generate", "points", "--model", "mixture", "--dim", 5,
                      "--components", 2, "--records", 20000)
        self.run_into("corpus", "generate", "corpus", "-n", 2000, "-V", 30, "-k", 2, "-l", 30)
        self.run_into("ratings", "generate", "ratings", "--users", 100, "--items", 60, "--ratings",
                      2000)
        for out, *arguments in (
                ("a", "decompose", "tensor/tensor.npy", "-k", 2),
                ("b", "decompose", "tensor/tensor.npy", "-k", 2, "--method", "alternating"),
                ("c", "stream", "points/points.npy", "-k", 2),
                ("d", "mixture", "clouds/points.npy", "-k", 2),
                ("e", "topics", "corpus/docword.txt", "-k", 2),
                ("f", "complete", "ratings/ratings.csv", "--rank", 2),
                ("g", "complete", "ratings/ratings.csv", "--rank", 2, "--check"),
                ("h", "decompose", "tensor/tensor.npy", "-k", 2, "--mechanism", "input", "--anyway",
                 *PRIVATE),
                ("m", "decompose", "tensor/tensor.npy", "-k", 2, "--method", "cp", "--anyway",
                 *PRIVATE),
                ("i", "stream", "points/points.npy", "-k", 2, "--max-norm", 1, *PRIVATE),
                ("j", "mixture", "clouds/points.npy", "-k", 2, "--max-norm", 4, *PRIVATE),
                ("k", "topics", "corpus/docword.txt", "-k", 2, *PRIVATE),
                ("l", "complete", "ratings/ratings.csv", "--rank", 2, "--range", "0:6", *PRIVATE)):
            with self.subTest(arguments):
                self.run_into(out, *arguments)

    def test_the_command_line_on_the_page_runs_it_again(self):
        self.succeed("generate", "tensor", "--dim", 8, "--components", 2, "--out", "a 'b'\u00e9")
        first, page = self.run_into("$(out)", "decompose", "a 'b'\u00e9/tensor.npy", "-k", 2)
        line = html.unescape(re.search(r"<pre>(.*)</pre>", page).group(1))
        words = shlex.split(line)
        self.assertEqual(words[0], "sotto")
        self.assertEqual(words[2:], first["arguments"])
        self.succeed(*words[1:])
        again = json.loads((self.folder / "$(out)" / "result.json").read_text())
        self.assertEqual(again["weights"], first["weights"])

    def test_names_that_are_not_utf8_are_no_reason_to_fail(self):
        out = b"x\xff".decode(errors="surrogateescape")
        # The printed name is not UTF-8 either; with --json it is replaced.
        self.succeed("generate", "tensor", "--dim", 6, "--components", 1, "--out", out, "--json")
        (page,) = self.folder.rglob("report.html")
        self.assertIn("\ufffd", page.read_text(errors="replace"))


if __name__ == "__main__":
    main()
