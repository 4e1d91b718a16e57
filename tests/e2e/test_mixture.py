"""sotto mixture, as a user sees it."""
import json
import math

from sotto_cli import ProgramTest, main, npy_bytes, read_npy

DIM, COMPONENTS, RECORDS = 8, 3, 40000
PRIVATE = ["--epsilon", 1, "--delta", "1e-6", "--max-norm", 1.5]


class Mixture(ProgramTest):
    def setUp(self):
        super().setUp()
        self.made = self.generate("points", "--model", "mixture", "-d", DIM, "-k", COMPONENTS, "-n",
                                  RECORDS, "--separation", 8, out="made")
        self.points = self.made / "points.npy"
        self.truth = ["--truth", self.made / "means.npy"]

    def test_finds_means_weights_and_variance(self):
        out = self.folder / "found"
        result = self.result("mixture", self.points, "-k", COMPONENTS, *self.truth, "--out", out)
        self.assertLess(result["evaluation"]["largest_mean_error"], 0.01)
        made = json.loads((self.made / "result.json").read_text())
        for found, true in zip(result["weights"], made["weights"]):
            self.assertAlmostEqual(found, true, delta=0.01)
        self.assertAlmostEqual(result["variance"], made["variance"], delta=0.01 * made["variance"])
        self.assertIsNone(result["privacy"])
        self.assertEqual(result["input"], {"dim": DIM, "records": RECORDS})
        self.assertEqual(result["files"], ["proportions.npy", "means.npy", "weights.npy"])
        self.assertEqual(read_npy(out / "means.npy")[0], (DIM, COMPONENTS))
        shape, shares = read_npy(out / "proportions.npy")
        self.assertEqual(shape, (RECORDS, COMPONENTS))
        self.assertAlmostEqual(sum(shares), RECORDS, delta=1e-6)
        self.assertAlmostEqual(sum(shares[::COMPONENTS]) / RECORDS, result["weights"][0], delta=1e-3)
        likelihood = result["diagnostics"]["log_likelihood"]
        self.assertEqual(len(likelihood), 5)
        self.assertGreaterEqual(likelihood[-1], likelihood[0] - 1e-12)
        text = self.succeed("mixture", self.points, "-k", COMPONENTS)
        self.assertTrue(text.startswith("not private: the points are treated as public\n"))

    def test_infers_new_points(self):
        out = self.folder / "found"
        _, means = read_npy(self.made / "means.npy")
        columns = [[means[COMPONENTS * i + j] for i in range(DIM)] for j in range(COMPONENTS)]
        new = self.write("new.csv", "".join(",".join(map(repr, c)) + "\n" for c in columns))
        for privacy in [], PRIVATE:
            self.result("mixture", self.points, "-k", COMPONENTS, "--infer", new, "--out", out,
                        *privacy)
            shape, shares = read_npy(out / "inferred.npy")
            self.assertEqual(shape, (COMPONENTS, COMPONENTS))
            for j in range(COMPONENTS):  # sorted by weight on both sides
                self.assertGreater(shares[(COMPONENTS + 1) * j], 0.99)
            for file in out.iterdir():
                file.unlink()

    def test_private_run_finds_the_means_and_certifies(self):
        out = self.folder / "private"
        result = self.result("mixture", self.points, "-k", COMPONENTS, *PRIVATE, *self.truth,
                             "--out", out)
        self.assertLess(result["evaluation"]["largest_mean_error"], 0.1)
        privacy = result["privacy"]
        self.assertEqual(privacy["guarantee"], "proved", privacy["why"])
        self.assertLessEqual(privacy["epsilon"], 1)
        self.assertGreater(privacy["epsilon"], 0.99)
        self.assertEqual(privacy["unit"], "one record")
        self.assertEqual(len(privacy["releases"]), 5)
        for release in privacy["releases"]:
            self.assertAlmostEqual(release["cost"]["mu"] * release["noise"],
                                   release["sensitivity"], delta=1e-12 * release["sensitivity"])
        first, second = privacy["releases"][:2]
        self.assertAlmostEqual(first["sensitivity"], 2 * 1.5 / RECORDS, delta=1e-6 / RECORDS)
        self.assertAlmostEqual(second["sensitivity"], math.sqrt(2) * 1.5**2 / RECORDS,
                               delta=1e-6 / RECORDS)
        self.assertEqual(set(result["diagnostics"]), {"status", "rank"})
        self.assertEqual(sorted(p.name for p in out.iterdir()),
                         ["certificate.md", "means.npy", "report.html", "result.json",
                          "weights.npy"])

    def test_a_bound_on_the_norm_is_chosen_privately(self):
        sought = ["--epsilon", 1, "--delta", "1e-6", "--norm-range", "0.01:100"]
        result = self.result("mixture", self.points, "-k", COMPONENTS, *sought, *self.truth)
        self.assertLess(result["evaluation"]["largest_mean_error"], 0.1)
        self.assertTrue(1 < result["diagnostics"]["max_norm"] < 2, result["diagnostics"])
        privacy = result["privacy"]
        self.assertEqual(privacy["guarantee"], "proved", privacy["why"])
        self.assertTrue(0.9 < privacy["epsilon"] <= 1, privacy["epsilon"])
        self.assertEqual(len(privacy["releases"]), 6)
        self.assertIn("bound on the norm", privacy["releases"][0]["what"])
        self.assertAlmostEqual(privacy["releases"][0]["cost"]["epsilon"], 0.05, places=6)
        self.assertIn("that records are clipped to a norm between 0.01 and 100",
                      privacy["public"])
        plan = self.result("mixture", self.points, "-k", COMPONENTS, *sought, "--plan")
        self.assertAlmostEqual(plan["forecasts"]["epsilon_for_bound"], 0.05)
        self.check_plan(plan, privacy)
        self.assertIn("0.01:100", self.succeed("mixture", self.points, "-k", COMPONENTS, *sought,
                                               "--plan"))
        self.assertIn("chosen privately", self.succeed("mixture", self.points, "-k", COMPONENTS,
                                                       *sought))
        self.refuse("mixture", self.points, "-k", COMPONENTS, *sought[:4], "--norm-range",
                    "1e-30:1", says="--norm-range")

    def check_plan(self, plan, privacy):
        """The releases are those of the plan, with the planned shares of the budget."""
        self.assertEqual([(r["what"], r["mechanism"], r["values"]) for r in plan["releases"]],
                         [(r["what"], r["mechanism"], r["values"]) for r in privacy["releases"]])
        gaussian = [(planned["share"], made["cost"]["mu"]**2)
                    for planned, made in zip(plan["releases"], privacy["releases"])
                    if made["mechanism"] == "gaussian"]
        shares, squares = map(sum, zip(*gaussian))
        for share, square in gaussian:
            self.assertAlmostEqual(share / shares, square / squares, delta=1e-9)

    def test_plan_reads_nothing(self):
        bad = bytearray(self.points.read_bytes())
        bad[-8 * DIM:] = b"\xff" * (8 * DIM)  # NaN in the last record
        path = self.write("bad.npy", bytes(bad))
        plan = self.result("mixture", path, "-k", COMPONENTS, *PRIVATE, "--plan")
        real = self.result("mixture", self.points, "-k", COMPONENTS, *PRIVATE)["privacy"]
        self.check_plan(plan, real)
        self.assertEqual(plan["releases"][0]["noise_unit"], "max-norm")
        self.assertAlmostEqual(plan["releases"][0]["noise"] * 1.5, real["releases"][0]["noise"],
                               delta=1e-6 * real["releases"][0]["noise"])
        self.assertIn("no record was read", self.succeed("mixture", path, "-k", COMPONENTS, *PRIVATE,
                                                       "--plan"))
        self.refuse("mixture", path, "-k", COMPONENTS, *PRIVATE, says="nothing was released")

    def test_neighbours_leave_results_of_the_same_form(self):
        data = bytearray(self.points.read_bytes())
        data[-8 * DIM:] = bytes(8 * DIM)
        other = self.write("other.npy", bytes(data))
        forms = []
        for path in self.points, other:
            result = self.result("mixture", path, "-k", COMPONENTS, *PRIVATE, "--insecure-seed", 3)
            self.assertEqual(result["privacy"]["guarantee"], "none")
            forms.append((sorted(result), sorted(result["diagnostics"]),
                          len(result["privacy"]["releases"])))
        self.assertEqual(forms[0], forms[1])

    def test_plan_of_a_text_takes_the_number_of_records(self):
        path = self.write("few.csv", "1,0\n0,1\n1,1\n" * 400)
        plan = ("mixture", path, "-k", 3, *PRIVATE, "--header", "no", "--dim", 2,
                "--plan")
        self.refuse(*plan, says="--records")
        forecasts = self.result(*plan, "--records", 5000)["forecasts"]
        more = self.result(*plan, "--records", 500000)["forecasts"]
        self.assertGreater(forecasts["mean_error"], 10 * more["mean_error"])
        self.assertGreater(forecasts["epsilon"], more["epsilon"])
        self.refuse(*plan[:-1], "--records", 5000, says="--plan")
        self.refuse("mixture", self.points, "-k", 3, *PRIVATE, "--plan", "--records", 7,
                    says="records")

    def test_more_components_than_dimensions_of_any_covariance(self):
        made = self.generate("points", "--model", "mixture", "-d", 2, "-k", 2, "-n", 20000,
                             "--separation", 10, out="plane")
        out, shapes = self.folder / "plane-found", {"spherical": (3,), "diagonal": (3, 2),
                                                    "full": (3, 2, 2), "common": None}
        criteria = {}
        for covariance, shape in shapes.items():
            for privacy in [], PRIVATE:
                done = self.sotto("mixture", made / "points.npy", "-k", 3, "--covariance",
                                  covariance, "--out", out, *privacy, "--json")
                # A third component of two may not stand out of the noise.
                self.assertIn(done.returncode, (0, 3) if privacy else (0,), done.stderr)
                result = json.loads(done.stdout)
                self.assertAlmostEqual(sum(result["weights"]), 1, places=9)
                self.assertEqual("variance" in result, covariance == "common")
                self.assertEqual(result["options"]["covariance"], covariance)
                if shape:
                    self.assertEqual(read_npy(out / "covariances.npy")[0], shape)
                if privacy:
                    self.assertEqual(result["privacy"]["guarantee"], "proved")
                    plan = self.result("mixture", made / "points.npy", "-k", 3, "--covariance",
                                       covariance, *privacy, "--plan")
                    self.check_plan(plan, result["privacy"])
                else:
                    criteria[covariance] = result["bic"]
                    applied = self.result("apply", out, made / "points.npy", "--out",
                                          self.folder / f"applied-{covariance}")
                    self.assertAlmostEqual(applied["log_likelihood"],
                                           result["log_likelihood"], places=9)
                for file in out.iterdir():
                    file.unlink()
        self.assertLess(criteria["common"], criteria["full"])  # the simplest that is true

    def test_too_much_noise_is_said(self):
        few = ["--epsilon", "0.02", "--delta", "1e-9", "--max-norm", 50]
        result = self.result("mixture", self.points, "-k", COMPONENTS, *few, code=3)
        self.assertLess(result["diagnostics"]["rank"], COMPONENTS - 1)
        text = self.succeed("mixture", self.points, "-k", COMPONENTS, *few, code=3)
        self.assertIn("above its noise", text)

    def test_refusals(self):
        self.refuse("mixture", self.points, "-k", 2, "--covariance", "round", says="--covariance")
        self.refuse("mixture", self.points, "-k", COMPONENTS + 2, says="numerical rank 2")
        self.refuse("mixture", self.points, "-k", 2, "--epsilon", 1, "--delta", "1e-6",
                    says="--max-norm")
        self.refuse("mixture", self.points, "-k", 2, "--plan", says="--plan")
        self.refuse("mixture", self.points, "-k", 2, "--max-norm", 1, says="--epsilon")
        self.refuse("mixture", self.points, "-k", 2, "--infer", self.points, says="--out")
        self.refuse("mixture", self.points, "-k", 2, "--infer", self.points, *PRIVATE, "--out",
                    self.folder / "o", says="must be a public file")
        self.refuse("mixture", self.points, "-k", 2, *self.truth, says="must be 8 x 2")
        self.refuse("mixture", "missing.npy", "-k", 2, says="missing.npy")
        few = self.write("few.csv", "1,2,3\n4,5,6\n")
        text = ["--header", "no", "--dim", 3]
        for privacy in [], PRIVATE:
            self.refuse("mixture", few, "-k", 2, *text, *privacy, says="too few points")
        values = [0.1] * 40
        values[-1] = math.nan
        bad = self.write("nan.npy", npy_bytes(values, (10, 4)))
        self.refuse("mixture", bad, "-k", 2, says="record 10")
        same = self.write("same.npy", npy_bytes([0.1] * 40, (10, 4)))
        self.refuse("mixture", same, "-k", 2, says="numerical rank 0")
        self.refuse("mixture", few, "-k", 2, *text, *PRIVATE, "--plan", says="--plan")


if __name__ == "__main__":
    main()
