"""sotto decompose and sotto generate tensor, as a user sees them."""
import gzip
import itertools
import json
import math
import random

from sotto_cli import ProgramTest, main, npy_bytes, read_npy


def symmetric(d, entry):
    """C-order values of a symmetric d x d x d tensor from entry(i <= j <= k)."""
    return [entry(*sorted(index)) for index in itertools.product(range(d), repeat=3)]


def diagonal(weights):
    return symmetric(len(weights), lambda i, j, k: weights[i] if i == j == k else 0.0)


class Decompose(ProgramTest):
    def test_recovers_what_generate_made(self):
        for order, dim in (3, 30), (4, 12):
            out = self.folder / f"made{order}"
            self.succeed("generate", "tensor", "-d", dim, "-k", 4, "-p", order, "--out", out)
            truth = json.loads((out / "result.json").read_text())
            self.assertEqual(truth["weights"][0], 2)
            found = self.result("decompose", out / "tensor.npy", "-k", 4, "--out", out / "found")
            self.assertEqual(found, json.loads((out / "found" / "result.json").read_text()))
            for a, b in zip(sorted(truth["weights"]), sorted(found["weights"])):
                self.assertAlmostEqual(a, b, delta=1e-10)
            shape, vectors = read_npy(out / "found" / "vectors.npy")
            true_shape, true_vectors = read_npy(out / "vectors.npy")
            self.assertEqual((shape, true_shape), ((dim, 4), (dim, 4)))
            for j in range(4):
                cosines = [abs(sum(vectors[4 * i + j] * true_vectors[4 * i + m]
                                   for i in range(dim))) for m in range(4)]
                self.assertGreater(max(cosines), 1 - 1e-10)

    def test_result_has_the_fields_of_the_contract(self):
        path = self.write("t.npy", npy_bytes(diagonal([3.0, 2.0, 1.0]), (3, 3, 3)))
        result = self.result("decompose", path, "-k", 3)
        self.assertEqual(result["command"], "decompose")
        self.assertIn("version", result)
        self.assertEqual(result["options"]["components"], 3)
        self.assertEqual(result["input"]["dims"], [3, 3, 3])
        self.assertIsNone(result["privacy"])
        self.assertIsInstance(result["seconds"], float)
        self.assertEqual(result["diagnostics"]["status"], "converged")
        for name in "residuals", "agreement", "iterations":
            self.assertEqual(len(result["diagnostics"][name]), 3)
        self.assertEqual(sorted(round(w, 10) for w in result["weights"]), [1, 2, 3])

    def test_reads_every_form_of_the_same_tensor(self):
        weights = [3.0, 2.0, 1.0]
        values = diagonal(weights)
        entries = "".join(f"{i} {i} {i} {w}\n" for i, w in enumerate(weights, 1))
        forms = {
            "c.npy": npy_bytes(values, (3, 3, 3)),
            "f4.npy": npy_bytes(values, (3, 3, 3), "<f4"),
            "big.npy": npy_bytes(values, (3, 3, 3), ">f8"),
            "big4.npy": npy_bytes(values, (3, 3, 3), ">f4"),
            "fortran.npy": npy_bytes(values, (3, 3, 3), fortran=True),
            "v2.npy": npy_bytes(values, (3, 3, 3), version=2),
            "frostt.tns": "# comment\n" + entries,
            "toolbox.tns": "sptensor\n3\n3 3 3\n3\n" + entries,
            "dense.tns": "tensor\n3\n3 3 3\n" + "".join(f"{v}\n" for v in values),
            "frostt.gz": gzip.compress(entries.encode()),
            "c.npy.gz": gzip.compress(npy_bytes(values, (3, 3, 3))),
            "no_name_helps.txt": npy_bytes(values, (3, 3, 3)),
        }
        for name, data in forms.items():
            result = self.result("decompose", self.write(name, data), "-k", 3)
            self.assertEqual(sorted(round(w, 6) for w in result["weights"]), [1, 2, 3], name)

    def test_every_method_finds_the_components(self):
        path = self.write("t.npy", npy_bytes(diagonal([3.0, 2.0, 1.0]), (3, 3, 3)))
        for method in "power", "simultaneous", "alternating", "eigenpairs":
            out = self.folder / method
            result = self.result("decompose", path, "-k", 3, "--method", method, "--out", out)
            self.assertEqual(sorted(round(w, 8) for w in result["weights"]), [1, 2, 3], method)
            for name in result["files"]:
                self.assertEqual(read_npy(out / name)[0], (3, 3))
            self.assertEqual(len(result["files"]), 3 if method == "alternating" else 1)

    def test_a_tensor_without_symmetry_is_fitted_jointly(self):
        rng = random.Random(3)
        dims, k = (6, 5, 4), 2
        factors = [[[rng.random() for _ in range(k)] for _ in range(d)] for d in dims]
        values = [sum(factors[0][i][r] * factors[1][j][r] * factors[2][m][r] for r in range(k))
                  for i, j, m in itertools.product(*map(range, dims))]
        path = self.write("t.npy", npy_bytes(values, dims))
        holes = self.write("holes.npy", npy_bytes(
            [math.nan if p % 11 == 0 else v for p, v in enumerate(values)], dims))
        mask = self.write("mask.npy", npy_bytes(
            [0.0 if p % 11 == 0 else 1.0 for p in range(len(values))], dims))
        labels = self.write("rows.txt", "".join(f"row {i}\n" for i in range(6)))
        for options, observed in (([path, "--csv", "--labels", f"{labels},,"], 120),
                                  ([path, "--non-negative"], 120), ([holes, "--missing"], 109),
                                  ([path, "--mask", mask], 109)):
            out = self.folder / "fitted"
            result = self.result("decompose", *options, "-k", k, "--out", out)
            self.assertEqual(result["options"]["method"], "cp")
            self.assertGreater(result["fit"], 0.999)
            self.assertEqual(result["diagnostics"]["observed"], observed)
            self.assertGreater(result["diagnostics"]["core_consistency"], 99)
            self.assertEqual(len(result["diagnostics"]["congruence"]), k)
            if "--csv" in options:
                self.assertIn('"row 3",', (out / "factors_0.csv").read_text())
                entries = result["largest_entries"]["factors_0"]
                self.assertEqual(len(entries), k)
                self.assertEqual(entries[0]["label"], [f"row {i}" for i in entries[0]["index"]])
        result = self.result("decompose", path, "--ranks", 2, "--out", self.folder / "tucker")
        self.assertGreater(result["fit"], 0.999999)
        self.assertEqual(read_npy(self.folder / "tucker" / "core.npy")[0], (2, 2, 2))
        result = self.result("decompose", path, "-k", "auto", "--components-up-to", 3)
        self.assertEqual(len(result["trials"]), 3)
        self.assertEqual(result["options"]["components"], 2)

    def test_a_bad_fit_is_said_beside_the_status(self):
        out = self.folder / "made"
        self.succeed("generate", "tensor", "-d", 20, "-k", 4, "--condition", 10, "--out", out)
        text = self.succeed("decompose", out / "tensor.npy", "-k", 4)
        self.assertRegex(text, r"converged in .* s, fit 0\.9")
        self.assertIn("--method cp", text)
        self.assertGreater(self.result("decompose", out / "tensor.npy", "-k", 4, "--method",
                                       "cp")["fit"], 0.999)

    def test_whitening_recovers_components_that_are_not_orthogonal(self):
        out = self.folder / "made"
        self.succeed("generate", "tensor", "-d", 50, "-k", 5, "--condition", 10, "--out", out)
        _, truth = read_npy(out / "vectors.npy")
        for how in ["--whiten-with", out / "moment.npy"], ["--whiten", "tensor"]:
            found = self.folder / "found"
            self.succeed("decompose", out / "tensor.npy", "-k", 5, *how, "--out", found)
            _, vectors = read_npy(found / "vectors.npy")
            for j in range(5):
                cosines = []
                for m in range(5):
                    norm = math.sqrt(sum(truth[5 * i + m] ** 2 for i in range(50)))
                    dot = sum(vectors[5 * i + j] * truth[5 * i + m] for i in range(50))
                    cosines.append(abs(dot) / norm)
                self.assertGreater(max(cosines), 1 - 1e-8)

    def test_symmetrize_takes_the_mean_over_index_orders(self):
        values = diagonal([3.0, 2.0, 1.0])
        values[0 * 9 + 1 * 3 + 2] += 6e-3
        path = self.write("t.npy", npy_bytes(values, (3, 3, 3)))
        result = self.result("decompose", path, "-k", 3, "--symmetrize")
        self.assertAlmostEqual(result["weights"][0], 3, places=3)

    def test_same_answer_for_any_number_of_threads(self):
        out = self.folder / "made"
        self.succeed("generate", "tensor", "-d", 40, "-k", 5, "--noise", "gaussian", "--noise-norm",
                     0.05, "--out", out)
        found = [self.result("decompose", out / "tensor.npy", "-k", 5, "--threads", t)["weights"]
                 for t in (1, 2, 3)]
        self.assertEqual(found[0], found[1])
        self.assertEqual(found[0], found[2])

    def test_ending_without_converging_is_exit_code_3_with_the_result_written(self):
        out = self.folder / "made"
        self.succeed("generate", "tensor", "-d", 30, "-k", 3, "--out", out)
        result = self.result("decompose", out / "tensor.npy", "-k", 3, "-R", 1, "--polish", 0,
                             "--out", out / "found", code=3)
        self.assertEqual(result["diagnostics"]["status"], "iteration limit")
        self.assertTrue((out / "found" / "result.json").exists())

    def test_noise_models_can_be_generated(self):
        for noise in "gaussian", "adversarial", "weak":
            out = self.folder / noise
            self.succeed("generate", "tensor", "-d", 12, "-k", 3, "--noise", noise, "--noise-norm",
                         0.01, "--out", out)
            result = self.result("decompose", out / "tensor.npy", "-k", 3)
            self.assertLess(abs(result["weights"][0] - 2), 0.05, noise)

    def test_a_sparse_tensor_of_large_dimension_is_never_packed(self):
        path = self.write("t.tns", "1 1 1 5\n100000 100000 100000 3\n")
        result = self.result("decompose", path, "-k", 2, "-L", 4)
        self.assertEqual([round(w, 8) for w in result["weights"]], [5, 3])


