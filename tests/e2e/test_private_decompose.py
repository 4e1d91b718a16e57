"""sotto decompose --epsilon, as a user sees it: certificates, refusals, and what stays secret."""
import itertools
import json
import math
import random
import re

from sotto_cli import NOT_CONVERGED, ProgramTest, main, npy_bytes, read_npy

PRIVATE = ["--epsilon", 2, "--delta", 1e-6]


def symmetric(d, entry, order=3):
    values = {}
    for index in itertools.combinations_with_replacement(range(d), order):
        values[index] = entry(index)
    return [values[tuple(sorted(i))] for i in itertools.product(range(d), repeat=order)]


def gaussian_delta(epsilon, mu):
    phi = lambda x: math.erfc(-x / math.sqrt(2)) / 2
    return phi(mu / 2 - epsilon / mu) - math.exp(epsilon) * phi(-mu / 2 - epsilon / mu)


def recomputed_epsilon(privacy):
    """Epsilon from the releases alone, by the textbook formula and bisection."""
    mu = math.sqrt(math.fsum(r["count"] * (r["sensitivity"] / r["noise"]) ** 2
                             for r in privacy["releases"]))
    extra = math.fsum(r["count"] * r["precision"]["epsilon"] for r in privacy["releases"])
    lost = math.fsum(r["count"] * r["precision"]["delta"] for r in privacy["releases"])
    delta = (privacy["delta"] - lost) * math.exp(-extra)
    low, high = 0.0, 100.0
    for _ in range(200):
        middle = (low + high) / 2
        if gaussian_delta(middle, mu) > delta:
            low = middle
        else:
            high = middle
    return high + extra


