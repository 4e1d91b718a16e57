"""A ledger over runs: nothing is overspent, whatever is chosen, raced or killed.

SOTTO_SLOW=1 races 200 pairs and kills 1000 runs.
"""
import json
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import time

from sotto_cli import PROGRAM, ProgramTest, main

SLOW = os.environ.get("SOTTO_SLOW") == "1"
LIMIT = "--epsilon", 3, "--delta", 1e-5, "--unit", "one patient"


class LedgerTest(ProgramTest):
    def init(self, *more, file="runs.ledger", data="visits", limit=LIMIT):
        return self.succeed("ledger", "init", file, "--data", data, *limit, *more)

    def points(self, n=400, out="p"):
        return str(self.generate("points", "-d", 3, "-k", 2, "-n", n, out=out) / "points.npy")

    @staticmethod
    def mixture(points, *more, epsilon=0.2, ledger="runs.ledger"):
        return ["mixture", points, "-k", "2", "--max-norm", "4", "--epsilon", str(epsilon),
                "--delta", "1e-7", "--ledger", ledger, *map(str, more)]

    def fit(self, *command):
        """A private run, which may end without converging."""
        done = self.sotto(*command)
        self.assertIn(done.returncode, (0, 3), done.stderr)
        return done

    def export(self, file="runs.ledger"):
        return json.loads(self.succeed("ledger", "export", file, "--json"))

    def data(self, name="visits", file="runs.ledger"):
        (found,) = [one for one in self.export(file)["data"] if one["name"] == name]
        return found

    def assert_costs_nothing(self, *command, says=()):
        before = self.export()
        self.refuse(*command, says=says)
        self.assertEqual(self.export(), before)


