"""The tour: docs/tour.md is a transcript, and every command in it runs as it stands.

usage: test_tour.py PROGRAM            runs the commands and compares
       test_tour.py PROGRAM --write    writes the outputs into docs/tour.md

A private run gives other numbers each time. So what is compared is the text without its numbers,
which the command must still print. Long lines are wrapped, and "..." stands for lines left out.
"""
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import textwrap

WRITE = "--write" in sys.argv
if WRITE:
    sys.argv.remove("--write")
from sotto_cli import PROGRAM, ProgramTest, main  # noqa: E402

TOUR = pathlib.Path(__file__).resolve().parents[2] / "docs" / "tour.md"
BLOCK = re.compile(r"^```\n\$ (.*?)\n(.*?)^```\n", re.M | re.S)
MOST_LINES, WIDTH = 13, 100


def without_numbers(text):
    text = re.sub(r"[-+]?\d+(?:,\d{3})*(?:\.\d+)?(?:e[-+]?\d+)?%?", "#", text)
    return " ".join(text.split())


def run(command, folder):
    words = shlex.split(command)
    assert words[0] in ("sotto", "head"), words
    done = subprocess.run([PROGRAM if words[0] == "sotto" else words[0], *words[1:]], cwd=folder,
                          capture_output=True, text=True)
    assert done.returncode == 0, f"{command}\n{done.stderr}"
    return done.stdout


def shortened(output):
    lines = output.splitlines()
    if len(lines) > MOST_LINES:
        lines = lines[:MOST_LINES] + ["..."]
    return "\n".join(line if len(line) <= WIDTH else textwrap.fill(line, WIDTH) for line in lines)


class Tour(ProgramTest):
    def test_every_command_prints_what_the_transcript_shows(self):
        blocks = BLOCK.findall(TOUR.read_text())
        self.assertGreaterEqual(len(blocks), 12)
        for command, shown in blocks:
            printed = without_numbers(run(command, self.folder))
            for part in shown.split("...\n"):
                self.assertIn(without_numbers(part), printed, command)


if __name__ == "__main__":
    if WRITE:
        with tempfile.TemporaryDirectory() as folder:
            TOUR.write_text(BLOCK.sub(
                lambda block: f"```\n$ {block[1]}\n{shortened(run(block[1], folder))}\n```\n",
                TOUR.read_text()))
    else:
        main()
