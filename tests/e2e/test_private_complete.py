"""sotto complete --epsilon, as a user sees it."""
import math

from sotto_cli import ProgramTest, main, npy_bytes, read_npy

RANGE = ["--range", "-2:9"]


class PrivateComplete(ProgramTest):
    def setUp(self):
        super().setUp()
        self.made = self.generate("ratings", "--users", 300, "--items", 200, "--months", 12,
                                  "--rank", 2, "-n", 20000, out="made")
        self.ratings, self.test = self.made / "ratings.csv", self.made / "test.csv"

    TARGET = ["-r", 2, "--epsilon", 2, "--delta", "1e-6", *RANGE]
    found = {}

    def found_by(self, *how):
        """The result with this target; one run for all tests that ask for it."""
        if how not in self.found:
            self.found[how] = self.result("complete", self.ratings, *self.TARGET, "--test", self.test,
                                          *how)
        return self.found[how]

    def test_learns_and_certifies_pure_epsilon(self):
        out = self.folder / "out"
        found = self.result("complete", self.ratings, "-r", 2, "--epsilon", 2, *RANGE, "--test",
                            self.test, "--out", out)
        privacy = found["privacy"]
        self.assertEqual(privacy["guarantee"], "proved", privacy["why"])
        self.assertLessEqual(privacy["epsilon"], 2)
        self.assertGreater(privacy["epsilon"], 1.999)
        self.assertEqual(privacy["delta"], 1e-200)
        self.assertEqual(privacy["unit"], "the value of one rating")
        # epsilon is the sum of sensitivity over noise.
        total = sum(r["sensitivity"] / r["noise"] for r in privacy["releases"])
        self.assertAlmostEqual(total, privacy["epsilon"], delta=1e-6)
        self.assertEqual({r["mechanism"] for r in privacy["releases"]}, {"laplace"})
        self.assertLess(found["rmse"], 1.0)  # the mean alone: 1.05
        self.assertEqual(set(found["diagnostics"]), {"method"})
        for name in found["files"]:
            self.assertTrue((out / name).exists(), name)
        self.assertEqual(read_npy(out / "factors_0.npy")[0], (300, 2))

    def test_needs_a_public_range(self):
        self.refuse("complete", self.ratings, "-r", 2, "--epsilon", 1, says="--range")

    def test_refuses_what_would_look_at_the_ratings(self):
        private = ["complete", self.ratings, "-r", 2, "--epsilon", 1, *RANGE]
        for option in ["--validation", 0.1], ["--check"], ["--method", "als"], ["--starts", 3]:
            self.refuse(*private, *option, says=option[0])
        self.refuse(*private, "--test", self.ratings, says="the file that this run protects")
        self.refuse(*private, "--perturb", "gradient", says="--as-published")
        self.refuse(*private, "--perturb", "none", says="--perturb")
        self.refuse(*private, "--as-published", says="--perturb")
        for option in ["--delta", "1e-6"], ["--as-published"], ["--insecure-seed", 1]:
            self.refuse("complete", self.ratings, "-r", 2, *option, says=option[0])

    def test_values_outside_the_range_are_held_and_broken_ones_not_shown(self):
        text = self.ratings.read_text()
        wild = self.folder / "wild.csv"
        wild.write_text(text + "new user,1,1,12345.678\n")
        self.result("complete", wild, "-r", 2, "--epsilon", 1, *RANGE)
        wild.write_text(text + "new user,1,1,secret\n")
        private = ["complete", wild, "-r", 2, "--epsilon", 1, *RANGE]
        self.refuse(*private, says="not shown")
        self.assertNotIn("secret", self.sotto(*private).stderr)

    def test_as_published_shows_claimed_and_accounted(self):
        for where, proved in ("input", True), ("gradient", False), ("output", False):
            for model in "cp", "tucker":
                privacy = self.result("complete", self.ratings, "-r", 2, "--model", model,
                                      "--epsilon", 1, *RANGE, "--as-published", "--perturb", where,
                                      "--epochs", 2)["privacy"]
                self.assertEqual(privacy["guarantee"], "proved" if proved else "none")
                self.assertEqual(privacy["claimed"], {"epsilon": 1, "delta": 0})
                self.assertGreaterEqual(privacy["epsilon"], 1)

    def test_is_better_than_noise_on_every_rating(self):
        private = ["complete", self.ratings, "-r", 2, "--epsilon", 1, *RANGE, "--test", self.test]
        ours = self.result(*private)["rmse"]
        published = self.result(*private, "--as-published", "--perturb", "input")
        strict_input = self.result(*private, "--perturb", "input")
        self.assertEqual(strict_input["privacy"]["guarantee"], "proved")
        self.assertLess(ours, published["rmse"])
        self.assertLess(ours, strict_input["rmse"])

    def test_every_mechanism_certifies_what_was_asked_for(self):
        private = ["complete", self.ratings, *self.TARGET, "--test", self.test]
        for mechanism in "sums", "als", "entries", "sgd":
            found = self.found_by("--mechanism", mechanism)
            self.assertEqual(found["privacy"]["guarantee"], "proved", found["privacy"]["why"])
            self.assertLessEqual(found["privacy"]["epsilon"], 2)
            self.assertLess(found["rmse"], 1.05)
        sampled = found["privacy"]["releases"][0]
        self.assertEqual(sampled["mechanism"], "subsampled gaussian")
        self.assertEqual(found["privacy"]["accountant"], "PLD")
        self.assertIn("withdrawn", found["privacy"]["neighbours"])
        self.refuse(*private, "--mechanism", "sgd", "--model", "tucker", says="--mechanism")
        self.refuse("complete", self.ratings, "-r", 2, "--epsilon", 2, *RANGE, "--mechanism", "sgd",
                    says="--delta")
        self.refuse(*private, "--mechanism", "als", "--perturb", "input", says="--mechanism")
        self.refuse("complete", self.ratings, "-r", 2, "--mechanism", "als", says="--mechanism")

    def test_a_grid_without_gaps(self):
        # There the positions say nothing; the releases must still ask for something.
        for users, items in (12, 9), (5, 1), (1, 5):
            lines = [f"{u},{i},{1 + (u * i + i) % 5}" for u in range(users) for i in range(items)]
            grid = self.write("grid.csv", "user,item,rating\n" + "\n".join(lines) + "\n")
            for how, ranks in ((["--mechanism", "sums"], (1, 3)), (["--mechanism", "als"], (1, 3)),
                               (["--mechanism", "entries"], (1, 3)),
                               (["--perturb", "input"], (1, 3)),
                               (["--mechanism", "sgd"], {12: (1,), 1: (3,)}.get(users, ()))):  # slow
                for rank in ranks:
                    found = self.result("complete", grid, "--range", "1:5", "--epsilon", 1,
                                        "--delta", "1e-6", "-r", rank, *how)
                    self.assertEqual(found["privacy"]["guarantee"], "proved", found["privacy"])

    def test_the_plan_of_an_array_looks_at_no_value(self):
        plans = []
        for value in 3.0, 7.0, math.inf:
            path = self.write("array.npy", npy_bytes([1, 2, 3, 4, math.nan, value] * 4, (4, 3, 2)))
            plans.append(self.succeed("complete", path, "--epsilon", 2, *RANGE, "--plan"))
        self.assertEqual(plans, plans[:1] * 3)

    def test_the_plan_is_what_is_released_and_does_not_depend_on_the_values(self):
        lines = self.ratings.read_text().splitlines()
        other = [lines[0]] + [line.rsplit(",", 1)[0] + ",secret" for line in lines[1:]]
        changed = self.write("changed.csv", "\n".join(other) + "\n")
        for how in ([], ["--mechanism", "als"], ["--mechanism", "sgd"],
                    ["--perturb", "input", "--epochs", 2],
                    ["--as-published", "--perturb", "gradient", "--epochs", 2],
                    ["--as-published", "--perturb", "output", "--epochs", 2]):
            plan, other = (self.result("complete", path, *self.TARGET, *how, "--plan")
                           for path in (self.ratings, changed))
            self.assertEqual(plan, other)
            made = {}
            for release in self.found_by(*how)["privacy"]["releases"]:
                made[release["what"]] = made.get(release["what"], 0) + release["count"]
            self.assertEqual({r["what"]: r["count"] for r in plan["releases"]}, made)
            self.assertEqual(plan["epsilon"], 2)
            self.assertLessEqual(sum(r["share"] for r in plan["releases"]), 1 + 1e-9)
        text, other = (self.succeed("complete", path, "-r", 2, "--epsilon", 2, *RANGE, "--plan")
                       for path in (self.ratings, changed))
        self.assertEqual(text, other)
        self.assertIn("the values of the ratings were not read and nothing was released", text)
        self.refuse("complete", self.ratings, "-r", 2, "--plan", says="--epsilon")

    def test_a_pure_epsilon_is_told_as_one(self):
        text = self.succeed("complete", self.ratings, "-r", 2, "--epsilon", 2, *RANGE)
        self.assertIn("epsilon 2, except for the truncated tails of the noise", text)

    def test_an_insecure_seed_repeats_and_certifies_nothing(self):
        private = ["complete", self.ratings, "-r", 2, "--epsilon", 1, *RANGE, "--insecure-seed", 7,
                   "--test", self.test]
        runs = [self.result(*private) for _ in range(2)]
        self.assertEqual(runs[0]["rmse"], runs[1]["rmse"])
        self.assertEqual(runs[0]["privacy"]["guarantee"], "none")

    def test_fresh_noise_every_time(self):
        private = ["complete", self.ratings, "-r", 2, "--epsilon", 1, *RANGE, "--test", self.test]
        self.assertNotEqual(self.result(*private)["rmse"], self.result(*private)["rmse"])


if __name__ == "__main__":
    main()
