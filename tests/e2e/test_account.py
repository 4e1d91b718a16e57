"""sotto account, as a user sees it. The numbers are independent values (60-digit arithmetic for
Gaussian and Laplace releases, contour integrals for sampled ones)."""
import math

from sotto_cli import ProgramTest, main


class Account(ProgramTest):
    def epsilon(self, *arguments):
        return self.result("account", *arguments)["epsilon"]

    def test_gaussian_is_exact(self):
        for sigma, count, delta, exact in ((0.5, 1, "1e-5", 9.997256146434301),
                                           (0.5, 1, "1e-9", 13.534772219165538),
                                           (0.5, 10, "1e-5", 46.2112101912181)):
            found = self.epsilon("gaussian", "--noise-multiplier", sigma, "--count", count,
                                 "--delta", delta)
            self.assertLess(abs(found / exact - 1), 1e-9)

    def test_gaussian_agrees_with_the_formula(self):
        def phi(x):
            return math.erfc(-x / math.sqrt(2)) / 2
        for sigma, count in (1.0, 1), (3.0, 50):
            epsilon = self.epsilon("gaussian", "-s", sigma, "--count", count, "--delta", "1e-6")
            mu = math.sqrt(count) / sigma
            delta = phi(mu / 2 - epsilon / mu) - math.exp(epsilon) * phi(-mu / 2 - epsilon / mu)
            self.assertAlmostEqual(delta / 1e-6, 1, delta=1e-7)

    def test_laplace_and_sampled_releases_are_tight_and_safe(self):
        for arguments, exact in (
                (["laplace", "--scale", 1, "--count", 1, "--delta", "1e-5"], 0.9999799998999993),
                (["laplace", "--scale", 2, "--count", 1, "--delta", "1e-5"], 0.4999799998999993),
                (["subsampled", "-s", 0.6, "-q", 0.001, "--count", 100, "--delta", "1e-5"],
                 0.7795935835151816),
                (["subsampled", "-s", 0.6, "-q", 0.001, "--count", 10000, "--delta", "1e-5"],
                 2.4561454157976024)):
            found = self.epsilon(*arguments)
            self.assertGreaterEqual(found, exact - 1e-9, arguments)
            self.assertLessEqual(found, exact + 2e-4 + 1e-3 * exact, arguments)

    def test_sgd_divides_for_its_users(self):
        noise = ["--noise-multiplier", 1.1, "--delta", "1e-5"]
        data = ["--batch", 256, "--records", 60000]
        divided = self.epsilon("subsampled", *noise, "-q", repr(256 / 60000), "--count", 2344)
        for said in ["--epochs", 10], ["--steps", 2344]:
            self.assertAlmostEqual(self.epsilon("sgd", *noise, *data, *said) / divided, 1, delta=1e-9)
        self.assertLess(self.epsilon("sgd", *noise, *data, "--steps", 2343), divided)
        # A third of the records ten times over is thirty batches, whatever 1/3 is rounded to.
        found = self.sotto("account", "sgd", *noise, "--batch", 1, "--records", 3, "--epochs", 10)
        self.assertIn("\n30 steps", found.stdout)
        for wrong, says in ((data, "--epochs"), ([*data, "--epochs", 1, "--steps", 1], "--epochs"),
                            (["--batch", 9, "--records", 8, "--epochs", 1], "--batch")):
            self.refuse("account", "sgd", *noise, *wrong, says=says)

    def test_calibrate_and_account_are_inverse(self):
        noise = self.result("account", "calibrate", "--epsilon", 1, "--delta", "1e-6", "--count",
                            7)["noise_multiplier"]
        self.assertAlmostEqual(
            self.epsilon("gaussian", "-s", repr(noise), "--count", 7, "--delta", "1e-6"), 1,
            delta=1e-10)
        scale = self.result("account", "calibrate", "--epsilon", 1, "--delta", "1e-6", "--count", 7,
                            "--noise", "laplace")["scale"]
        found = self.epsilon("laplace", "-b", repr(scale), "--count", 7, "--delta", "1e-6")
        self.assertLessEqual(found, 1)
        self.assertGreater(found, 1 - 1e-3)
        noise = self.result("account", "calibrate", "--epsilon", 1, "--delta", "1e-6", "--count",
                            100, "--sampling-rate", 0.01)["noise_multiplier"]
        found = self.epsilon("subsampled", "-s", repr(noise), "-q", 0.01, "--count", 100, "--delta",
                             "1e-6")
        self.assertLessEqual(found, 1)
        self.assertGreater(found, 1 - 1e-3)

    def test_compare_lists_every_accountant(self):
        result = self.result("account", "compare", "--releases", "gaussian:5:10", "--delta", "1e-6")
        lines = {line["accountant"]: line["epsilon"] for line in result["accountants"]}
        self.assertEqual(set(lines), {"basic", "advanced", "zcdp", "rdp", "gdp", "pld"})
        self.assertLessEqual(lines["gdp"], lines["zcdp"])
        self.assertLessEqual(lines["gdp"], lines["basic"])
        mixed = self.result("account", "compare", "--releases", "gaussian:5:10,laplace:10:20",
                            "--delta", "1e-6")
        lines = {line["accountant"]: line["epsilon"] for line in mixed["accountants"]}
        self.assertIsNone(lines["gdp"])
        self.assertLess(lines["pld"], lines["rdp"])

    def test_numbers_in_words_promise_no_more_than_the_numbers(self):
        for arguments in (["gaussian", "-s", 0.77, "--delta", "1.23456789e-6"],
                          ["gaussian", "-s", 0.0701, "--delta", "1e-6"],
                          ["laplace", "-b", 0.37, "--count", 5, "--delta", "1.2345678e-7"],
                          ["subsampled", "-s", 1.3, "-q", 0.1, "--count", 77, "--delta", "1e-6"]):
            words = self.succeed("account", *arguments).split()
            self.assertEqual(words[0] + words[2] + words[3], "epsilonatdelta")
            self.assertGreaterEqual(float(words[1]), self.epsilon(*arguments), arguments)
            self.assertGreaterEqual(float(words[4]), float(arguments[-1]), arguments)
        for options in [], ["--noise", "laplace"]:
            calibrate = ["account", "calibrate", "-e", 0.3, "--delta", "1e-6", "--count", 7, *options]
            result = self.result(*calibrate)
            noise = result.get("noise_multiplier", result.get("scale"))
            shown = float(self.succeed(*calibrate).replace("Laplace scale", "noise multiplier")
                          .split()[2])
            self.assertGreaterEqual(shown, noise)

    def test_names_the_rule_that_gave_the_number(self):
        laplace = ["account", "laplace", "-b", 10]
        for rule, options in (("pld", ["--count", 20, "--delta", "1e-6"]),
                              ("basic", ["--count", 20, "--delta", "1e-200"]),
                              ("basic", ["--delta", 0])):
            self.assertEqual(self.result(*laplace, *options)["accountant"], rule, options)
        lines = self.result("account", "compare", "--releases", "laplace:2:3", "--delta", "1e-200")
        self.assertIn("the bound of basic", lines["accountants"][-1]["note"])

    def test_extremes_stay_finite(self):
        many = ["--count", 10**9]
        for arguments in (["gaussian", "-s", "1e-6", *many, "--delta", "1e-300"],
                          ["gaussian", "-s", "1e6", "--delta", "1e-300"],
                          ["laplace", "-b", "1e-6", *many, "--delta", "1e-300"],
                          ["laplace", "-b", "1e6", *many, "--delta", "1e-5"],
                          ["subsampled", "-s", "1e6", "-q", 0.01, *many, "--delta", "1e-5"],
                          ["subsampled", "-s", "1e-6", "-q", 1, *many, "--delta", "1e-300"]):
            self.assertTrue(math.isfinite(self.epsilon(*arguments)), arguments)
        for epsilon in "1000", "710", "1e-6":
            noise = self.result("account", "calibrate", "--epsilon", epsilon, "--delta", "1e-300",
                                "--count", 1)["noise_multiplier"]
            self.assertGreater(noise, 1e-3)

    def test_absurd_input_is_refused(self):
        for arguments, says in (
                (["gaussian", "-s", 0, "--delta", 0.1], "--noise-multiplier"),
                (["gaussian", "-s", "nan", "--delta", 0.1], "--noise-multiplier"),
                (["gaussian", "-s", "inf", "--delta", 0.1], "--noise-multiplier"),
                (["gaussian", "-s", 1, "--delta", 0], "delta"),
                (["gaussian", "-s", 1, "--delta", 1], "--delta"),
                (["gaussian", "-s", 1, "--delta", "nan"], "--delta"),
                (["gaussian", "-s", 1], "--delta"),
                (["gaussian", "-s", 1, "--delta", 0.1, "--count", 0], "--count"),
                (["gaussian", "-s", 1, "--delta", 0.1, "--count", 1.5], "--count"),
                (["subsampled", "-s", 1, "-q", 1.5, "--delta", 0.1], "--sampling-rate"),
                (["subsampled", "-s", 1, "-q", 0, "--delta", 0.1], "--sampling-rate"),
                (["calibrate", "--epsilon", 0, "--delta", 0.1], "--epsilon"),
                (["calibrate", "--epsilon", -1, "--delta", 0.1], "--epsilon"),
                (["calibrate", "--epsilon", 1, "--delta", 0.1, "--noise", "laplace", "-q", 0.5],
                 "--sampling-rate"),
                (["compare", "--releases", "magic:1", "--delta", 0.1], "magic"),
                (["compare", "--releases", "subsampled:1:2:3", "--delta", 0.1], "2"),
                (["nothing"], "account")):
            self.refuse("account", *arguments, says=says)


if __name__ == "__main__":
    main()