class Totals(LedgerTest):
    def test_twenty_runs_compose_as_the_accountant_says(self):
        self.init()
        points = self.points(4000)
        for n in range(20):
            bound = ("--norm-range", "0.1:10") if n % 10 == 9 else ("--max-norm", 3 + n)
            self.fit("stream" if n % 5 == 0 else "mixture", points, "-k", 2, "--seed", n, *bound,
                     "--epsilon", 0.2, "--delta", 1e-7, "--ledger", "runs.ledger")
        data = self.data()
        self.assertEqual({(run["command"], run["state"]) for run in data["runs"]},
                         {("mixture", "settled"), ("stream", "counted in full")})
        self.assertAlmostEqual(data["plain_sum"], 4)
        # Google's dp-accounting 0.6: a PLDAccountant with a GaussianDpEvent for every release of the
        # mixtures at delta 1e-5 - 4e-7, plus the pure releases and the claims of the streams.
        self.assertAlmostEqual(data["composed"], 1.490452, delta=5e-6)
        # Streams count with what they asked for, mixtures with their releases.
        streams = [run for run in data["runs"] if run["command"] == "stream"]
        listed, pure = [], 0.2 * len(streams)
        for release in (release for run in data["runs"] if run not in streams
                        for release in run["releases"]):
            if "mu" in release["cost"]:
                listed.append(f"gaussian:{1 / release['cost']['mu']!r}:{release['count']}")
            else:
                pure += release["cost"]["epsilon"] * release["count"]
        self.assertGreater(pure, 0.2 * len(streams))
        compared = self.result("account", "compare", "--releases", ",".join(listed),
                               "--delta", 1e-5 - 1e-7 * len(streams))
        (gdp,) = [line for line in compared["accountants"] if line["accountant"] == "gdp"]
        self.assertAlmostEqual(data["composed"], gdp["epsilon"] + pure, delta=1e-6)
        shown = self.succeed("ledger", "show", "runs.ledger")
        self.assertIn("20 runs, protecting one record", shown)
        self.assertIn("plain sum of the runs: epsilon 4", shown)

    def test_every_private_command_is_counted(self):
        claim = "--epsilon", 1, "--delta", 1e-7, "--ledger", "runs.ledger", "--ledger-data"
        corpus = self.generate("corpus", "-V", 30, "-k", 2, "-n", 500, out="c")
        tensor = self.generate("tensor", "-d", 6, "-k", 2, out="t")
        visits = self.generate("visits", "-n", 200, out="v")
        ratings = self.generate("ratings", "--model", "cp", out="r")
        items = self.write("items.txt", "".join(f"{i}\n" for i in range(1, 21)))
        points = self.points(4000)
        commands = {
            "document": ("topics", corpus / "docword.txt", "--vocab", corpus / "vocab.txt", "-k", 2),
            "record": ("stream", points, "-k", 2, "--max-norm", 4),
            "entry": ("decompose", tensor / "tensor.npy", "-k", 2, "--anyway"),
            "person": ("decompose", visits / "visits.tns", "-k", 2, "--unit", "person"),
            "rating": ("complete", ratings / "ratings.csv", "--range", "1:5"),
            "user": ("complete", ratings / "ratings.csv", "--unit", "user", "--items", items,
                     "--range", "1:5"),
        }
        for unit, command in commands.items():
            self.init(data=unit)
            self.assertIn("such runs that fit", self.sotto(
                *command, *claim, unit, "--plan",
                *(("--documents", 500) if unit == "document" else ())).stdout, unit)
            self.fit(*command, *claim, unit, "--out", f"out_{unit}")
            (run,) = self.data(unit)["runs"]
            self.assertEqual((run["unit"], run["proved"], run["epsilon"]), (unit, True, 1))
            self.assertIn(run["state"], ("settled", "counted in full"))
            self.assertEqual(run["state"] == "settled", unit in ("document", "entry", "person",
                                                                 "user"), (unit, run))
            twice = 2 if unit == "rating" else 1
            self.assertEqual(run["claim"]["epsilon"], twice)
        shown = self.succeed("ledger", "show", "runs.ledger")
        self.assertIn("all data: epsilon", shown)

    def test_the_unit_is_that_of_the_first_run(self):
        self.init()
        self.fit(*self.mixture(self.points()))
        corpus = self.generate("corpus", "-V", 30, "-k", 2, "-n", 500, out="c")
        self.assert_costs_nothing(
            "topics", corpus / "docword.txt", "-k", 2, "--epsilon", 0.2, "--delta", 1e-7,
            "--ledger", "runs.ledger", says=("--ledger", "different units"))

    def test_data_is_known_by_its_bytes_and_nothing_shows_it(self):
        self.init()
        first, second = self.points(), self.points(401, out="q")
        renamed = self.write("renamed.npy", (self.folder / first).read_bytes())
        ends = [self.fit(*self.mixture(path, "--out", f"out{n}"))
                for n, path in enumerate((first, renamed, second))]
        self.assertEqual({done.stderr for done in ends if done.returncode == 0} - {""}, set())
        runs = self.data()["runs"]
        self.assertEqual([run["another_version_of_the_data"] for run in runs], [False, False, True])
        history = self.succeed("ledger", "history", "runs.ledger").splitlines()
        self.assertEqual(["another version of the data" in line for line in history],
                         [False, False, True])
        with sqlite3.connect(self.folder / "runs.ledger") as ledger:
            bodies = [json.loads(body) for (body,) in ledger.execute("SELECT body FROM entries")]
        secrets = [body[name] for body in bodies for name in ("key", "fingerprint") if name in body]
        self.assertEqual(len(secrets), 4)
        texts = [path.read_bytes() for path in self.folder.glob("out*/*")]
        texts += [done.stdout.encode() for done in ends]
        self.assertFalse([secret for secret in secrets for text in texts if secret.encode() in text])
        exported = self.succeed("ledger", "export", "runs.ledger", "--json")
        self.assertFalse([secret for secret in secrets if secret in exported])

    def test_a_forecast_and_a_plan_say_what_would_be_left(self):
        self.init(limit=("--epsilon", 1, "--delta", 1e-5, "--unit", "one patient"))
        points = self.points()
        asked = "ledger", "forecast", "runs.ledger", "--epsilon", 0.2, "--delta", 1e-7
        forecast = json.loads(self.succeed(*asked, "--json"))
        self.assertEqual((forecast["admitted"], forecast["runs_that_fit_claimed"]), (True, 5))
        self.assertGreater(forecast["runs_that_fit_gaussian"], 5)
        plan = json.loads(self.succeed(*self.mixture(points, "--plan", "--json")))
        self.assertEqual(plan["ledger"], forecast)
        self.assertEqual(self.data()["runs"], [])
        self.assertIn("would be refused", self.succeed(*self.mixture(points, "--plan", epsilon=2)))

    def test_disjoint_data_sets_compose_in_parallel(self):
        self.init()
        points = self.points()
        for name, more in ("others", ["--disjoint-from", "visits"]), ("both", []):
            self.succeed("ledger", "add", "runs.ledger", "--data", name, *LIMIT, *more)
        for name, epsilon in ("visits", 0.2), ("others", 0.4), ("both", 0.1):
            self.fit(*self.mixture(points, "--ledger-data", name, epsilon=epsilon))
        self.assertAlmostEqual(self.export()["total"]["plain_sum"], 0.5)
        csv = self.succeed("ledger", "export", "runs.ledger", "--csv")
        self.assertEqual(len(csv.splitlines()), 4)


