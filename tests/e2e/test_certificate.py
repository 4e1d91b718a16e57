"""Certificates of all private commands: deltas that expose someone, epsilons that hide nothing."""
import json

from sotto_cli import ProgramTest, main, npy_bytes

RANGE = ["--range", "-2:9"]


class PrivateRuns(ProgramTest):
    """One small input for every private command and unit; the number of its protected units."""
    def setUp(self):
        super().setUp()
        self.generate("tensor", "-d", 6, "-k", 2, out="tensor")
        self.generate("points", "-d", 4, "-k", 2, "-n", 4000, "--max-norm", 1, out="points")
        self.generate("corpus", "-n", 3000, "-V", 30, "-k", 2, "-l", 30, out="corpus")
        self.generate("ratings", "--users", 120, "--items", 60, "--months", 4, "--rank", 2, "-n", 2500,
                      out="ratings")
        self.write("items.txt", "".join(f"{i}\n" for i in range(1, 61)))
        topics = ["topics", "corpus/docword.txt", "--format", "uci", "--vocab", "corpus/vocab.txt",
                  "-k", 2]
        tensor = ["decompose", "tensor/tensor.npy", "-k", 2, "--anyway"]
        ratings = ["complete", "ratings/ratings.csv", "-r", 2, *RANGE]
        points = ["--max-norm", 1, "-k", 2]
        kept = len((self.folder / "ratings" / "ratings.csv").read_text().splitlines()) - 1
        self.runs = {
            "decompose": (56, [*tensor, "--mechanism", "iterate"]),
            "decompose input": (56, [*tensor, "--mechanism", "input"]),
            "decompose entries": (216, [*tensor, "--method", "cp"]),
            "stream": (4000, ["stream", "points/points.npy", *points, "-R", 3, "--batch", 1000]),
            "mixture": (4000, ["mixture", "points/points.npy", *points]),
            "topics": (3000, topics),
            "topics agn": (3000, [*topics, "--model", "single", "--as-published", "agn"]),
            "complete": (kept, ratings),
            "complete sgd": (kept, [*ratings, "--mechanism", "sgd"]),
            "complete user": (1000, [*ratings, "--unit", "user", "--items", "items.txt"]),
        }
        self.plans = {
            "decompose": (56, [*tensor, "--plan"]),
            "stream": (4000, [*self.runs["stream"][1], "--plan"]),
            "mixture": (4000, [*self.runs["mixture"][1], "--plan"]),
            "topics": (500, [*topics, "--plan", "--documents", 500]),
        }


class LargeDelta(PrivateRuns):
    def test_is_refused_before_anything_is_released(self):
        for name, (units, run) in [*self.runs.items(), *self.plans.items()]:
            with self.subTest(name):
                out = [] if "--plan" in run else ["--out", "found"]
                self.refuse(*run, "-e", 1, "--delta", 1 / units, *out,
                            says=["--delta", f"1/{units}", "whole", "exposed",
                                  "--accept-large-delta"])

    def test_below_it_is_not(self):
        for name, (units, run) in self.plans.items():
            with self.subTest(name):
                self.succeed(*run, "-e", 1, "--delta", 0.99 / units)
        units, run = self.runs["complete user"]
        found = self.result(*run, "-e", 1, "--delta", 0.99 / units)["privacy"]
        self.assertNotIn("exposed", found["why"])
        self.assertIn("a guess of the number of users, 1000, by which delta is judged",
                      found["public"])

    def test_is_accepted_in_so_many_words_and_the_certificate_says_what_it_means(self):
        for name, (units, run) in self.runs.items():
            with self.subTest(name):
                done = self.sotto(*run, "-e", 1, "--delta", 1 / units, "--accept-large-delta",
                                  "--json")
                self.assertIn(done.returncode, (0, 3), done.stderr)
                privacy = json.loads(done.stdout)["privacy"]
                self.assertEqual(privacy["guarantee"], "proved", privacy["why"])
                self.assertIn(f"is not below 1/{units}", privacy["why"])
                self.assertIn("may be expected to be exposed", privacy["why"])
                self.assertNotIn("`", done.stdout)  # no option is named: results outlive commands
        units, run = self.runs["complete"]
        text = self.succeed(*run, "-e", 1, "--delta", 1 / units, "--accept-large-delta")
        self.assertIn("may be expected to be exposed", text)

    def test_of_users_is_judged_by_a_public_guess(self):
        run = [*self.runs["complete user"][1], "-e", 1, "--delta", 0.01]
        found = self.result(*run, "--users", 50)["privacy"]
        self.assertNotIn("exposed", found["why"])
        self.assertIn("a guess of the number of users, 50, by which delta is judged",
                      found["public"])
        self.refuse(*run, "--users", 100, says=["--delta", "1/100", "100 users, by a public guess"])
        self.refuse(*self.runs["complete"][1], "-e", 1, "--users", 100, says="--unit user")

    def test_the_flag_goes_with_delta(self):
        self.refuse(*self.runs["complete"][1], "-e", 1, "--accept-large-delta", says="--delta")
        self.refuse(*self.runs["topics"][1], "--accept-large-delta", says="--accept-large-delta")


