"""The program itself: help, version, manual, unknown commands."""
import pathlib

from sotto_cli import ProgramTest, main

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Program(ProgramTest):
    def test_version_and_help(self):
        self.assertRegex(self.succeed("--version"), r"^sotto \d+\.\d+\.\d+\n$")
        overview = self.succeed("--help")
        for command in "decompose", "generate tensor", "account compare":
            self.assertIn(command, overview)
        self.assertIn("--starts", self.succeed("decompose", "--help"))

    def test_every_line_of_help_fits_a_terminal(self):
        for command in ["decompose"], ["generate", "tensor"]:
            for line in self.succeed(*command, "--help").splitlines():
                self.assertLessEqual(len(line), 100, line)

    def test_unknown_commands_are_refused(self):
        self.refuse("nonsense", says="nonsense")
        self.refuse("generate", says="generate")
        self.refuse("generate", "nonsense", says="generate")

    def test_the_manual_is_current(self):
        self.assertEqual((ROOT / "docs" / "cli.md").read_text(), self.succeed("--manual"),
                         "run: build/release/sotto --manual > docs/cli.md")


if __name__ == "__main__":
    main()