class Refusals(LedgerTest):
    def setUp(self):
        super().setUp()
        self.input = self.points()
        self.init()

    def test_what_the_limit_does_not_cover(self):
        # Neither the input nor the output is touched: the input could not be read.
        broken = self.write("broken.npy", "no array")
        self.assert_costs_nothing(*self.mixture(broken, "--out", "out", epsilon=3.1),
                                  says=("--ledger", "does not cover"))
        self.fit(*self.mixture(self.input, epsilon=3))
        self.assert_costs_nothing(*self.mixture(self.input, epsilon=3), says="does not cover")

    def test_bad_options_cost_nothing(self):
        run = self.mixture(self.input)
        (self.folder / "full").mkdir()
        self.write("full/other", "")
        for more, says in ((["--insecure-seed", 1], "--insecure-seed"),
                           (["--components", 0], "--components"),
                           (["--out", "full"], "full"),
                           (["--ledger-data", "nobody"], "nobody")):
            self.assert_costs_nothing(*run, *more, says=says)
        self.assert_costs_nothing(*self.mixture("missing.npy"), says="missing.npy")
        self.assert_costs_nothing(*self.mixture(self.input, ledger=""), says="empty value")
        self.assert_costs_nothing("mixture", self.input, "-k", 2, "--ledger", "runs.ledger",
                                  says="needs --epsilon")
        tensor = self.generate("tensor", "-d", 5, "-k", 2, out="t") / "tensor.npy"
        self.assert_costs_nothing("decompose", tensor, "--epsilon", 1, "--delta", 1e-6,
                                  "--as-published", "wang", "--ledger", "runs.ledger",
                                  says="--as-published")
        corpus = self.generate("corpus", "-V", 30, "-k", 2, "-n", 500, out="c") / "docword.txt"
        self.assert_costs_nothing("topics", corpus, "--epsilon", 1, "--delta", 1e-6, "-k", 2,
                                  "--as-published", "agn", "--ledger", "runs.ledger",
                                  says="--as-published")

    def test_files_that_are_no_ledger(self):
        text = self.write("text", "not a ledger\n" * 500)
        with sqlite3.connect(self.folder / "other.db") as other:
            other.execute("CREATE TABLE entries(x)")
        other.close()
        before = {path: path.read_bytes() for path in (text, self.folder / "other.db")}
        (self.folder / "folder").mkdir()
        for file in ("text", "other.db", "folder", "missing", "nowhere/runs.ledger"):
            self.refuse(*self.mixture(self.input, ledger=file), says=file)
            self.refuse("ledger", "show", file, says=file)
            if file != "missing":
                self.refuse("ledger", "init", file, "--data", "visits", *LIMIT, says=file)
        self.assertEqual({path: path.read_bytes() for path in before}, before)

    def test_limits_and_names(self):
        for name, value in (("--epsilon", -1), ("--epsilon", "nan"), ("--epsilon", 0),
                            ("--delta", 0), ("--delta", "nan"), ("--delta", 1), ("--unit", "")):
            self.assert_costs_nothing("ledger", "add", "runs.ledger", "--data", "more",
                                      *(value if i and LIMIT[i - 1] == name else word
                                        for i, word in enumerate(LIMIT)), says=name)
        self.assert_costs_nothing("ledger", "init", "runs.ledger", "--data", "visits", *LIMIT,
                                  says="already")
        self.fit(*self.mixture(self.input, epsilon=1))
        lower = "ledger", "lower", "runs.ledger", "--epsilon"
        self.assert_costs_nothing(*lower, 0.001, "--delta", 1e-5, says="below what was spent")
        self.assert_costs_nothing(*lower, 4, "--delta", 1e-5, says="never raised")
        self.succeed(*lower, 2, "--delta", 1e-5)
        self.assert_costs_nothing(*self.mixture(self.input, epsilon=2), says="does not cover")

    def refused_under(self, limits, command):
        """Runs a command in a child that limits() has changed: one line, exit code 2."""
        program = self.folder / "sotto"  # where any user can start it
        if not program.exists():
            shutil.copy(PROGRAM, program)
        done = subprocess.run([program, *map(str, command)], cwd=self.folder, capture_output=True,
                              text=True, preexec_fn=limits)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
        return done.stderr

    def test_read_only_files_and_folders(self):
        def nobody():
            if os.geteuid() == 0:  # the superuser may write everything
                os.setgid(65534)
                os.setuid(65534)

        self.folder.chmod(0o755)
        ledger = self.folder / "runs.ledger"
        before = self.export()
        ledger.chmod(0o444)
        for command in (self.mixture(self.input), ["ledger", "lower", "runs.ledger", "--epsilon", 1,
                                                   "--delta", 1e-6]):
            self.assertIn("cannot be written", self.refused_under(nobody, command))
        ledger.chmod(0o600 if os.geteuid() else 0o666)
        (self.folder / "fixed").mkdir()
        shutil.copy(ledger, self.folder / "fixed")
        (self.folder / "fixed").chmod(0o555)
        self.assertIn("cannot be written", self.refused_under(
            nobody, self.mixture(self.input, ledger="fixed/runs.ledger")))
        (self.folder / "fixed").chmod(0o755)
        self.assertEqual(self.export(), before)

    def test_a_full_disk(self):
        def no_room():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (16384, 16384))

        before = self.export()
        self.assertIn("disk is full", self.refused_under(no_room, self.mixture(self.input)))
        self.assertEqual(self.export(), before)
        self.fit(*self.mixture(self.input))

    def test_a_missing_companion_costs_nothing(self):
        visits = self.generate("visits", "-n", 200, out="v") / "visits.tns"
        claim = "--epsilon", 1, "--delta", 1e-7, "--ledger", "runs.ledger"
        self.assert_costs_nothing("decompose", visits, "-k", 2, "--unit", "person", *claim,
                                  "--labels", "no1.txt,no2.txt", says="no1.txt")
        self.assert_costs_nothing(*self.mixture(self.input, "--truth", "none.npy"), says="none.npy")
        corpus = self.generate("corpus", "-V", 30, "-k", 2, "-n", 500, out="c") / "docword.txt"
        self.assert_costs_nothing("topics", corpus, "-k", 2, *claim, "--vocab", "none.txt",
                                  says="none.txt")

    def test_a_ledger_that_would_be_published(self):
        (self.folder / "out").mkdir()
        self.init(file="out/runs.ledger")
        self.refuse(*self.mixture(self.input, "--out", "out", "--force", ledger="out/runs.ledger"),
                    says="out/runs.ledger")

    def test_a_page_shows_the_curve(self):
        self.fit(*self.mixture(self.input, epsilon=0.5))
        shown = self.succeed("ledger", "show", "runs.ledger", "--html", "spent.html")
        self.assertEqual(shown, self.succeed("ledger", "show", "runs.ledger"))
        page = (self.folder / "spent.html").read_text()
        for text in ("Epsilon spent, at delta 1e-05", "one patient", "mixture", "settled"):
            self.assertIn(text, page)
        self.refuse("ledger", "show", "runs.ledger", "--html", "runs.ledger", says="is the ledger")
        self.refuse("ledger", "show", "runs.ledger", "--html", "nowhere/x.html", code=1,
                    says="nowhere/x.html")

    def test_a_locked_ledger(self):
        other = sqlite3.connect(self.folder / "runs.ledger", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        done = self.sotto(*self.mixture(self.input))
        other.execute("ROLLBACK")
        other.close()
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))
        self.assertIn("in use by another program", done.stderr)
        self.assertEqual(self.data()["runs"], [])

    def test_a_ledger_that_was_edited(self):
        self.fit(*self.mixture(self.input, epsilon=1))
        with sqlite3.connect(self.folder / "runs.ledger") as ledger:
            ledger.execute("UPDATE entries SET body = replace(body, '\"epsilon\":1', "
                           "'\"epsilon\":0.1') WHERE kind = 'reserve'")
        ledger.close()
        for command in (["ledger", "show", "runs.ledger"], self.mixture(self.input)):
            self.refuse(*command, says="changed by hand or is damaged, at row 3")