class PrivateDecompose(ProgramTest):
    def setUp(self):
        super().setUp()
        rng = random.Random(7)
        self.d = 12
        vector = [rng.gauss(0, 1) for _ in range(self.d)]
        norm = math.sqrt(sum(x * x for x in vector))
        self.vector = [x / norm for x in vector]
        self.values = symmetric(self.d, lambda i: 5000 * math.prod(self.vector[a] for a in i))
        self.path = self.write("t.npy", npy_bytes(self.values, (self.d,) * 3))

    def run_private(self, *options, path=None, epsilon=2):
        """Standard output. Exit code 3, no convergence on a released tensor, is no failure."""
        done = self.sotto("decompose", path or self.path, "-k", 2, "--epsilon", epsilon, "--delta",
                          1e-6, "--anyway", *options)
        self.assertIn(done.returncode, (0, 3), done.stderr)
        self.assertEqual(done.stderr, NOT_CONVERGED if done.returncode == 3 else "")
        return done.stdout

    def private(self, *options, **settings):
        return json.loads(self.run_private(*options, "--json", **settings))

    def test_every_mechanism_recovers_a_strong_component_and_is_certified(self):
        for mechanism in "auto", "iterate", "input":
            out = self.folder / mechanism
            result = self.private("--mechanism", mechanism, "--out", out)
            self.assertEqual(result, json.loads((out / "result.json").read_text()))
            shape, vectors = read_npy(out / "vectors.npy")
            self.assertEqual(shape, (self.d, 2))
            cosine = abs(sum(vectors[2 * i] * self.vector[i] for i in range(self.d)))
            self.assertGreater(cosine, 0.99, mechanism)
            privacy = result["privacy"]
            self.assertEqual(privacy["guarantee"], "proved")
            self.assertLessEqual(privacy["epsilon"], 2)
            self.assertGreater(privacy["epsilon"], 2 * (1 - 1e-6))
            self.assertEqual(privacy["delta"], 1e-6)
            for name in "unit", "neighbours", "public", "why", "accountant":
                self.assertTrue(privacy[name], name)

    def test_epsilon_follows_from_the_releases(self):
        for options in (["--mechanism", "iterate"], ["--mechanism", "input"],
                        ["--as-published", "wang"], ["--as-published", "imtiaz"]):
            for epsilon in 0.1, 2, 20:
                privacy = self.private(*options, epsilon=epsilon)["privacy"]
                self.assertLess(abs(recomputed_epsilon(privacy) / privacy["epsilon"] - 1), 1e-12,
                                (options, epsilon))

    def test_as_published_shows_claimed_and_accounted(self):
        wang = self.private("--as-published", "wang", "-L", 10, "-R", 10)["privacy"]
        self.assertEqual(wang["claimed"], {"epsilon": 2, "delta": 1e-6})
        self.assertLess(wang["epsilon"], 1)
        self.assertEqual(sum(r["count"] for r in wang["releases"]), 2 * 10 * 11)
        imtiaz = self.private("--as-published", "imtiaz", "-L", 10, "-R", 10)["privacy"]
        self.assertGreater(imtiaz["epsilon"], 2.5 * wang["epsilon"])
        text = self.run_private("--as-published", "wang")
        self.assertIn("claims epsilon 2", text)

    def test_the_terminal_states_the_certificate_in_words(self):
        text = self.run_private()
        for words in "differentially private", "epsilon 2", "one entry", "public":
            self.assertIn(words, text)
        self.assertNotIn("not private", text)

    def test_an_insecure_seed_repeats_and_gives_no_guarantee(self):
        for mechanism in "iterate", "input":
            options = ["--mechanism", mechanism, "--insecure-seed", 3]
            a, b = self.private(*options), self.private(*options)
            self.assertEqual(a["weights"], b["weights"])
            self.assertEqual(a["privacy"]["guarantee"], "none")
            self.assertIn("seed", a["privacy"]["why"])
            self.assertNotEqual(self.private("--mechanism", mechanism)["weights"],
                                self.private("--mechanism", mechanism)["weights"])

    def test_nothing_that_was_not_released_is_said(self):
        result = self.private("--mechanism", "iterate", "-L", 4, "-R", 5)
        self.assertEqual(result["input"], {"dims": [self.d] * 3})
        self.assertNotIn("residuals", result["diagnostics"])
        self.assertEqual(result["diagnostics"]["status"], "completed")
        self.assertEqual(result["diagnostics"]["iterations"], [5, 5])
        self.assertEqual(len(result["privacy"]["releases"]), 2 * 6)
        text = self.run_private("--mechanism", "iterate")
        self.assertNotIn("residual", text)

    def keys(self, value):
        if isinstance(value, dict):
            return {k: self.keys(v) for k, v in value.items()}
        if isinstance(value, list):
            return [self.keys(v) for v in value]
        return type(value).__name__

    def test_neighbours_with_the_same_randomness_differ_in_numbers_only(self):
        changed = list(self.values)
        changed[0] += 6
        other = self.write("u.npy", npy_bytes(changed, (self.d,) * 3))
        for options in (["--mechanism", "iterate"], ["--mechanism", "input"],
                        ["--as-published", "wang"]):
            seen = []
            for name, path in ("a", self.path), ("b", other):
                out = self.folder / name
                self.private(*options, "--insecure-seed", 5, "--out", out, path=path)
                result = json.loads((out / "result.json").read_text())
                sizes = {p.name: p.stat().st_size for p in out.iterdir() if p.suffix == ".npy"}
                if "input" in options:  # iterations on the released tensor are not planned
                    for name in "history", "residuals", "agreement", "iterations":
                        result["diagnostics"].pop(name, None)
                seen.append((sizes, self.keys(result), sorted(p.name for p in out.iterdir())))
            self.assertEqual(seen[0], seen[1])

    def test_symmetry_is_not_reported(self):
        crooked = list(self.values)
        crooked[(2 * self.d + 1) * self.d + 0] += 1e6  # index (2,1,0): not sorted, not read
        path = self.write("crooked.npy", npy_bytes(crooked, (self.d,) * 3))
        options = ["--mechanism", "input", "--insecure-seed", 1]
        self.assertEqual(self.private(*options, path=path)["weights"],
                         self.private(*options)["weights"])

    def test_order_4(self):
        values = symmetric(6, lambda i: 5e4 * math.prod(self.vector[a] for a in i), order=4)
        path = self.write("four.npy", npy_bytes(values, (6,) * 4))
        for mechanism in "iterate", "input":
            privacy = self.private("--mechanism", mechanism, path=path)["privacy"]
            self.assertEqual(privacy["guarantee"], "proved")

    def test_other_methods_work_on_the_released_tensor(self):
        for options in (["--method", "simultaneous"], ["--method", "eigenpairs"],
                        ["--whiten", "tensor"]):
            done = self.sotto("decompose", self.path, "-k", 1, *PRIVATE, "--mechanism", "input",
                              "--anyway", "--json", *options)
            self.assertIn(done.returncode, (0, 3), done.stderr)
            self.assertEqual(json.loads(done.stdout)["privacy"]["guarantee"], "proved")


