"""kill -9 at random moments over every command with a checkpoint, a ledger or results that are kept.

A run that is killed and started again ends with the bits of one that was left alone; an output
folder holds the former result or the new one; a ledger counts no run for less than it released.
SOTTO_SLOW=1 kills a hundred times as often.
"""
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import unittest

from sotto_cli import PROGRAM, ProgramTest, main

SLOW = os.environ.get("SOTTO_SLOW") == "1"
CLAIM = "--epsilon", 8, "--delta", "1e-8"
LIMIT = "--epsilon", 1e5, "--delta", 0.1, "--unit", "one patient"


class KillTest(ProgramTest):
    maxDiff = None

    def setUp(self):
        super().setUp()
        self.draw = random.Random(11)
        self.kills = self.after_the_end = 0

    def tearDown(self):
        print(f"{self.id()}: {self.kills} kills, {self.after_the_end} too late", file=sys.stderr)
        super().tearDown()

    def fit(self, *command):
        """A run that is left alone; returns how long it took."""
        began = time.monotonic()
        done = self.sotto(*command)
        self.assertIn(done.returncode, (0, 3), (command, done.stderr))
        return time.monotonic() - began

    def kill_within(self, seconds, *command):
        run = subprocess.Popen([PROGRAM, *map(str, command)], cwd=self.folder,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(self.draw.uniform(0, 1.05 * seconds))
        run.send_signal(signal.SIGKILL)
        if run.wait() == -signal.SIGKILL:
            self.kills += 1
        else:
            self.after_the_end += 1

    def points(self, n=400):
        return self.generate("points", "-d", 4, "-k", 2, "-n", n, out="p") / "points.npy"

    def result_in(self, folder):
        """A result without what time and interruptions change, and its arrays."""
        result = json.loads((self.folder / folder / "result.json").read_text())
        for name in "seconds", "digests", "seal":  # digests of what is compared, and of the page
            result.pop(name, None)
        result["diagnostics"].pop("answers_from_checkpoint", None)
        return result, {path.name: path.read_bytes()
                        for path in (self.folder / folder).glob("*.npy")}


class Resumed(KillTest):
    STREAMS = [
        ["-L", 4],
        ["-L", 4, *CLAIM, "--max-norm", 1, "--insecure-seed", 5],
        ["-L", 4, *CLAIM, "--norm-range", "0.01:100", "--insecure-seed", 5],
    ]

    def test_a_stream_ends_with_the_bits_of_one_that_was_left_alone(self):
        points = self.points(40000)
        for options in self.STREAMS if SLOW else self.STREAMS[1:2]:
            command = ["stream", points, "-k", 2, "-R", 9, "--batch", 1000, *options,
                       "--checkpoint", "run.ckpt", "--out", "out"]
            usual = self.fit(*command)
            (self.folder / "out").rename(self.folder / "whole")
            for _ in range(60 if SLOW else 2):
                for _ in range(self.draw.randint(1, 3)):
                    self.kill_within(usual, *command)
                    if (self.folder / "out" / "result.json").exists():  # it was done
                        break
                else:
                    self.fit(*command)
                self.assertEqual(self.result_in("out"), self.result_in("whole"))
                shutil.rmtree(self.folder / "out")
                (self.folder / "run.ckpt").unlink(missing_ok=True)  # where it was done, but not this
            shutil.rmtree(self.folder / "whole")

    @unittest.skipUnless(SLOW, "test_reproduce.py kills three")
    def test_an_experiment_ends_with_the_bits_of_one_that_was_left_alone(self):
        command = ["reproduce", "wang-whitening", "--quick", "--threads", 2, "--out"]
        usual = self.fit(*command, "whole")
        for _ in range(40):
            for _ in range(self.draw.randint(1, 3)):
                self.kill_within(usual, *command, "out")
            self.fit(*command, "out")
            for name in "data.csv", "figure.svg":
                self.assertEqual((self.folder / "out" / name).read_bytes(),
                                 (self.folder / "whole" / name).read_bytes())
            self.assertEqual({path.name for path in (self.folder / "out").iterdir()},
                             {path.name for path in (self.folder / "whole").iterdir()})
            shutil.rmtree(self.folder / "out")


class Replaced(KillTest):
    def commands(self):
        """Every command that writes a folder, private where it can be."""
        points = self.points()
        if not SLOW:
            return [["mixture", points, "-k", 2, *CLAIM, "--max-norm", 10]]
        corpus = self.generate("corpus", "-V", 30, "-k", 2, "-n", 200, out="c")
        tensor = self.generate("tensor", "-d", 6, "-k", 2, out="t") / "tensor.npy"
        visits = self.generate("visits", "-n", 100, out="v") / "visits.tns"
        ratings = self.generate("ratings", "--model", "cp", out="r") / "ratings.csv"
        items = self.write("items.txt", "".join(f"{i}\n" for i in range(1, 21)))
        words = corpus / "docword.txt", "--vocab", corpus / "vocab.txt"
        self.fit("mixture", points, "-k", 2, "--out", "model")
        return [
            ["mixture", points, "-k", 2, *CLAIM, "--max-norm", 10],
            ["stream", points, "-k", 2, *CLAIM, "--max-norm", 10],
            ["topics", *words, "-k", 2, *CLAIM],
            ["decompose", tensor, "-k", 2, *CLAIM, "--anyway"],
            ["decompose", visits, "-k", 2, "--unit", "person", *CLAIM],
            ["complete", ratings, "--range", "1:5", *CLAIM],
            ["complete", ratings, "--unit", "user", "--items", items, "--range", "1:5", *CLAIM],
            ["mixture", points, "-k", 2], ["stream", points, "-k", 2], ["topics", *words, "-k", 2],
            ["decompose", tensor, "-k", 2], ["complete", ratings, "--rank", 2],
            ["apply", "model", points], ["generate", "tensor", "-d", 5, "-k", 2],
        ]

    def test_a_folder_holds_the_former_result_or_the_new_one_and_a_ledger_what_was_released(self):
        for number, command in enumerate(self.commands()):
            data = f"data{number}"
            charged = "--epsilon" in command
            if charged:
                self.succeed("ledger", "init", "runs.ledger", "--data", data, *LIMIT)
                command = [*command, "--ledger", "runs.ledger", "--ledger-data", data]
            usual = self.fit(*command, "--out", "out")
            others = {path.name for path in self.folder.iterdir()}
            before, wholes = self.listed("out"), 1
            for _ in range(100 if SLOW else 5):
                self.kill_within(usual, *command, "--out", "out")
                after = self.listed("out")
                self.assertEqual(after.keys(), before.keys(), command)
                if charged or "result.json" not in after:
                    wholes += after != before
                if "result.json" in after:
                    done = self.sotto("verify", "out")
                    self.assertNotIn("differs", done.stdout + done.stderr)
                    self.assertIn(done.returncode, (0, 1), done.stderr)
                before = after
            if charged:
                self.counts_what_was_released(data, wholes)
            self.fit(*command, "--out", "out")  # removes what the last one left
            self.assertEqual({path.name for path in self.folder.iterdir()}, others, command)
            shutil.rmtree(self.folder / "out")

    def listed(self, folder):
        return {path.name: path.read_bytes() for path in (self.folder / folder).iterdir()}

    def counts_what_was_released(self, data, results):
        exported = json.loads(self.succeed("ledger", "export", "runs.ledger", "--json"))
        (found,) = [one for one in exported["data"] if one["name"] == data]
        self.assertGreaterEqual(len(found["runs"]), results)
        for run in found["runs"]:
            if run["state"] != "settled":  # all that it asked for
                self.assertGreaterEqual(run["claim"]["epsilon"], CLAIM[1])
        with sqlite3.connect(self.folder / "runs.ledger") as ledger:
            self.assertEqual(ledger.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
        ledger.close()

    def test_a_ledger_is_changed_or_it_is_not(self):
        def exported():
            return json.loads(self.succeed("ledger", "export", "runs.ledger", "--json"))
        self.succeed("ledger", "init", "runs.ledger", "--data", "visits", *LIMIT)
        for n in range(150 if SLOW else 5):
            for change in (["ledger", "add", "runs.ledger", "--data", f"data{n}", *LIMIT],
                           ["ledger", "lower", "runs.ledger", "--data", "visits", "--epsilon",
                            1000 - n, "--delta", 1e-3]):
                before = exported()
                self.kill_within(0.03, *change)
                after = exported()
                if after != before:
                    self.assertIn(self.sotto(*change).returncode, (0, 2))  # a second time
                else:
                    self.succeed(*change)

    def test_a_new_ledger_and_new_keys_are_whole_or_made_again(self):
        for n in range(150 if SLOW else 3):
            made = ["ledger", "init", f"new{n}.ledger", "--data", "visits", *LIMIT]
            self.kill_within(0.03, *made)
            if self.sotto("ledger", "show", f"new{n}.ledger").returncode != 0:
                for left in self.folder.glob(f"new{n}.ledger*"):
                    self.assertLess(left.stat().st_size, 1 << 20)
                self.succeed(*made)
            self.succeed("ledger", "show", f"new{n}.ledger")


if __name__ == "__main__":
    main()