class RacesAndCrashes(LedgerTest):
    def start(self, command):
        return subprocess.Popen([PROGRAM, *map(str, command)], cwd=self.folder,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def test_of_two_runs_that_would_overspend_one_is_refused(self):
        points = self.points()
        for n in range(200 if SLOW else 10):
            file = f"race{n}.ledger"
            self.init(file=file, limit=("--epsilon", 1, "--delta", 1e-5, "--unit", "one patient"))
            pair = [self.start(self.mixture(points, epsilon=0.9, ledger=file)) for _ in range(2)]
            codes = sorted(0 if run.wait(60) == 3 else run.returncode for run in pair)
            for run in pair:
                run.stderr.close()
            # The Gaussian count may admit the second, once the first is settled: not at 0.9.
            self.assertEqual(codes, [0, 2])
            self.assertEqual(len(self.data(file=file)["runs"]), 1)

    def test_a_killed_run_is_never_counted_for_less_than_it_released(self):
        self.init(limit=("--epsilon", 1e4, "--delta", 1e-2, "--unit", "one patient"))
        points = self.points()
        start = time.monotonic()
        self.fit(*self.mixture(points, "--out", "whole"))
        usual = time.monotonic() - start
        kills = 1000 if SLOW else 30
        draw = random.Random(7)
        for n in range(kills):
            run = self.start(self.mixture(points, "--out", f"out{n}"))
            time.sleep(draw.uniform(0, 1.1 * usual))
            run.send_signal(signal.SIGKILL)
            run.wait()
            run.stderr.close()
        runs = self.data()["runs"]
        results = list(self.folder.glob("*/result.json"))
        self.assertGreaterEqual(len(runs), len(results))
        settled = [run for run in runs if run["state"] == "settled"]
        self.assertLessEqual(len(settled), len(results))
        self.assertGreaterEqual(self.data()["composed"], 0.2 * (len(runs) - len(settled)))
        with sqlite3.connect(self.folder / "runs.ledger") as ledger:
            self.assertEqual(ledger.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
        ledger.close()
        self.fit(*self.mixture(points))


if __name__ == "__main__":
    main()