class AnyTensor(ProgramTest):
    """Tensors without symmetry: noise on the entries once, then any method."""
    DIMS = (9, 7, 8)

    def setUp(self):
        super().setUp()
        rng = random.Random(3)
        self.vectors = []
        for d in self.DIMS:
            v = [abs(rng.gauss(0, 1)) for _ in range(d)]
            norm = math.sqrt(sum(x * x for x in v))
            self.vectors.append([x / norm for x in v])
        self.values = [2000 * math.prod(v[i] for v, i in zip(self.vectors, index))
                       for index in itertools.product(*map(range, self.DIMS))]
        self.path = self.write("t.npy", npy_bytes(self.values, self.DIMS))

    def private(self, *options, path=None):
        done = self.sotto("decompose", path or self.path, *PRIVATE, "--json", *options)
        self.assertIn(done.returncode, (0, 3), done.stderr)
        return json.loads(done.stdout)

    def test_every_method_recovers_a_strong_component_and_is_certified(self):
        for n, options in enumerate((["-k", 1], ["-k", 1, "--method", "cp"],
                                     ["-k", 1, "--non-negative"], ["--ranks", 1],
                                     ["--ranks", 1, "--non-negative"], ["-k", "auto"],
                                     ["-k", 1, "--method", "alternating"])):
            with self.subTest(options):
                out = self.folder / str(n)
                result = self.private(*options, "--weight", 2000, "--csv", "--out", out)
                privacy = result["privacy"]
                self.assertEqual(privacy["guarantee"], "proved")
                self.assertEqual(privacy["unit"], "one entry of the tensor")
                self.assertLessEqual(privacy["epsilon"], 2)
                self.assertGreater(privacy["epsilon"], 2 * (1 - 1e-6))
                self.assertLess(abs(recomputed_epsilon(privacy) / privacy["epsilon"] - 1), 1e-12)
                self.assertEqual(len(privacy["releases"]), 1)
                self.assertEqual(privacy["releases"][0]["values"], 504)
                self.assertEqual(result["input"], {"dims": list(self.DIMS)})
                self.assertNotIn("seconds", json.dumps(result))
                for mode, truth in enumerate(self.vectors):
                    (rows, columns), factor = read_npy(out / f"factors_{mode}.npy")
                    cosine = abs(sum(factor[columns * i] * truth[i] for i in range(rows)))
                    self.assertGreater(cosine, 0.99, mode)
                    self.assertTrue((out / f"factors_{mode}.csv").exists())

    def test_rows_have_the_labels_of_public_files(self):
        rows = self.DIMS[1]
        labels = self.write("codes.txt", "".join(f"code {i}\n" for i in range(rows)))
        out = self.folder / "labelled"
        result = self.private("-k", 1, "--weight", 2000, "--labels", f",{labels},", "--csv",
                              "--out", out)
        entries = result["largest_entries"]
        self.assertEqual(entries["factors_1"][0]["label"],
                         [f"code {i}" for i in entries["factors_1"][0]["index"]])
        self.assertNotIn("label", entries["factors_0"][0])
        self.assertIn('"code 1",', (out / "factors_1.csv").read_text())
        self.assertIn("code 1", (out / "report.html").read_text())
        self.assertTrue(any("codes.txt" in fact for fact in result["privacy"]["public"]))
        plan = self.private("-k", 1, "--labels", f",{labels},", "--plan")
        self.assertIn("releases", plan)
        short = self.write("short.txt", "only one\n")
        self.refuse("decompose", self.path, "-k", 1, *PRIVATE, "--weight", 2000, "--labels",
                    f"{short},,", says=["short.txt", "1 labels"])

    def test_symmetric_vectors_have_the_labels_of_the_first_file(self):
        made = self.generate("tensor", "-d", 6, "-k", 1, out="symmetric")
        labels = self.write("rows.txt", "".join(f"row {i}\n" for i in range(6)))
        for mechanism in "iterate", "input":
            result = self.private("-k", 1, "--anyway", "--mechanism", mechanism, "--labels",
                                  f"{labels},,", path=made / "tensor.npy")
            entries = result["largest_entries"]["vectors"][0]
            self.assertEqual(entries["label"], [f"row {i}" for i in entries["index"]])

    def test_the_terminal_says_what_was_fitted_and_what_may_be_noise(self):
        text = self.succeed("decompose", self.path, "-k", 1, *PRIVATE, "--weight", 2000)
        for words in ("released tensor, noise included", "noise in an entry", "may be noise",
                      "differentially private", "changed by at most 1 "):
            self.assertIn(words, text)
        self.assertNotIn("not private", text)

    def test_a_declared_change_scales_noise_and_shows_everywhere(self):
        one, wide = (self.private("-k", 1, "--anyway", "--entry-change", x) for x in (1, 20))
        noise = [r["privacy"]["releases"][0]["noise"] for r in (one, wide)]
        self.assertAlmostEqual(noise[1] / noise[0], 20, places=6)
        self.assertIn("at most 20 ", wide["privacy"]["neighbours"])
        self.assertIn("that one entry changes by at most 20", wide["privacy"]["public"])
        self.assertEqual(wide["options"]["entry-change"], 20)
        plan = self.private("-k", 1, "--plan", "--entry-change", 20)
        self.assertEqual(plan["settings"]["entry_change"], 20)
        self.assertAlmostEqual(plan["releases"][0]["noise"] / noise[1], 1)
        text = self.succeed("decompose", self.path, "-k", 1, *PRIVATE, "--entry-change", 20,
                            "--plan")
        self.assertIn("entry_change 20", text)

    def test_the_shape_decides_and_symmetry_is_not_looked_for(self):
        cube = [rng for rng in range(27)]
        path = self.write("cube.npy", npy_bytes(map(float, cube), (3, 3, 3)))
        result = self.private("-k", 1, "--anyway", path=path)
        self.assertEqual(result["options"]["method"], "power")
        self.assertEqual(result["privacy"]["unit"], "one entry of the symmetric tensor")
        result = self.private("-k", 1, "--anyway", "--method", "cp", path=path)
        self.assertEqual(result["privacy"]["unit"], "one entry of the tensor")
        self.assertEqual(self.private("-k", 1, "--anyway")["options"]["method"], "cp")

    def test_a_sparse_file_is_the_dense_tensor_it_stands_for(self):
        text = "sptensor\n3\n3 2 2\n1\n3 2 1 5\n"
        dense = [0.0] * 12
        dense[2 * 4 + 1 * 2] = 5.0
        tns = self.write("s.tns", text)
        npy = self.write("d.npy", npy_bytes(dense, (3, 2, 2)))
        runs = [self.private("-k", 1, "--anyway", "--insecure-seed", 3, path=p) for p in (tns, npy)]
        self.assertEqual(runs[0]["weights"], runs[1]["weights"])
        self.assertEqual(runs[0]["input"], {"dims": [3, 2, 2]})
        plan = self.private("-k", 1, "--plan", path=tns)
        self.assertEqual(plan["releases"][0]["values"], 12)

    def test_huge_entries_are_released_and_a_nan_is_refused_without_a_word(self):
        values = list(self.values)
        values[3] = 1e60
        self.private("-k", 1, "--anyway", path=self.write("h.npy", npy_bytes(values, self.DIMS)))
        values[3] = math.nan
        path = self.write("n.npy", npy_bytes(values, self.DIMS))
        self.refuse("decompose", path, "-k", 1, *PRIVATE, "--anyway", says="nothing was released")


