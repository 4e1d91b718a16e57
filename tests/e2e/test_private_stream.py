"""sotto stream --epsilon, as a user meets it."""
import json
import math

from sotto_cli import ProgramTest, main, npy_bytes, read_npy

DIM, COMPONENTS, RECORDS = 12, 2, 60000
PRIVATE = ["--epsilon", 2, "--delta", "1e-6", "--max-norm", 1]


def phi(x):
    return math.erfc(-x / math.sqrt(2)) / 2


def gdp_epsilon(mu, delta):
    low, high = 0.0, 100.0
    for _ in range(200):
        middle = (low + high) / 2
        d = phi(mu / 2 - middle / mu) - math.exp(middle) * phi(-mu / 2 - middle / mu)
        low, high = (low, middle) if d <= delta else (middle, high)
    return high


class PrivateStream(ProgramTest):
    def setUp(self):
        super().setUp()
        self.made = self.folder / "made"
        self.succeed("generate", "points", "-d", DIM, "-k", COMPONENTS, "-n", RECORDS, "--max-norm",
                     1, "--out", self.made)
        self.points = self.made / "points.npy"

    def test_finds_the_components_and_certifies(self):
        out = self.folder / "found"
        result = self.result("stream", self.points, "-k", COMPONENTS, *PRIVATE, "--out", out)
        _, truth = read_npy(self.made / "vectors.npy")
        _, vectors = read_npy(out / "vectors.npy")
        for m in range(COMPONENTS):
            cosines = [abs(sum(truth[COMPONENTS * i + m] * vectors[COMPONENTS * i + j]
                               for i in range(DIM))) for j in range(COMPONENTS)]
            self.assertGreater(max(cosines), 0.95)
        privacy = result["privacy"]
        self.assertEqual(privacy["guarantee"], "proved", privacy["why"])
        self.assertLessEqual(privacy["epsilon"], 2)
        self.assertEqual(privacy["unit"], "one record")
        self.assertEqual(len(privacy["releases"]), COMPONENTS * 9)
        self.assertEqual({release["parallel"] for release in privacy["releases"]}, {1})
        self.assertNotIn("residuals", result["diagnostics"])

    def test_epsilon_follows_from_the_releases(self):
        privacy = self.result("stream", self.points, "-k", COMPONENTS, *PRIVATE)["privacy"]
        mu = max(release["cost"]["mu"] for release in privacy["releases"])
        for release in privacy["releases"]:
            self.assertAlmostEqual(release["cost"]["mu"] * release["noise"],
                                   release["sensitivity"], delta=1e-12 * release["sensitivity"])
        charge = max(release["precision"]["epsilon"] for release in privacy["releases"])
        epsilon = gdp_epsilon(mu, privacy["delta"]) + charge
        self.assertAlmostEqual(privacy["epsilon"], epsilon, delta=1e-7)

    def test_an_insecure_seed_repeats_and_certifies_nothing(self):
        runs = [self.result("stream", self.points, "-k", COMPONENTS, *PRIVATE, "--insecure-seed", 7)
                for _ in range(2)]
        self.assertEqual(runs[0]["weights"], runs[1]["weights"])
        self.assertEqual(runs[0]["privacy"]["guarantee"], "none")
        fresh = [self.result("stream", self.points, "-k", COMPONENTS, *PRIVATE)["weights"]
                 for _ in range(2)]
        self.assertNotEqual(fresh[0], fresh[1])

    def test_neighbours_leave_results_of_the_same_form(self):
        other = self.folder / "other.npy"
        data = bytearray(self.points.read_bytes())
        data[-8 * DIM:] = bytes(8 * DIM)  # the last record becomes zero
        other.write_bytes(data)
        forms = []
        for path in self.points, other:
            result = self.result("stream", path, "-k", COMPONENTS, *PRIVATE, "--insecure-seed", 7)
            diagnostics = result["diagnostics"]
            forms.append((sorted(result), sorted(diagnostics), diagnostics["iterations"],
                          diagnostics["points_read"], len(result["privacy"]["releases"])))
        self.assertEqual(forms[0], forms[1])

    def test_refusals(self):
        for options, says in (
                ([*PRIVATE, "--passes", 2], "--passes"),
                ([*PRIVATE, "--checkpoint", "c"], "--checkpoint"),
                (["--epsilon", 1, "--delta", "1e-6"], "--max-norm"),
                (["--epsilon", 1, "--max-norm", 1], "--delta"),
                (["--delta", "1e-6"], "--epsilon"), (["--max-norm", 1], "--epsilon"),
                (["--insecure-seed", 1], "--epsilon"),
                ([*PRIVATE, "--batch", RECORDS], f"needs {18 * RECORDS} records")):
            self.refuse("stream", self.points, "-k", COMPONENTS, *options, says=says)
        svm = self.write("a.svm", "1 1:0.5 3:0.25\n" * 100)
        self.refuse("stream", svm, "-k", 1, "--format", "svmlight", *PRIVATE, says="--dim")

    def test_an_unreadable_record_is_refused_without_a_word_about_it(self):
        good = "0.1,0.2\n" * 40
        for text in "0.1,secret\n" + good, good + "0.1,secret\n", good + "0.1\n", good + "nan,1\n":
            path = self.write("bad.csv", text)
            done = self.sotto("stream", path, "-k", 1, "-R", 2, "--batch", 14, *PRIVATE)
            self.assertEqual(done.returncode, 2)
            self.assertEqual(done.stdout, "")
            self.assertIn("nothing was released", done.stderr)
            for word in "secret", "41", "csv:", "NaN":
                self.assertNotIn(word, done.stderr.replace(str(path), ""))
        self.refuse("stream", "missing.csv", "-k", 1, *PRIVATE, says="missing.csv: cannot be opened")

    def test_a_record_with_nan_stops_the_run_before_anything_leaves(self):
        values = [0.1] * (30 * 4)
        values[-1] = math.nan
        path = self.write("nan.npy", npy_bytes(values, (30, 4)))
        self.refuse("stream", path, "-k", 1, "-R", 2, *PRIVATE, "--out", self.folder / "out")


if __name__ == "__main__":
    main()
