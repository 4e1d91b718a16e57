"""sotto reproduce: the experiments, stopped and resumed, as a user sees them."""
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest
import xml.etree.ElementTree as ElementTree

from sotto_cli import PROGRAM, ProgramTest, main

STUDY = "wang-whitening"  # the shortest: two seconds
NAMES = ["wang-fig1", "wang-whitening", "wang-input-vs-iterate", "imtiaz-fig1", "wei-fig2",
         "wei-fig3", "wei-fig4", "esmaeili-configurations"]
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


class Reproduce(ProgramTest):
    @classmethod
    def setUpClass(cls):
        """One whole run, which several tests look at."""
        cls.whole_folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.whole_folder.cleanup)
        cls.whole = pathlib.Path(cls.whole_folder.name, "whole")
        cls.run_of_whole = subprocess.run(
            [PROGRAM, "reproduce", STUDY, "--quick", "--out", cls.whole, "--threads", "2", "--json"],
            capture_output=True, text=True, timeout=300)

    def start(self, *arguments):
        return subprocess.Popen([PROGRAM, *arguments], cwd=self.folder, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def wait_for_rows(self, folder, rows):
        """Waits until this many trials are finished."""
        cells = self.folder / folder / "cells.csv"
        for _ in range(3000):
            if cells.exists() and cells.read_text().count("\n") >= rows + 2:
                return
            time.sleep(0.01)
        self.fail("no trial was finished")

    def lines(self, folder):
        return (self.folder / folder / "cells.csv").read_text().splitlines()

    def test_lists_the_experiments(self):
        text = self.succeed("reproduce", "--list")
        self.assertEqual([line.split()[0] for line in text.splitlines()], NAMES)

    def test_writes_table_figure_summary_and_report(self):
        self.assertEqual(self.run_of_whole.returncode, 0, self.run_of_whole.stderr)
        self.assertEqual(self.run_of_whole.stderr, "")
        summary = json.loads(self.run_of_whole.stdout)
        self.assertEqual(summary["study"], STUDY)
        self.assertEqual(json.loads((self.whole / "summary.json").read_text()), summary)
        self.assertIn("<!doctype html", (self.whole / "report.html").read_text()[:200].lower())
        ElementTree.parse(self.whole / "figure.svg")
        data = (self.whole / "data.csv").read_text().splitlines()
        self.assertEqual(len(data), 1 + summary["trials"])
        self.assertTrue(data[0].startswith("d,trial,seed,"), data[0])
        self.assertEqual(sorted(p.name for p in self.whole.iterdir()),
                         ["cells.csv", "data.csv", "figure.svg", "report.html", "summary.json"])

    def test_killed_at_any_point_it_goes_on_without_loss_or_repetition(self):
        for rows in (1, 4, 7):
            run = self.start("reproduce", STUDY, "--quick", "--out", "cut", "--threads", "1")
            self.wait_for_rows("cut", rows)
            run.kill()
            run.communicate()
        kept = self.lines("cut")
        self.succeed("reproduce", STUDY, "--quick", "--out", "cut", "--threads", "1")
        after = self.lines("cut")
        whole = [line for line in kept if line.count(",") == kept[1].count(",") or line[0] == "#"]
        self.assertEqual(after[:len(whole)], whole)
        self.assertEqual(len(after), len(set(after)))
        self.assertEqual((self.folder / "cut/data.csv").read_bytes(),
                         (self.whole / "data.csv").read_bytes())

    def test_ctrl_c_stops_at_once_and_keeps_finished_trials(self):
        run = self.start("reproduce", STUDY, "--quick", "--out", "out", "--threads", "1")
        self.wait_for_rows("out", 2)
        run.send_signal(signal.SIGINT)
        _, error = run.communicate(timeout=30)
        self.assertEqual(run.returncode, 130)
        self.assertEqual(error, "sotto: stopped; finished trials are kept in out/cells.csv\n")
        self.assertGreaterEqual(len(self.lines("out")), 4)
        self.assertFalse(os.path.exists(self.folder / "out/summary.json"))

    def test_refuses_in_one_line(self):
        self.refuse("reproduce", says="--list")
        self.refuse("reproduce", "no-such", says=["no-such", "wang-fig1"])
        self.refuse("reproduce", STUDY, "--all", says="--all")
        self.refuse("reproduce", "wei-fig4", "--data", "nowhere", says="nowhere")
        self.refuse("reproduce", "--document", ".", says="summary.json")
        (self.folder / "out").mkdir()
        self.write("out/cells.csv", f"# {STUDY}, quick, seed 1\n")
        self.refuse("reproduce", STUDY, "--quick", "--out", "out",
                    says=["out/cells.csv", "another run"])

    def test_movielens_files_are_read(self):
        rows = [(u, i, 1 + (u * i) % 5, 880000000 + 86400 * ((u + i) % 6))
                for u in range(1, 11) for i in range(1, 7)]
        for name in ("ua", "ub"):
            for part, keep in (("base", lambda n: n % 10), ("test", lambda n: n % 10 == 0)):
                text = "".join("\t".join(map(str, row)) + "\n"
                               for n, row in enumerate(rows) if keep(n))
                self.write(f"{name}.{part}", text)
        summary = self.result("reproduce", "wei-fig4", "--quick", "--data", ".", "--out", "out")
        self.assertEqual(summary["data"], "given")
        self.assertEqual(summary["trials"], 32)

    def test_the_document_is_what_the_committed_summaries_make(self):
        made = self.succeed("reproduce", "--document", ROOT / "docs" / "reproduction")
        self.assertEqual((ROOT / "docs" / "reproduction.md").read_text(), made)


if __name__ == "__main__":
    main()