class Signal(ProgramTest):
    """A run that can only return noise says so before it spends anything."""
    def test_the_default_example_at_epsilon_1_is_refused(self):
        self.succeed("generate", "tensor", "--out", "made")
        run = ["decompose", "made/tensor.npy", "-k", 5, "--epsilon", 1, "--delta", 1e-6]
        self.refuse(*run, "--out", "found", says=["expected to be recovered", "--weight",
                                                  "--anyway", "nothing was released"])
        self.refuse(*run, "--out", "found", "--weight", 1, says=["--weight", "from epsilon"])
        self.refuse(*run, "--out", "found", "--max-entry", 0.5,
                    says=["expected to be recovered", "no component", "--anyway"])
        self.assertIn(self.sotto(*run, "--anyway").returncode, (0, 3))
        plan = json.loads(self.succeed(*run, "--plan", "--json"))
        self.assertEqual(plan["forecasts"]["refused"], 1)
        weight = plan["forecasts"]["weight"]
        self.assertIn(self.sotto(*run, "--weight", 1.001 * weight).returncode, (0, 3))
        self.assertIn("refused", self.succeed(*run, "--plan"))
        stated = json.loads(self.succeed(*run, "--plan", "--json", "--weight", 1.001 * weight))
        self.assertNotIn("refused", stated["forecasts"])

    def test_entries_likewise(self):
        path = self.write("t.npy", npy_bytes([1.0] * 24, (4, 3, 2)))
        run = ["decompose", path, "-k", 1, *PRIVATE]
        self.refuse(*run, says=["expected to be recovered", "--anyway"])
        self.refuse(*run, "--weight", 5, says=["--weight", "expected to be recovered"])
        self.refuse(*run, "--max-entry", 1, says="no component")
        self.assertIn(self.sotto(*run, "--max-entry", 100).returncode, (0, 3))
        # A smaller change needs less noise.
        self.assertIn(self.sotto(*run, "--weight", 5, "--entry-change", 0.01).returncode, (0, 3))