class LargeEpsilon(PrivateRuns):
    def test_pure_releases_that_hide_nothing_are_refused_before_they_are_made(self):
        ratings = [*self.runs["complete"][1], "--out", "found"]
        for options in ([], ["--perturb", "input"], ["--perturb", "input", "--as-published"],
                        ["--mechanism", "als"]):
            for epsilon in 300, 600, 700, 1e5:
                self.refuse(*ratings, *options, "--epsilon", epsilon, says="--epsilon")
        for where in "gradient", "output":
            self.refuse(*ratings, "--perturb", where, "--as-published", "--epsilon", 700,
                        says="--epsilon")
        topics = self.runs["topics"][1]
        self.refuse(*topics, "--model", "single", "--as-published", "avn", "-e", 1300, "--delta",
                    1e-6, says="--epsilon")
        stream = ["stream", "points/points.npy", "-k", 2, "-R", 3, "--batch", 900, "--norm-range",
                  "0.1:10", "-e", 650, "--delta", 1e-6]
        self.refuse(*stream, says="--epsilon")
        self.refuse(*stream, "--plan", says="--epsilon")

    def test_what_is_released_is_proved(self):
        found = self.result(*self.runs["complete"][1], "--epsilon", 200)
        self.assertEqual(found["privacy"]["guarantee"], "proved", found["privacy"]["why"])


class Words(PrivateRuns):
    def test_epsilon_in_words_is_not_below_epsilon(self):
        for epsilon in "100.0004", "1", "0.123456789":
            text = self.succeed(*self.runs["complete"][1], "--epsilon", epsilon, "--out", "found")
            exact = json.loads((self.folder / "found" / "result.json").read_text())["privacy"]
            shown = float(text.split("private with epsilon ")[1].split(",")[0])
            self.assertGreaterEqual(shown, exact["epsilon"])
            self.assertLessEqual(shown, exact["epsilon"] * 1.0001)
            page = (self.folder / "found" / "report.html").read_text()
            self.assertIn(f">{shown:g}<" if epsilon == "1" else str(shown), page)

    def test_the_sum_of_pure_releases_is_called_a_sum(self):
        found = self.result(*self.runs["complete"][1], "--epsilon", 2)["privacy"]
        self.assertEqual(found["accountant"], "basic composition")


class LargeValues(ProgramTest):
    def test_entries_far_beyond_the_noise_are_not_held(self):
        weight, d = 1e10, 5
        values = [0.0] * d**3
        values[0], values[d * d + d + 1] = weight, weight / 2  # along the first two axes
        self.write("t.npy", npy_bytes(values, (d,) * 3))
        run = ["decompose", "t.npy", "-k", 2, "-e", 1, "--delta", 1e-6, "--weight", 1e9]
        done = self.sotto(*run, "--mechanism", "input", "--json")
        self.assertIn(done.returncode, (0, 3), done.stderr)
        weights = json.loads(done.stdout)["weights"]
        self.assertAlmostEqual(weights[0] / weight, 1, delta=1e-6)
        self.assertAlmostEqual(weights[1] / weight, 0.5, delta=1e-6)

    def test_a_bound_on_entries_is_stated_with_its_number(self):
        self.succeed("generate", "tensor", "-d", 10, "-k", 2, "--out", "tensor")
        run = ["decompose", "tensor/tensor.npy", "-k", 2, "-e", 1, "--delta", 1e-6, "--mechanism",
               "iterate", "--anyway"]
        for options, bound in ([], "4294967296"), (["--max-entry", 12.5], "12.5"):
            fact = f"that entries are clipped to the range from -{bound} to {bound}"
            self.assertIn(fact, self.succeed(*run, *options))
            facts = self.result(*run, *options)["privacy"]["public"]
            self.assertTrue(any(fact in line for line in facts), facts)


class ManyWords(ProgramTest):
    def test_noise_on_the_third_moment_goes_up_to_500_words(self):
        for words in 190, 500:
            self.succeed("generate", "corpus", "--model", "single", "-n", 1000, "-V", words, "-k",
                         2, "-l", 20, "--out", f"corpus{words}")
            found = self.result("topics", f"corpus{words}/docword.txt", "--format", "uci",
                                "--vocab", f"corpus{words}/vocab.txt", "-k", 2, "--model", "single",
                                "--as-published", "avn", "-e", 10, "--delta", 1e-6)["privacy"]
            self.assertEqual(found["guarantee"], "proved", found["why"])
            vector = found["releases"][1]
            self.assertEqual(vector["values"], words * (words + 1) * (words + 2) // 6)
            self.assertAlmostEqual(vector["sensitivity"] / vector["noise"],
                                   vector["cost"]["epsilon"], delta=1e-9)


if __name__ == "__main__":
    main()