class Refusals(ProgramTest):
    def setUp(self):
        super().setUp()
        self.good = self.write("good.npy", npy_bytes(diagonal([3.0, 2.0, 1.0]), (3, 3, 3)))

    def bad(self, name, data, says=(), *options):
        path = self.write(name, data)
        self.refuse("decompose", path, "-k", 1, "--out", self.folder / "out", *options, says=says)

    def test_a_tensor_that_is_not_symmetric(self):
        values = diagonal([3.0, 2.0, 1.0])
        values[0 * 9 + 1 * 3 + 2] += 0.5
        self.bad("a.npy", npy_bytes(values, (3, 3, 3)),
                 ("not symmetric", "0.5", "--symmetrize", "--method cp", "(0,1,2)"),
                 "--method", "power")
        self.bad("b.tns", "1 2 3 0.5\n3 3 3 1\n", ("not symmetric", "0.5", "--symmetrize"),
                 "--method", "power")

    def test_tensors_that_no_model_can_be_fitted_to(self):
        values = [1.0 + i % 7 for i in range(60)]
        nan = math.nan
        for says, data, options in (
                (("(0, 1, 2)", "NaN", "--missing"), values[:7] + [nan] + values[8:], []),
                (("every entry", "NaN"), [nan] * 60, ["--missing"]),
                (("slice 0 of mode 0",), [nan] * 20 + values[20:], ["--missing"]),
                (("(0, 1, 2)", "negative"), values[:7] + [-1.0] + values[8:], ["--non-negative"])):
            self.bad("fit.npy", npy_bytes(data, (3, 4, 5)), says, *options)
        path = self.write("fit.npy", npy_bytes(values, (3, 4, 5)))
        for says, options in (
                ("13 components", ["-k", 13]), ("--ranks", ["--ranks", "2,2"]),
                ("--ranks", ["--method", "tucker"]), ("--ranks", ["--ranks", "4,2,2"]),
                ("--ranks", ["-k", 2, "--ranks", "1.5"]), ("--components", []),
                ("--missing", ["-k", 2, "--method", "power", "--missing"]),
                ("--labels", ["-k", 2, "--labels", "one.txt"]),
                ("--missing", ["-k", 2, "--missing", "--epsilon", 1, "--delta", 1e-6])):
            self.refuse("decompose", path, *options, says=says)
        self.bad("thin.npy", npy_bytes(values, (1, 12, 5)), "one row")
        self.bad("twice.tns", "1 1 1 1\n1 1 1 2\n2 2 2 1\n", "more than once")
        self.bad("gap.tns", "1 1 1 1\n3 2 2 1\n1 2 1 3\n", "slice 1 of mode 0")

    def test_files_that_are_damaged(self):
        good = npy_bytes(diagonal([3.0, 2.0, 1.0]), (3, 3, 3))
        self.bad("empty", b"", "empty")
        self.bad("truncated.npy", good[:-1])
        self.bad("header.npy", good[:40])
        self.bad("trailing.npy", good + b"\0")
        self.bad("magic.npy", b"\x92NUMPY" + good[6:])
        self.bad("garbage", bytes(range(256)) * 4)
        self.bad("text.tns", "hello world\n")
        self.bad("cut.tns.gz", gzip.compress(b"1 1 1 1\n" * 100)[:-4])
        values = diagonal([3.0, 2.0, 1.0])
        for x in math.nan, math.inf:
            values[0] = x
            self.bad("nan.npy", npy_bytes(values, (3, 3, 3)))
        self.bad("nan.tns", "1 1 1 nan\n")
        self.bad("zero.tns", "0 1 1 1\n", "zero.tns:1")
        self.bad("fields.tns", "1 1 1 1\n1 1 1\n", "fields.tns:2")

    def test_claims_that_are_too_large(self):
        for shape in (10000, 10000, 10000), (2**40, 2**40, 2**40), (10**12,), (-1, 3, 3), (0, 3, 3):
            self.bad("claim.npy", npy_bytes([1.0], shape))
        self.bad("claim.npy.gz", gzip.compress(npy_bytes([1.0], (10000, 10000, 10000))))
        self.bad("claim.tns", "sptensor\n3\n10 10 10\n1000000000000\n1 1 1 1\n")
        self.bad("claim2.tns", "tensor\n3\n10000 10000 10000\n1\n")

    def test_shapes_that_cannot_be_decomposed(self):
        self.bad("matrix.npy", npy_bytes([1.0, 0, 0, 1.0], (2, 2)), ("three modes", "2 x 2"))
        self.bad("vector.npy", npy_bytes([1.0], (1,)))
        self.bad("flat.npy", npy_bytes([1.0] * 4, (1, 2, 2)), ("1 x 2 x 2", "one row"))
        self.bad("five.npy", npy_bytes([1.0], (1,) * 5), "order 5", "--method", "power")
        self.bad("order.npy", npy_bytes([1.0], (1,) * 3), "order 3, not 4", "--order", 4)

    def test_parameters_that_cannot_be(self):
        for options, says in (
                (["-k", 4], "dimension 3"), (["-k", 0], "--components"), (["-k", "x"], "--components"),
                (["-k", 3, "-L", 0], "--starts"), (["-k", 3, "-R", 0], "--iterations"),
                (["-k", 3, "--tolerance", "nan"], "--tolerance"), (["-k", 3, "--foo"], "--foo"),
                (["-k"], "--components"), ([], "--components"), (["-k", 3, "extra"], "extra"),
                (["-k", 3, "--method", "magic"], "--method"),
                (["-k", 3, "--method", "alternating", "--whiten", "tensor"], "--whiten"),
                (["-k", 3, "--whiten-with", "missing.npy"], "missing.npy"),
                (["-k", 3, "--whiten-with", self.good], "3 x 3"),
                (["-k", 3, "--threads", -1], "--threads")):
            self.refuse("decompose", self.good, *options, says=says)

    def test_paths_that_cannot_be(self):
        self.refuse("decompose", "missing.npy", "-k", 1, says="missing.npy")
        self.refuse("decompose", self.folder, "-k", 1, says="directory")
        self.refuse("decompose", self.good, "-k", 1, "--out", self.good, says="not a directory")
        self.refuse("decompose", self.good, "-k", 1, "--out", "/proc/no", code=1)

    def test_an_out_folder_keeps_its_files_when_the_run_is_refused(self):
        out = self.folder / "out"
        self.succeed("decompose", self.good, "-k", 3, "--out", out)
        before = {p.name: p.read_bytes() for p in out.iterdir()}
        self.refuse("decompose", self.good, "-k", 4, "--out", out)
        self.assertEqual({p.name: p.read_bytes() for p in out.iterdir()}, before)

    def test_generators_that_cannot_be(self):
        for options in (["-d", 3, "-k", 4], ["-p", 5], ["--weights", "1,2", "-k", 3],
                        ["--noise", "gaussian"], ["--noise-norm", 1], ["--condition", 0.5]):
            self.refuse("generate", "tensor", *options, "--out", self.folder / "out")
        self.refuse("generate", "tensor", says="--out")

    def test_damage_at_any_byte_never_crashes(self):
        rng = random.Random(1)
        good = npy_bytes(diagonal([3.0, 2.0, 1.0]), (3, 3, 3))
        for _ in range(40):
            data = bytearray(good)
            data[rng.randrange(128)] ^= 1 << rng.randrange(8)
            path = self.write("flipped.npy", bytes(data))
            done = self.sotto("decompose", path, "-k", 1)
            self.assertIn(done.returncode, (0, 2, 3), done.stderr)
            self.assertLessEqual(done.stderr.count("\n"), 1)


if __name__ == "__main__":
    main()
