"""sotto complete and sotto generate ratings, as a user sees them."""
import json
import math
import pathlib

from sotto_cli import ProgramTest, main, read_npy


class Complete(ProgramTest):
    def make(self, name="made", *arguments):
        return self.generate("ratings", "--users", 300, "--items", 200, "--months", 12, "--rank", 2,
                             "-n", 20000, *arguments, out=name)

    def test_learns_ratings_and_writes_what_it_learnt(self):
        made, out = self.make(), self.folder / "out"
        found = self.result("complete", made / "ratings.csv", "-r", 2, "--test", made / "test.csv",
                            "--out", out)
        self.assertEqual(found, json.loads((out / "result.json").read_text()))
        self.assertLess(found["rmse"], 0.85)
        self.assertLess(found["mae"], found["rmse"])
        self.assertGreater(found["ndcg10"], 0.8)
        self.assertIsNone(found["privacy"])
        self.assertEqual(found["input"]["modes"], ["user", "item", "month"])
        self.assertEqual(found["diagnostics"]["method"], "bayes")
        for name in found["files"]:
            self.assertTrue((out / name).exists(), name)
        # The written files are enough to predict: the test error by hand.
        factors = [read_npy(out / f"factors_{m}.npy") for m in range(3)]
        biases = [read_npy(out / f"biases_{m}.npy")[1] for m in range(3)]
        rows = [{label: i for i, label in enumerate((out / f"labels_{m}.txt").read_text().split())}
                for m in range(3)]
        square = count = 0
        for line in (made / "test.csv").read_text().splitlines()[1:]:
            *labels, value = line.split(",")
            at = [rows[m].get(label) for m, label in enumerate(labels)]
            x = found["mean"] + sum(biases[m][i] for m, i in enumerate(at) if i is not None)
            if None not in at:
                x += sum(math.prod(factors[m][1][2 * i + r] for m, i in enumerate(at))
                         for r in range(2))
            square, count = square + (x - float(value)) ** 2, count + 1
        self.assertAlmostEqual(math.sqrt(square / count), found["rmse"], places=9)
        self.assertEqual(found["test"]["entries"], count)

    def test_cross_validation_predicts_every_rating_once(self):
        made = self.make()
        command = ["complete", made / "ratings.csv", "-r", 2, "--epochs", 5]
        alone = self.result(*command, "--test", made / "test.csv")
        found = self.result(*command, "--test", made / "test.csv", "--cross-validate", 4)
        parts = found["cross_validation"]
        self.assertEqual(len(parts), 4)
        ratings = len((made / "ratings.csv").read_text().splitlines()) - 1
        self.assertEqual(sum(part["entries"] for part in parts), ratings)
        mean = sum(part["rmse"] for part in parts) / 4
        self.assertLess(abs(mean - found["rmse"]), 0.05)
        self.assertGreater(mean, found["diagnostics"]["history"]["train_rmse"][-1])
        self.assertEqual(found["rmse"], alone["rmse"])  # the model itself is that of all ratings
        self.assertTrue(0 < found["precision10"] <= 1)
        self.assertIn("cross-validation, 4 parts: rmse", self.succeed(*command, "--cross-validate", 4))
        self.refuse(*command[:2], "--cross-validate", 4, "--epsilon", 1, "--range", "1:5",
                    says="--cross-validate")
        self.refuse("complete", self.write("two.csv", "a,x,1\nb,y,2\n"), "--cross-validate", 2,
                    says="fewer than two")

    def test_tucker_writes_a_core(self):
        made, out = self.make(), self.folder / "out"
        for method in "als", "sgd":
            found = self.result("complete", made / "ratings.csv", "-r", 3, "--model", "tucker",
                                "--method", method, "--epochs", 3, "--out", out)
            self.assertEqual(read_npy(out / "core.npy")[0], (3, 3, 3))
            self.assertEqual(found["diagnostics"]["epochs"], 3)

    def test_same_answer_for_any_number_of_threads(self):
        made = self.make()
        for method in "sgd", "als", "bayes":
            options = ("complete", made / "ratings.csv", "-r", 4, "--method", method, "--epochs", 3,
                       "--test", made / "test.csv")
            first, second = (self.result(*options, "--threads", n) for n in (1, 3))
            self.assertEqual(first["rmse"], second["rmse"])
            self.assertEqual(first["diagnostics"]["history"]["train_rmse"],
                             second["diagnostics"]["history"]["train_rmse"])

    def test_movielens_files_and_time_modes(self):
        lines = [(u, i, (3 * u + i) % 5 + 1, 874965758 + 86400 * 20 * ((u + i) % 4))
                 for u in range(1, 9) for i in range(1, 7)]
        files = {
            "u.data": "".join("%d\t%d\t%d\t%d\n" % line for line in lines),
            "ratings.dat": "".join("%d::%d::%d::%d\n" % line for line in lines),
            "ratings.csv": "userId,movieId,rating,timestamp\n"
                           + "".join("%d,%d,%.1f,%d\n" % line for line in lines)}
        for mode, size in ("none", 1), ("day", 4), ("week", 4), ("month", 3):
            weights = set()
            for name, text in files.items():
                found = self.result("complete", self.write(name, text), "-r", 2, "--time-mode",
                                    mode, "--range", "1:5", "--test", name, "--epochs", 4)
                self.assertEqual(found["input"]["dims"], [8, 6, size])
                weights.add(found["rmse"])
            self.assertEqual(len(weights), 1)

    def test_unknown_ids_are_predicted_by_the_biases(self):
        made = self.make()
        test = self.write("t.csv", "user,item,month,rating\nnobody,nothing,never,3.5\n")
        found = self.result("complete", made / "ratings.csv", "-r", 2, "--test", test)
        self.assertEqual(found["test"], {"entries": 1, "unknown_rows": 1})
        self.assertLess(found["rmse"], 0.2)

    def test_check_reports_and_learns_nothing(self):
        path = self.write("r.csv", "a,x,1\nb,x,2\na,x,3\na,y,3\n")
        test = self.write("t.csv", "a,x,1\nc,y,1\n")
        found = self.result("complete", path, "-r", 1, "--check", "--test", test)["check"]
        self.assertEqual(found["duplicates"], 1)
        self.assertEqual(found["empty_slices"], [0, 0, 0])
        self.assertEqual(found["test"], {"entries": 2, "duplicates": 0, "overlap": 1,
                                         "unknown_rows": 1})
        self.assertEqual(found["contributions"]["most"], 3)
        shape = self.write("s.tns", "sptensor\n3\n4 2 2\n2\n1 1 1 5\n4 2 1 3\n")
        found = self.result("complete", shape, "-r", 1, "--check")["check"]
        self.assertEqual(found["empty_slices"], [2, 0, 1])
        self.assertEqual(found["values"], {"lowest": 3.0, "highest": 5.0})

    def test_early_stop_and_time_limit(self):
        made = self.make()
        found = self.result("complete", made / "ratings.csv", "-r", 8, "--method", "sgd",
                            "--lambda", 0.01, "--decay", 1, "--validation", 0.1, "--epochs", 500)
        self.assertEqual(found["diagnostics"]["status"], "stopped early")
        self.assertLess(found["diagnostics"]["best_epoch"], found["diagnostics"]["epochs"])
        self.result("complete", made / "ratings.csv", "-r", 8, "--method", "sgd", "--epochs",
                    1000000, "--time-limit", 0.1, code=3)

    def test_the_simulation_of_the_paper(self):
        for model in "cp", "tucker":
            out = self.folder / model
            self.succeed("generate", "ratings", "--model", model, "--out", out)
            errors = [self.result("complete", out / "ratings.csv", "-r", 3, "--model", model,
                                  "--test", out / "test_truth.csv", "--bias", "global", "--centre",
                                  "zero", "--lambda", 0.05, "--lambda-core", 0.05, *how)["rmse"]
                      for how in (("--method", "als", "--starts", 6, "--epochs", 1000,
                                   "--tolerance", 1e-7),
                                  ("--method", "sgd", "--step", 0.8, "--decay", 0.98,
                                   "--epochs", 200))]
            self.assertLess(errors[1], 1.05 * errors[0])

    def test_e_is_epsilon_here_as_everywhere(self):
        ratings = self.make() / "ratings.csv"
        self.refuse("complete", ratings, "-e", 1, says=["--epsilon", "--range"])
        found = self.result("complete", ratings, "-r", 2, "-e", 1, "--range", "-2:9")
        self.assertEqual(found["privacy"]["guarantee"], "proved")

    def test_no_penalty_at_all(self):
        # Most rows have fewer ratings than the model has numbers for them.
        lines = [f"{u},{(7 * u + 3 * n) % 40},{1 + (u * n) % 5}" for u in range(60)
                 for n in range(1 + u % 7)]
        ratings = self.write("few.csv", "user,item,rating\n" + "\n".join(lines) + "\n")
        for how, used in ((), "als"), (("--method", "als"), "als"), (("--method", "sgd"), "sgd"), (
                ("--model", "tucker", "-r", 3, "--lambda-core", 0), "als"):
            out = self.folder / "out"
            found = self.result("complete", ratings, "--lambda", 0, *how, "--out", out)
            self.assertEqual(found["diagnostics"]["method"], used)
            for path in out.glob("*.npy"):
                self.assertTrue(all(map(math.isfinite, read_npy(path)[1])), path.name)
        self.refuse("complete", ratings, "--lambda", 0, "--method", "bayes",
                    says=["--lambda", "bayes", "--method als"])

    def test_bad_input_is_one_line(self):
        good = self.write("good.csv", "a,x,1\na,y,2\nb,x,3\n")
        complete = "complete", good, "-r", 2
        self.refuse(*complete, "--perturb", "input", says="--perturb")
        self.refuse(*complete, "--model", "tucker", "--method", "bayes", says="--method")
        self.refuse(*complete, "--step", 0.1, says="--step")
        self.refuse(*complete, "--lambda", "1,2", says="--lambda")
        self.refuse(*complete, "--time-mode", "day", says="--time-mode")
        self.refuse(*complete, "--range", "2:1", says="--range")
        self.refuse(*complete, "--range", "1:2", says=("good.csv:3", "outside"))
        self.refuse(*complete, "--test", "absent.csv", says="absent.csv")
        self.refuse(*complete, "--test", self.write("empty.csv", ""), says="empty.csv: has no")
        self.refuse(*complete, "--test", self.write("head.csv", "user,item,rating\n"),
                    says="has a header but no entries")
        self.refuse("complete", self.write("one.csv", "a,x,1\n"), "-r", 1, says="one entry")
        self.refuse("complete", self.write("twice.csv", "a,x,1\nb,x,1\na,x,2\n"), "-r", 1,
                    says=("twice.csv:3", "line 1"))
        self.refuse("complete", self.write("nan.csv", "a,x,1\nb,x,nan\n"), "-r", 1,
                    says="nan.csv:2")
        self.refuse("complete", self.write("word.csv", "a,x,1\nb,x,good\n"), "-r", 1,
                    says="word.csv:2")
        self.refuse("complete", self.write("dense.csv", "a,x,1,2,3,4,5,6\n"), "-r", 1,
                    says="--columns")
        self.refuse(*complete, "--method", "sgd", "--step", 1e9, "--out", "out", says="--step")
        self.refuse("generate", "ratings", says="--out")
        self.refuse("generate", "ratings", "--users", 5, "--items", 4, "-n", 1000, "--out", "made",
                    says="--ratings")


if __name__ == "__main__":
    main()