class Plan(ProgramTest):
    def plan(self, *options):
        return json.loads(self.succeed("decompose", *options, "-k", 3, *PRIVATE, "--plan", "--json"))

    def test_needs_no_data(self):
        plan = self.plan("nowhere.npy", "--dim", 100, "--weight", 500)
        self.assertIn(plan["settings"]["mechanism"], ("iterate", "input"))
        for name in "starts", "iterations":
            self.assertGreater(plan["settings"][name], 0)
        for name in "noise", "weight", "epsilon":
            self.assertGreater(plan["forecasts"][name], 0)
        self.assertEqual((plan["epsilon"], plan["delta"]), (2, 1e-6))

    def test_announces_the_releases_of_the_run(self):
        made = self.folder / "made"
        self.succeed("generate", "tensor", "-d", 8, "-k", 3, "--out", made)
        tensor = made / "tensor.npy"
        for how in (["--mechanism", "iterate"], ["--mechanism", "input"],
                    ["--as-published", "wang"]):
            announced = {r["what"]: (r["count"], r["values"], r["mechanism"])
                         for r in self.plan(tensor, *how)["releases"]}
            done = self.sotto("decompose", tensor, "-k", 3, *PRIVATE, *how, "--anyway", "--json")
            self.assertIn(done.returncode, (0, 3), done.stderr)
            counts = {}
            for r in json.loads(done.stdout)["privacy"]["releases"]:
                before = counts.get(r["what"], (0,))[0]
                counts[r["what"]] = (before + r["count"], r["values"], r["mechanism"])
            self.assertEqual(counts, announced, how)

    def test_takes_the_shape_from_a_header_and_reads_no_further(self):
        data = npy_bytes([math.nan] * 27, (3, 3, 3))
        path = self.write("t.npy", data)
        self.assertEqual(self.plan(path), self.plan("nowhere", "--dim", 3))

    def test_the_forecast_agrees_with_itself(self):
        for mechanism in "iterate", "input":
            plan = self.plan("x", "--dim", 64, "--mechanism", mechanism)
            again = self.plan("x", "--dim", 64, "--mechanism", mechanism, "--weight",
                              plan["forecasts"]["weight"])
            self.assertAlmostEqual(again["forecasts"]["epsilon"], 2, places=6)

    def test_speaks_in_sentences(self):
        text = self.succeed("decompose", "x", "-k", 3, *PRIVATE, "--plan", "--dim", 30)
        self.assertRegex(text, re.compile("expected to be recovered"))


