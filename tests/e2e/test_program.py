"""The program itself: help, version, manual, unknown commands."""
import pathlib
import re

from sotto_cli import ProgramTest, main

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Program(ProgramTest):
    def test_version_and_help(self):
        self.assertRegex(self.succeed("--version"), r"^sotto \d+\.\d+\.\d+\n$")
        overview = self.succeed("--help")
        for command in "decompose", "generate tensor", "account compare":
            self.assertIn(command, overview)
        self.assertIn("--starts", self.succeed("decompose", "--help"))

    def test_help_is_found_wherever_one_looks_for_it(self):
        topics = self.succeed("topics", "--help")
        for words in ["help", "topics"], ["--help", "topics"], ["-h", "topics"]:
            self.assertEqual(self.succeed(*words), topics)
        self.assertEqual(self.succeed("help"), self.succeed("--help"))
        tensor = self.succeed("generate", "tensor", "--help")
        self.assertEqual(self.succeed("help", "generate", "tensor"), tensor)
        for words in ["account", "--help"], ["account", "help"], ["help", "account"]:
            listed = self.succeed(*words)
            self.assertIn("account calibrate", listed)
            self.assertNotIn("generate", listed)

    def test_a_run_that_protects_nothing_says_so_first(self):
        self.succeed("generate", "tensor", "-d", 10, "-k", 2, "--out", "tensor")
        self.succeed("generate", "points", "-d", 5, "-k", 2, "-n", 4000, "--out", "points")
        self.succeed("generate", "points", "--model", "mixture", "-d", 4, "-k", 2, "-n", 2000,
                     "--out", "mixture")
        self.succeed("generate", "corpus", "-n", 500, "-V", 30, "-k", 2, "--out", "corpus")
        self.succeed("generate", "ratings", "--users", 100, "--items", 60, "-n", 2500, "--out", "ratings")
        for command in (["decompose", "tensor/tensor.npy", "-k", 2],
                        ["stream", "points/points.npy", "-k", 2],
                        ["topics", "corpus/docword.txt", "-k", 2],
                        ["mixture", "mixture/points.npy", "-k", 2],
                        ["complete", "ratings/ratings.csv", "-r", 2, "--epochs", 2]):
            text = self.succeed(*command)
            self.assertTrue(text.startswith("not private: the "), text)
            self.assertEqual(text.count("not private"), 1)

    def test_no_text_of_another_library_reaches_the_user(self):
        self.write("points.csv", "1,2\n3,4\n")
        for command in (["mixture", "points.csv", "-k", 1, "--epsilon", 1, "--delta", "1e-6",
                         "--norm-range", "1:2", "--format", "csv"],
                        ["topics", "points.csv", "-k", "99999999999999999999"],
                        ["complete", "points.csv", "--range", "1e999:2", "--epsilon", 1]):
            done = self.sotto(*command)
            self.assertNotIn(done.returncode, (1, -6, -11), done.stderr)
            for word in "std::", "bad_", "optional", "vector", "basic_string", "what():":
                self.assertNotIn(word, done.stderr)

    def test_every_line_of_help_fits_a_terminal(self):
        for command in ["decompose"], ["generate", "tensor"]:
            for line in self.succeed(*command, "--help").splitlines():
                self.assertLessEqual(len(line), 100, line)

    def test_unknown_commands_are_refused(self):
        self.refuse("nonsense", says="nonsense")
        self.refuse("generate", says="generate")
        self.refuse("generate", "nonsense", says="generate")

    def test_a_letter_has_one_meaning_over_all_commands(self):
        # Names for one thing: the number of components to find, the number of units in the data.
        one_thing = {"k": {"components", "topics", "phenotypes"},
                     "n": {"records", "documents", "ratings", "people"}}
        names, letters_of_epsilon = {}, []
        for line in self.succeed("--manual").splitlines():
            option = re.match(r"\| `(?:-(\w), )?--([\w-]+)", line)
            if not option:
                continue
            letter, name = option.groups()
            if letter:
                names.setdefault(letter, set()).add(name)
            if name == "epsilon":
                letters_of_epsilon.append(letter)
        for letter, found in names.items():
            self.assertTrue(len(found) == 1 or found == one_thing.get(letter), (letter, found))
        self.assertEqual(letters_of_epsilon, ["e"] * 6)

    def test_the_manual_is_current(self):
        self.assertEqual((ROOT / "docs" / "cli.md").read_text(), self.succeed("--manual"),
                         "run: build/release/sotto --manual > docs/cli.md")


if __name__ == "__main__":
    main()