class Refusals(ProgramTest):
    def setUp(self):
        super().setUp()
        values = symmetric(3, lambda i: float(i[0] == i[1] == i[2]))
        self.good = self.write("good.npy", npy_bytes(values, (3, 3, 3)))

    def refused(self, options, says, path=None):
        self.refuse("decompose", path or self.good, "-k", 1, "--out", self.folder / "out", *options,
                    says=says)

    def test_options_that_do_not_go_together(self):
        for options, says in (
                (["--epsilon", 1], "--delta"), (["--delta", 1e-6], "--epsilon"),
                (["--epsilon", 0, "--delta", 1e-6], "--epsilon"),
                (["--epsilon", "inf", "--delta", 1e-6], "--epsilon"),
                (["--epsilon", 1, "--delta", 0], "--delta"),
                (["--epsilon", 1, "--delta", 1], "--delta"),
                (["--mechanism", "input"], "--epsilon"), (["--as-published", "wang"], "--epsilon"),
                (["--insecure-seed", 1], "--epsilon"), (["--max-entry", 1], "--epsilon"),
                (["--dim", 3], "--plan"), (["--weight", 3], "--epsilon"), (["--plan"], "--epsilon"),
                (["--anyway"], "--epsilon"), (["--entry-change", 2], "--epsilon"),
                ([*PRIVATE, "--entry-change", 0], "--entry-change"),
                ([*PRIVATE, "--entry-change", "nan"], "--entry-change"),
                ([*PRIVATE, "--method", "cp", "--mechanism", "iterate"], "--mechanism"),
                ([*PRIVATE, "--method", "cp", "--as-published", "wang"], "--as-published"),
                ([*PRIVATE, "--method", "cp", "--symmetrize"], "--symmetrize"),
                ([*PRIVATE, "--method", "cp", "-k", 10], "--components"),
                ([*PRIVATE, "--method", "tucker"], "--ranks"),
                ([*PRIVATE, "--method", "tucker", "--ranks", 4], "--ranks"),
                ([*PRIVATE, "--missing"], "--missing"),
                ([*PRIVATE, "--anyway", "--method", "cp", "--labels", "a,b"], "--labels"),
                ([*PRIVATE, "--anyway", "--method", "cp", "--labels", "a,b,c"], "a: "),
                ([*PRIVATE, "--method", "cp", "--labels", f"{self.good},,"],
                 ["--labels", "protects"]),
                ([*PRIVATE, "--as-published", "wang", "--mechanism", "input"], "--as-published"),
                ([*PRIVATE, "--mechanism", "iterate", "--method", "simultaneous"], "--method"),
                ([*PRIVATE, "--mechanism", "iterate", "--whiten", "tensor"], "--whiten"),
                ([*PRIVATE, "--whiten-with", self.good], "--whiten-with"),
                ([*PRIVATE, "--mechanism", "iterate", "--polish", 3], "--polish"),
                ([*PRIVATE, "--mechanism", "iterate", "--tolerance", 0.1], "--tolerance"),
                ([*PRIVATE, "--order", 4], "order 3, not 4"),
                ([*PRIVATE, "--mechanism", "magic"], "--mechanism"),
                (["--epsilon", 1e-15, "--delta", 1e-6], "epsilon")):
            self.refused(options, says)

    def test_a_nan_is_refused_without_a_word_about_the_data(self):
        values = symmetric(3, lambda i: 123.5)
        values[0] = math.nan
        for name, data in (("nan.npy", npy_bytes(values, (3, 3, 3))),
                           ("nan.tns", "1 1 1 123.5\n2 2 2 nan\n"), ("word.tns", "1 1 1 secret\n")):
            path = self.write(name, data)
            done = self.sotto("decompose", path, "-k", 1, *PRIVATE, "--out", self.folder / "out")
            self.assertEqual(done.returncode, 2)
            self.assertEqual(done.stdout, "")
            for word in "123.5", "nan ", "secret", "(0":
                self.assertNotIn(word, done.stderr.replace(str(path), ""))
            self.assertIn("nothing was released", done.stderr)
            self.assertFalse((self.folder / "out").exists())

    def test_shapes_and_paths(self):
        self.refused(PRIVATE, "missing.npy", path="missing.npy")
        self.refused(PRIVATE, "one row", path=self.write("f.npy", npy_bytes([1.0] * 4, (1, 2, 2))))
        self.refused([*PRIVATE, "--method", "power"], ["equal", "cp"],
                     path=self.write("g.npy", npy_bytes([1.0] * 12, (3, 2, 2))))
        self.refused(PRIVATE, "order", path=self.write("m.npy", npy_bytes([1.0] * 4, (2, 2))))
        big = "sptensor\n3\n100000 100000 100000\n1\n1 1 1 1\n"
        self.refused(PRIVATE, "2^32", path=self.write("big.tns", big))

    def test_a_shape_that_the_entries_would_give_away(self):
        self.refused(PRIVATE, "declared shape", path=self.write("bare.tns", "1 1 1 1\n3 3 3 2\n"))


if __name__ == "__main__":
    main()
