"""sotto apply, as a user sees it: folders of former results used on new data."""
import csv
import json
import math
import random
import shutil

from sotto_cli import ProgramTest, main, npy_bytes, read_npy

PRIVATE = ["--epsilon", 4, "--delta", "1e-6"]
RANGE = ["--range", "-3:12"]


class ApplyTest(ProgramTest):
    def apply(self, folder, new, *arguments):
        """The result, and the output folder."""
        out = self.folder / f"applied{len(list(self.folder.iterdir()))}"
        return self.result("apply", folder, new, *arguments, "--out", out), out

    def assert_same(self, one, other, within=1e-12):
        (shape, a), (other_shape, b) = read_npy(one), read_npy(other)
        self.assertEqual(shape, other_shape)
        self.assertLessEqual(max(abs(x - y) for x, y in zip(a, b)), within)

    def moved(self, folder):
        """A copy under another name that cannot be written, the original being gone."""
        copy = self.folder / f"moved {folder.name}"
        shutil.copytree(folder, copy)
        shutil.rmtree(folder)
        for path in copy.iterdir():
            path.chmod(0o444)
        copy.chmod(0o555)
        return copy

    def tearDown(self):
        for path in self.folder.iterdir():
            if path.is_dir():
                path.chmod(0o755)
        super().tearDown()

    def rewrite(self, folder, change):
        path = folder / "result.json"
        result = json.loads(path.read_text())
        change(result)
        path.write_text(json.dumps(result))

    def refuse_each_damage(self, folder, new, *arguments):
        """Every file of the model, one by one: gone, cut short, or another array."""
        whole = self.folder / "whole"
        shutil.copytree(folder, whole)
        result = json.loads((whole / "result.json").read_text())
        used = [name for name in result["files"] if name not in
                ("proportions.npy", "loadings.npy", "certificate.md")]
        for name in [*used, "result.json"]:
            bytes_of = (whole / name).read_bytes()
            for damage in "gone", "cut", "other":
                if damage == "gone":
                    (folder / name).unlink()
                elif damage == "cut":
                    (folder / name).write_bytes(bytes_of[:len(bytes_of) // 2])
                elif name.endswith(".npy"):
                    (folder / name).write_bytes(npy_bytes([0.5] * 99, (9, 11)))
                else:
                    (folder / name).write_bytes(b"what is this\n")
                with self.subTest(file=name, damage=damage):
                    self.refuse("apply", folder, new, *arguments, "--out", self.folder / "no")
                (folder / name).write_bytes(bytes_of)
        self.succeed("apply", folder, new, *arguments, "--out", self.folder / "yes")


class Topics(ApplyTest):
    def setUp(self):
        super().setUp()
        self.succeed("generate", "corpus", "-n", 300, "-V", 40, "-k", 3, "-l", 40, "--out", "made")
        self.corpus = self.folder / "made" / "docword.txt"
        self.vocab = ["--vocab", self.folder / "made" / "vocab.txt"]

    def test_gives_the_proportions_of_the_training_run(self):
        for model in "lda", "single":
            out = self.folder / model
            self.succeed("topics", self.corpus, "-k", 3, "--model", model, *self.vocab, "--out", out)
            shutil.copy(out / "proportions.npy", self.folder / "expected.npy")
            result, applied = self.apply(self.moved(out), self.corpus)
            self.assert_same(applied / "proportions.npy", self.folder / "expected.npy")
            self.assertEqual(result["input"]["documents"], 300)
            self.assertEqual(result["files"], ["proportions.npy"])

    def test_text_is_read_as_in_training_and_other_words_are_ignored(self):
        rng = random.Random(3)
        tales = ["Wolf wolf lamb the saw".split(), "Moon moon night and saw".split()]
        lines = [" ".join(rng.choice(rng.choice([tale] * 4 + tales)) for _ in range(12))
                 for tale in tales * 60]
        text = self.write("tales.txt", "\n".join(lines) + "\n")
        stop = self.write("stop.txt", "the\nand\nsaw\n")
        words = self.write("words.txt", "wolf\nmoon\nlamb\nnight\nsaw\n")
        for name, more in ("lower", []), ("case", ["--keep-case"]):
            out = self.folder / name
            self.succeed("topics", text, "-k", 2, "--format", "text", "--stop-words", stop,
                         "--vocab", words, *more, "--out", out)
            stop.rename(self.folder / "hidden")  # the folder has the words
            new = self.write("new.txt", "\n".join(line + " unheard of" for line in lines) + "\n")
            _, applied = self.apply(out, new)
            (self.folder / "hidden").rename(stop)
            self.assert_same(applied / "proportions.npy", out / "proportions.npy")
        self.refuse("apply", out, self.write("empty", ""), "--out", "no", says="empty")

    def test_words_of_numbers_are_matched_by_a_vocabulary(self):
        out = self.folder / "found"
        self.succeed("topics", self.corpus, "-k", 3, *self.vocab, "--out", out)
        self.write("longer.txt", (self.folder / "made" / "vocab.txt").read_text() + "more\nwords\n")
        lines = self.corpus.read_text().splitlines()
        wide = self.write("wide.txt", "\n".join([lines[0], "42", *lines[2:]]) + "\n")
        self.refuse("apply", out, wide, "--out", "no", says="42")
        _, applied = self.apply(out, wide, "--vocab", self.folder / "longer.txt")
        self.assert_same(applied / "proportions.npy", out / "proportions.npy")

    def test_spends_nothing_quotes_the_certificate_and_says_what_it_shows(self):
        out = self.folder / "private"
        learnt = self.result("topics", self.corpus, "-k", 3, "--format", "uci", *PRIVATE,
                             *self.vocab, "--out", out)
        result, applied = self.apply(out, self.corpus)
        self.assertIsNone(result["privacy"])
        self.assertEqual(result["spent"], 0)
        self.assertEqual(result["source"]["privacy"], learnt["privacy"])
        for words in ("Nothing was spent", "epsilon 4, delta 1e-06, protected: one document",
                      "docword.txt and shows that data", str(out)):
            self.assertIn(words, result["exposes"])
        self.assertIn("Nothing was spent", (applied / "report.html").read_text())
        self.assertIn(result["exposes"], self.succeed("apply", out, self.corpus, "--out", "again"))
        insecure = self.folder / "insecure"
        self.result("topics", self.corpus, "-k", 3, "--format", "uci", *PRIVATE, *self.vocab,
                    "--insecure-seed", 1, "--out", insecure)
        self.assertIn("gives no guarantee", self.apply(insecure, self.corpus)[0]["exposes"])

    def test_new_documents_are_predicted_as_held_out_ones(self):
        self.succeed("generate", "corpus", "-n", 60, "-V", 40, "-k", 3, "-l", 30, "--seed", 5,
                     "--out", "more")
        others = self.folder / "more" / "docword.txt"
        for model, new in (("lda", others), ("single", others), ("lda", self.corpus)):
            self.check_perplexity(model, new)
        # One token cannot be split: there is nothing to predict, and nothing is said.
        one = self.write("one.uci", "1\n40\n1\n1 1 1\n")
        self.assertNotIn("evaluation", self.apply("lda", one, "--format", "uci")[0])

    def check_perplexity(self, model, new):
        out = self.folder / model
        shutil.rmtree(out, ignore_errors=True)
        learnt = self.result("topics", self.corpus, "-k", 3, "--model", model, *self.vocab,
                             "--heldout", new, "--out", out)["evaluation"]
        result, applied = self.apply(out, new)
        found = result["evaluation"]
        self.assertAlmostEqual(found["perplexity"], learnt["perplexity"], delta=1e-9)
        self.assertEqual(found["tokens"], learnt["heldout_tokens"])
        if new == self.corpus:  # the mean of the topics is close to the words of the corpus
            self.assertLess(found["perplexity"], found["mean_topic_perplexity"])
            self.assertAlmostEqual(found["mean_topic_perplexity"] / learnt["unigram_perplexity"], 1,
                                   delta=0.1)
        self.assertIn("Perplexity of the new documents", (applied / "report.html").read_text())
        again = self.folder / f"again{len(list(self.folder.iterdir()))}"
        self.assertIn(f"perplexity {found['perplexity']:.4g}",
                      self.succeed("apply", out, new, "--out", again))

    def test_rows_have_names_of_documents_and_topics(self):
        out = self.folder / "found"
        rng = random.Random(3)
        tales = ["wolf wolf wolf lamb lamb meadow", "moon moon moon night night stars"]
        lines = [" ".join(rng.choices(tales[n % 2].split(), k=12)) for n in range(80)]
        self.succeed("topics", self.write("tales.txt", "\n".join(lines) + "\n"), "-k", 2,
                     "--format", "text", "--out", out)
        names = ["first", "a, second", 'the "third"']
        table = self.folder / "new.csv"
        with table.open("w", newline="") as file:
            csv.writer(file).writerows([["name", "text"], *zip(names, ["wolf lamb", "moon", "wolf"])])
        result, applied = self.apply(out, table, "--text-column", "text", "--id-column", "name")
        self.assertEqual(result["files"],
                         ["proportions.npy", "documents.txt", "proportions.csv"])
        with (applied / "proportions.csv").open() as file:
            rows = list(csv.DictReader(file))
        topics = list(rows[0])[1:]
        self.assertEqual({topic.split(": ")[1] for topic in topics},
                         {"wolf, lamb, meadow", "moon, night, stars"})
        self.assertEqual([topic[0] for topic in topics], ["1", "2"])
        self.assertEqual([row["id"] for row in rows], names)
        _, values = read_npy(applied / "proportions.npy")
        self.assertEqual([float(row[topic]) for row in rows for topic in topics], list(values))
        wolf = next(topic for topic in topics if "wolf" in topic)
        self.assertGreater(float(rows[0][wolf]), 0.5)
        self.assertLess(float(rows[1][wolf]), 0.5)
        page = (applied / "report.html").read_text()
        for words in (*topics, "a, second"):
            self.assertIn(words, page)
        self.assertEqual([row["component"] for row in result["components"]], topics)

    def test_damaged_folders_are_refused(self):
        out = self.folder / "found"
        self.succeed("topics", self.corpus, "-k", 3, *self.vocab, "--out", out)
        self.refuse_each_damage(out, self.corpus)

    def test_what_is_no_model_is_refused(self):
        out = self.folder / "found"
        self.succeed("topics", self.corpus, "-k", 3, *self.vocab, "--out", out)
        no = ["--out", self.folder / "no"]
        self.refuse("apply", self.corpus, self.corpus, *no, says="is not a folder")
        self.refuse("apply", self.folder, self.corpus, *no, says="has no result.json")
        self.refuse("apply", "made", self.corpus, *no, says=["made", "generate corpus"])
        self.refuse("apply", out, "missing.txt", *no, says="missing.txt")
        self.refuse("apply", out, self.corpus, says="--out")
        self.refuse("apply", out, self.corpus, "--out", out, says="found")
        self.refuse("apply", out, self.corpus, *no, "--recommend", says="--recommend")
        self.refuse("apply", out, self.corpus, *no, "--format", "npy", says="--format")
        self.rewrite(out, lambda result: result.update(format=2))
        self.refuse("apply", out, self.corpus, *no, says=["newer", "format 2"])
        self.rewrite(out, lambda result: result.update(format="1"))
        self.refuse("apply", out, self.corpus, *no, says="damaged")
        self.rewrite(out, lambda result: result.pop("format"))  # folders from before 0.2
        self.succeed("apply", out, self.corpus, "--out", "old")
        self.rewrite(out, lambda result: result["weights"].reverse())
        self.refuse("apply", out, self.corpus, *no, says="do not belong together")
        self.rewrite(out, lambda result: result.update(command="divine"))
        self.refuse("apply", out, self.corpus, *no, says="divine")


class Mixture(ApplyTest):
    def test_gives_the_probabilities_of_the_training_run(self):
        self.succeed("generate", "points", "--model", "mixture", "-d", 4, "-k", 3, "-n", 3000,
                     "--separation", 3, "--out", "made")
        points, out = self.folder / "made" / "points.npy", self.folder / "found"
        self.succeed("mixture", points, "-k", 3, "--out", out)
        result, applied = self.apply(out, points)
        self.assert_same(applied / "proportions.npy", out / "proportions.npy")
        self.assertEqual(result["input"]["points"], 3000)
        _, values = read_npy(points)
        raw = self.write("points.f8", values.tobytes())
        _, again = self.apply(out, raw, "--dtype", "f8")
        self.assert_same(again / "proportions.npy", out / "proportions.npy")
        wide = self.write("wide.npy", npy_bytes([1.0] * 10, (2, 5)))
        self.refuse("apply", out, wide, "--out", "no", says=["dimension 5", "dimension 4"])
        self.check_log_likelihood(out, values[:40], result)
        self.refuse_each_damage(out, points)
        self.rewrite(out, lambda result: result.pop("variance"))
        self.refuse("apply", out, points, "--out", "no", says="variance")

    def check_log_likelihood(self, out, values, of_all):
        """Ten points, by the definition."""
        learnt = json.loads((out / "result.json").read_text())
        (d, k), means = read_npy(out / "means.npy")
        weights, variance = learnt["weights"], learnt["variance"]
        total = 0
        for n in range(10):
            x = values[d * n:d * (n + 1)]
            total += math.log(sum(
                w * math.exp(-sum((x[j] - means[j * k + i])**2 for j in range(d)) / (2 * variance))
                for i, w in enumerate(weights))) - d / 2 * math.log(2 * math.pi * variance)
        few = self.write("few.npy", npy_bytes(values, (10, d)))
        result, applied = self.apply(out, few)
        self.assertAlmostEqual(result["log_likelihood"], total / 10, delta=1e-9)
        self.assertIn("Mean log likelihood of a point", (applied / "report.html").read_text())
        # The last step of the training run makes the training points likelier.
        self.assertGreaterEqual(of_all["log_likelihood"] + 1e-9, learnt["log_likelihood"])


class NamedColumns(ApplyTest):
    def table(self, name, header, *rows):
        return self.write(name, "\n".join([header, *rows]) + "\n")

    def test_a_header_must_name_the_same_columns(self):
        rng = random.Random(1)
        rows = [f"{rng.gauss(3 * (n % 2), 1)},{rng.gauss(0, 1)},{rng.gauss(-n % 2, 1)}"
                for n in range(300)]
        points = self.table("points.csv", "height,weight,age", *rows)
        out = self.folder / "found"
        result = self.result("mixture", points, "-k", 2, "--out", out)
        self.assertEqual((out / "columns.txt").read_text(), "height\nweight\nage\n")
        entries = result["largest_entries"]["means"][0]
        self.assertEqual(sorted(entries["label"]), ["age", "height", "weight"])
        self.assertNotIn("lines", result)  # named rows are cards, not a line by index
        self.assertIn("height", (out / "report.html").read_text())
        _, whole = self.apply(out, points)
        self.assert_same(whole / "proportions.npy", out / "proportions.npy")
        bare = self.write("bare.csv", "\n".join(rows) + "\n")
        _, again = self.apply(out, bare)
        self.assert_same(again / "proportions.npy", out / "proportions.npy")
        named = self.table("named.csv", "id,height,weight,age",
                           *(f"p{n},{row}" for n, row in enumerate(rows)))
        _, dropped = self.apply(out, named, "--drop-columns", "id")
        self.assert_same(dropped / "proportions.npy", out / "proportions.npy")
        result, with_ids = self.apply(out, named, "--id-column", "id")
        self.assertEqual(result["files"], ["proportions.npy", "proportions.csv"])
        self.assert_same(with_ids / "proportions.npy", out / "proportions.npy")
        with (with_ids / "proportions.csv").open() as file:
            found = list(csv.DictReader(file))
        self.assertEqual([row["id"] for row in found], [f"p{n}" for n in range(300)])
        _, values = read_npy(with_ids / "proportions.npy")
        self.assertEqual([float(row[f"component {t}"]) for row in found for t in (1, 2)],
                         list(values))
        self.refuse("apply", out, named, "--id-column", "name", "--out", "no",
                    says=["--id-column", "name"])
        self.refuse("apply", out, named, "--id-column", "1", "--drop-columns", "id", "--out", "no",
                    says=["--id-column", "left out already"])
        turned = self.table("turned.csv", "weight,height,age", *rows)
        self.refuse("apply", out, turned, "--out", "no",
                    says=["turned.csv", "coordinate 1 weight", "height, weight, age"])
        self.refuse_each_damage(out, points)

    def test_r_leaves_the_first_name_out_and_pipes_keep_names(self):
        rows = [f"{n % 5},{n % 3}" for n in range(50)]
        table = self.table("rows.csv", "x,y", *(f"r{n},{row}" for n, row in enumerate(rows)))
        out = self.folder / "found"
        self.succeed("mixture", table, "-k", 1, "--drop-columns", "1", "--out", out)
        self.assertEqual((out / "columns.txt").read_text(), "x\ny\n")
        _, applied = self.apply(out, table, "--id-column", "1")
        with (applied / "proportions.csv").open() as file:
            self.assertEqual([row["id"] for row in csv.DictReader(file)],
                             [f"r{n}" for n in range(50)])
        piped = self.folder / "piped"
        done = self.sotto("mixture", "-", "-k", 1, "--out", piped,
                          stdin="\n".join(["x,y", *rows]) + "\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((piped / "columns.txt").read_text(), "x\ny\n")

    def test_the_header_of_a_private_file_is_not_published(self):
        table = self.table("points.csv", "tall,heavy", *(f"{n % 5},{n % 3}" for n in range(50)))
        out = self.folder / "found"
        self.succeed("mixture", table, "-k", 1, "--header", "yes", "--epsilon", 1, "--delta", 1e-6,
                     "--max-norm", 9, "--out", out)
        self.assertFalse((out / "columns.txt").exists())
        for path in out.iterdir():
            self.assertFalse(b"heavy" in path.read_bytes(), path.name)
        self.apply(out, self.table("other.csv", "a,b", "1,2", "3,4"))


class People(ApplyTest):
    def people(self, kind, *arguments):
        tensor, out = self.folder / "made" / "visits.tns", self.folder / kind
        self.succeed("decompose", tensor, "--unit", "person", "-k", 3, "--values", kind, *arguments,
                     "--out", out)
        return tensor, out

    def setUp(self):
        super().setUp()
        self.succeed("generate", "visits", "--people", 800, "--codes", 30, "--drugs", 20, "-k", 3,
                     "--out", "made")

    def test_loadings_are_those_that_the_training_run_counted(self):
        for kind in "counts", "real":
            tensor, out = self.people(kind)
            _, applied = self.apply(out, tensor)
            (people, k), loadings = read_npy(applied / "loadings.npy")
            self.assertEqual((people, k), (800, 3))
            (bins, _), counted = read_npy(out / "loadings.npy")
            found = [[0] * k for _ in range(bins)]
            for p in range(people):
                row = loadings[p * k:(p + 1) * k]
                shares = row if kind == "counts" else [a * a for a in row]
                for t in range(k):
                    share = shares[t] / sum(shares)
                    found[min(bins - 1, int(share * bins))][t] += 1
            for b in range(bins):
                for t in range(k):
                    self.assertAlmostEqual(found[b][t], counted[b * k + t], delta=1e-2)

    def test_people_are_seen_one_by_one(self):
        tensor, out = self.people("counts", *PRIVATE)
        _, all_of_them = self.apply(out, tensor)
        _, values = read_npy(all_of_them / "loadings.npy")
        lines = tensor.read_text().splitlines()
        body = [line for line in lines if line and line[0].isdigit() and len(line.split()) == 4]
        own = [line.split() for line in body if line.split()[0] == "5"]
        one = self.write("one.tns", "".join(f"1 {' '.join(rest[1:])}\n" for rest in own))
        result, alone = self.apply(self.moved(out), one)
        shape, row = read_npy(alone / "loadings.npy")
        self.assertEqual(shape, (1, 3))
        for t in range(3):
            self.assertAlmostEqual(row[t], values[4 * 3 + t], delta=1e-12)
        self.assertAlmostEqual(sum(row), 1, delta=1e-12)
        self.assertIn("protected: one person", result["exposes"])

    def test_refusals(self):
        tensor, out = self.people("counts")
        no = ["--out", "no"]
        self.refuse("apply", out, self.write("far.tns", "1 31 1 2\n"), *no, says="30 x 20")
        self.refuse("apply", out, self.write("half.tns", "1 3 1 0.5\n"), *no, says="counts")
        self.refuse("apply", out, self.write("wide.npy", npy_bytes([1.0] * 8, (2, 2, 2))), *no,
                    says="30 x 20")
        self.refuse_each_damage(out, tensor)


class Slices(ApplyTest):
    def setUp(self):
        super().setUp()
        rng = random.Random(1)
        self.dims = (7, 5, 6)
        factors = [[[rng.gauss(0, 1) for _ in range(2)] for _ in range(n)] for n in self.dims]
        self.values = [sum(factors[0][i][r] * factors[1][j][r] * factors[2][l][r] for r in (0, 1))
                       + rng.gauss(0, 0.05)
                       for i in range(7) for j in range(5) for l in range(6)]

    def tensor(self, name, values, dims=None):
        return self.write(name, npy_bytes(values, dims or self.dims))

    def test_training_slices_have_their_rows_of_the_first_factor(self):
        missing = list(self.values)
        missing[3] = missing[50] = math.nan
        for name, values, more in (("any", self.values, []),
                                   ("positive", [abs(x) for x in self.values], ["--non-negative"]),
                                   ("missing", missing, ["--missing"])):
            tensor, out = self.tensor(f"{name}.npy", values), self.folder / name
            self.succeed("decompose", tensor, "-k", 2, "--method", "cp", "--tolerance", 0, *more,
                         "--out", out)
            _, applied = self.apply(out, tensor)
            self.assert_same(applied / "loadings.npy", out / "factors_0.npy", within=1e-8)
            # A slice is solved by itself, to the last digit or nearly so.
            _, rows = read_npy(applied / "loadings.npy")
            one = self.tensor("one.npy", values[30:60], (1, 5, 6))
            _, alone = self.apply(out, one)
            shape, row = read_npy(alone / "loadings.npy")
            self.assertEqual(shape, (1, 2))
            for r in (0, 1):
                self.assertAlmostEqual(row[r], rows[2 + r], delta=1e-12)

    def test_what_a_sparse_tensor_does_not_list_is_zero(self):
        entries = {(i, j, l): self.values[(i * 5 + j) * 6 + l]
                   for i in range(7) for j in range(5) for l in range(6) if (i + j + l) % 3}
        listed = self.write("some.tns", "".join(
            f"{i + 1} {j + 1} {l + 1} {x!r}\n" for (i, j, l), x in entries.items()))
        out = self.folder / "found"
        self.succeed("decompose", listed, "-k", 2, "--method", "cp", "--tolerance", 0, "--out", out)
        _, applied = self.apply(out, listed)
        self.assert_same(applied / "loadings.npy", out / "factors_0.npy", within=1e-8)

    def test_least_squares_leave_nothing_along_the_model(self):
        tensor, out = self.tensor("t.npy", self.values), self.folder / "found"
        weights = self.result("decompose", tensor, "-k", 2, "--method", "cp", "--out",
                              out)["weights"]
        rng = random.Random(2)
        new = [rng.gauss(0, 1) for _ in range(3 * 30)]
        _, applied = self.apply(self.moved(out), self.tensor("new.npy", new, (3, 5, 6)))
        folder = self.folder / "moved found"
        b, c = read_npy(folder / "factors_1.npy")[1], read_npy(folder / "factors_2.npy")[1]
        _, a = read_npy(applied / "loadings.npy")
        model = [[weights[r] * b[2 * j + r] * c[2 * l + r] for r in (0, 1)]
                 for j in range(5) for l in range(6)]
        for i in range(3):
            left = [x - sum(a[2 * i + r] * k[r] for r in (0, 1))
                    for x, k in zip(new[30 * i:30 * (i + 1)], model)]
            for r in (0, 1):
                self.assertAlmostEqual(sum(x * k[r] for x, k in zip(left, model)), 0, delta=1e-10)

    def test_refusals(self):
        tensor, out = self.tensor("t.npy", self.values), self.folder / "found"
        self.succeed("decompose", tensor, "-k", 2, "--method", "cp", "--out", out)
        self.refuse("apply", out, self.tensor("w.npy", [1.0] * 60, (2, 6, 5)), "--out", "no",
                    says="5 x 6")
        self.refuse_each_damage(out, tensor)

    def test_slices_of_a_tucker_model(self):
        for name, values, more in (("any", self.values, []),
                                   ("positive", [abs(x) for x in self.values], ["--non-negative"])):
            tensor, out = self.tensor(f"{name}.npy", values), self.folder / name
            self.succeed("decompose", tensor, "--ranks", "2,2,2", "--iterations", 3000,
                         "--tolerance", 0, *more, "--out", out)
            _, applied = self.apply(out, tensor)
            self.assert_same(applied / "loadings.npy", out / "factors_0.npy",
                             within=1e-3 if more else 1e-6)
            listed = self.write(f"{name}.tns", "".join(
                f"{i + 1} {j + 1} {l + 1} {values[(i * 5 + j) * 6 + l]!r}\n"
                for i in range(7) for j in range(5) for l in range(6)))
            _, again = self.apply(out, listed)
            self.assert_same(again / "loadings.npy", applied / "loadings.npy", within=1e-9)
        self.refuse("apply", out, self.tensor("w.npy", [1.0] * 60, (2, 6, 5)), "--out", "no",
                    says="5 x 6")
        self.refuse_each_damage(out, tensor)

    def test_slices_of_a_symmetric_tensor(self):
        made = self.generate("tensor", "-d", 8, "-k", 3, out="made")
        out = self.folder / "power"
        self.succeed("decompose", made / "tensor.npy", "-k", 3, "--out", out)
        _, applied = self.apply(out, made / "tensor.npy")
        self.assert_same(applied / "loadings.npy", out / "vectors.npy", within=1e-9)
        pairs = self.folder / "pairs"
        self.succeed("decompose", made / "tensor.npy", "-k", 2, "--method", "eigenpairs", "--out",
                     pairs)
        self.refuse("apply", pairs, made / "tensor.npy", "--out", "no", says="eigenpairs")


class Stream(ApplyTest):
    def test_points_are_split_along_the_components(self):
        made = self.generate("points", "-d", 6, "-k", 2, "-n", 3000, out="made")
        out = self.folder / "found"
        self.succeed("stream", made / "points.npy", "-k", 2, "--out", out)
        rng = random.Random(3)
        new = [rng.gauss(0, 1) for _ in range(4 * 6)]
        path = self.write("new.npy", npy_bytes(new, (4, 6)))
        found, applied = self.apply(self.moved(out), path)
        self.assertEqual(found["input"]["points"], 4)
        _, loadings = read_npy(applied / "loadings.npy")
        _, vectors = read_npy(self.folder / "moved found" / "vectors.npy")
        for i in range(4):
            left = [new[6 * i + j] - sum(loadings[2 * i + r] * vectors[2 * j + r] for r in (0, 1))
                    for j in range(6)]
            for r in (0, 1):
                self.assertAlmostEqual(sum(left[j] * vectors[2 * j + r] for j in range(6)), 0,
                                       delta=1e-10)
        wide = self.write("wide.csv", "1,2,3\n4,5,6\n")
        self.refuse("apply", self.folder / "moved found", wide, "--out", "no",
                    says=["dimension 3", "dimension 6"])


class Completion(ApplyTest):
    def setUp(self):
        super().setUp()
        self.succeed("generate", "ratings", "--users", 200, "--items", 60, "--months", 4, "-r", 2,
                     "-n", 5000, "--out", "made")
        made = self.folder / "made"
        self.head, *lines = (made / "ratings.csv").read_text().splitlines()
        self.test = made / "test.csv"
        # Users to 10 and an item are new to the model.
        new = [line for line in lines if int(line.split(",")[0]) <= 10]
        known = [line for line in lines if line not in set(new) and line.split(",")[1] != "7"]
        self.ratings = self.csv("ratings.csv", known)
        self.given = self.csv("given.csv", new)

    def csv(self, name, lines, head=None):
        return self.write(name, "\n".join([head or self.head, *lines]) + "\n")

    def predictions(self, applied):
        with (applied / "predictions.csv").open() as file:
            return list(csv.DictReader(file))

    def rmse(self, predictions, test):
        with test.open() as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), len(predictions))
        total = 0
        for row, found in zip(rows, predictions):
            for mode in "user", "item", "month":
                if mode in found:
                    self.assertEqual(row[mode], found[mode])
            total += (float(row["rating"]) - float(found["prediction"]))**2
        return math.sqrt(total / len(rows))

    def test_predicts_what_the_training_run_predicted(self):
        for n, more in enumerate((["--model", "cp"], ["--model", "tucker"], ["--bias", "none"],
                                  ["--scale", "slices", "--bias", "none"], PRIVATE,
                                  [*PRIVATE, "--mechanism", "sgd"])):
            with self.subTest(options=more):
                out = self.folder / f"learnt{n}"
                learnt = self.result("complete", self.ratings, "-r", 2, *RANGE, "--test", self.test,
                                     *more, "--out", out)
                result, applied = self.apply(self.moved(out), self.test)
                found = self.rmse(self.predictions(applied), self.test)
                self.assertAlmostEqual(found, learnt["rmse"], delta=1e-12)
                self.assertGreater(result["unknown_rows"], 0)
                self.assertEqual(result["unknown_rows"], learnt["test"]["unknown_rows"])
                self.assert_scores(result, learnt)

    def assert_scores(self, result, learnt):
        for score in "rmse", "mae", "ndcg10", "precision10":
            self.assertAlmostEqual(result[score], learnt[score], delta=1e-12)
        self.assertEqual(result["test"], learnt["test"])

    def test_values_of_the_new_data_are_scored_where_there_are_any(self):
        out = self.learn()
        whole = self.apply(out, self.test)[0]
        self.assertEqual(whole["compared_with"], "the column rating")
        self.assertIn("compared with the column rating",
                      self.succeed("apply", out, self.test, "--out", "text"))
        bare = self.csv("bare.csv", ["1,2,1"], "user,item,month")
        result, applied = self.apply(out, bare)
        self.assertNotIn("rmse", result)
        self.assertNotIn("RMSE", (applied / "report.html").read_text())
        lines = self.test.read_text().splitlines()[1:]
        some = [line if n < 50 else line[:line.rindex(",") + 1] for n, line in enumerate(lines)]
        partly, applied = self.apply(out, self.csv("some.csv", some))
        self.assertEqual(partly["test"]["entries"], 50)
        self.assertEqual(len(self.predictions(applied)), len(lines))
        first = self.apply(out, self.csv("first.csv", lines[:50]))[0]
        self.assertEqual(partly["rmse"], first["rmse"])

    def learn(self, *more, ratings=None):
        out = self.folder / "learnt"
        self.result("complete", ratings or self.ratings, "-r", 2, *RANGE, *more, "--out", out)
        return out

    def test_values_may_be_left_out_and_columns_are_matched_by_name(self):
        out = self.learn()
        expected = self.predictions(self.apply(out, self.test)[1])
        lines = [line.split(",") for line in self.test.read_text().splitlines()[1:]]
        for name, head, columns in (("bare", "user,item,month", (0, 1, 2)),
                                    ("turned", "month,rating,Item,user", (2, 3, 1, 0)),
                                    ("headless", None, (0, 1, 2)),
                                    ("spaced", None, (0, 1, 2, 3))):
            text = "".join(",".join(line[c] for c in columns) + "\n" for line in lines)
            new = self.write(f"{name}.csv", (head + "\n" if head else "") + text)
            self.assertEqual(self.predictions(self.apply(out, new)[1]), expected, name)
        self.refuse("apply", out, self.csv("two.csv", ["1,2"], "user,item"), "--out", "no")

    def test_times_are_binned_as_in_training(self):
        lines = [f"{u},{i},{(u * i) % 5},2001-{1 + (u + i) % 6:02}-03" for u in range(1, 30)
                 for i in range(1, 20) if (u * 7 + i) % 3]
        ratings = self.csv("timed.csv", lines, "user,item,rating,date")
        out = self.folder / "timed"
        learnt = self.result("complete", ratings, "-r", 2, "--time-mode", "month", "--test", ratings,
                             "--out", out)
        _, applied = self.apply(out, ratings)
        found = self.predictions(applied)
        self.assertEqual(found[0]["month"], "2001-03")
        with ratings.open() as file:
            truth = [float(row["rating"]) for row in csv.DictReader(file)]
        error = sum((float(f["prediction"]) - t)**2 for f, t in zip(found, truth)) / len(truth)
        self.assertAlmostEqual(math.sqrt(error), learnt["rmse"], delta=1e-12)

    def test_a_new_user_is_placed_by_own_ratings(self):
        out = self.learn()
        lines = [line for line in self.test.read_text().splitlines()[1:]
                 if int(line.split(",")[0]) <= 10]
        test = self.csv("new.csv", lines)
        _, without = self.apply(out, test)
        result, placed = self.apply(out, test, "--given", self.given)
        self.assertLess(self.rmse(self.predictions(placed), test),
                        0.95 * self.rmse(self.predictions(without), test))
        self.assertIn("given.csv", result["exposes"])

    def test_recommends_from_items_and_ratings_alone(self):
        out = self.moved(self.learn())
        own = [line.split(",") for line in self.given.read_text().splitlines()[1:]
               if line.startswith("3,")]
        own = list({line[1]: line for line in own if line[1] != "7"}.values())
        item_rating = self.csv("own.csv", [f"{i},{x}" for _, i, _, x in own], "item,rating")
        found = self.result("apply", out, item_rating, "--recommend", "--top", 5)["recommendations"]
        self.assertEqual(len(found), 5)
        values = [row["prediction"] for row in found]
        self.assertEqual(values, sorted(values, reverse=True))
        self.assertFalse({row["item"] for row in found} & {line[1] for line in own})
        bare = self.write("bare.csv", "".join(f"{i},{x}\n" for _, i, _, x in own))
        with_user = self.csv("user.csv", [f"me,{i},{x}" for _, i, _, x in own], "user,item,rating")
        for same in bare, with_user:
            again = self.result("apply", out, same, "--recommend", "--top", 5)
            self.assertEqual(again["recommendations"], found)
        lines = self.succeed("apply", out, bare, "--recommend", "--top", 2).splitlines()
        self.assertEqual([line.split("\t")[0] for line in lines[:2]],
                         [row["item"] for row in found[:2]])
        higher = self.csv("high.csv", [f"{i},{float(x) + 3}" for _, i, _, x in own], "item,rating")
        raised = self.result("apply", out, higher, "--recommend")["recommendations"]
        self.assertGreater(raised[0]["prediction"], values[0])
        unknown = self.csv("unknown.csv", ["1,2", "no such item,4"], "item,rating")
        self.refuse("apply", out, unknown, "--recommend", says=["no such item", "unknown.csv:3"])
        two = self.csv("two.csv", ["me,1,3", "you,2,4"], "user,item,rating")
        self.refuse("apply", out, two, "--recommend", says="2 users")
        self.refuse("apply", out, self.csv("i.csv", ["1"], "item"), "--recommend")

    def test_models_of_users_predict_and_recommend(self):
        items = self.write("items.txt", "".join(f"{i}\n" for i in range(1, 61)))
        test = self.csv("t.csv", [line for line in self.test.read_text().splitlines()[1:]
                                  if int(line.split(",")[0]) <= 10])
        out = self.folder / "users"
        learnt = self.result("complete", self.ratings, "-r", 2, "--unit", "user", "--epsilon", 30,
                             "--delta", "1e-6", "--items", items, *RANGE, "--columns",
                             "user,item,-,value", "--given", self.given, "--test", test, "--out",
                             out)
        items.unlink()
        folder = self.moved(out)
        result, applied = self.apply(folder, test, "--given", self.given)
        self.assertAlmostEqual(self.rmse(self.predictions(applied), test), learnt["rmse"],
                               delta=1e-12)
        self.assert_scores(result, learnt)
        self.assertIn("protected: all ratings of one user", result["exposes"])
        own = self.csv("own.csv", ["1,4", "5,2"], "item,rating")
        best = self.result("apply", folder, own, "--recommend", "--top", 3)["recommendations"]
        self.assertEqual(len(best), 3)
        self.assertFalse({row["item"] for row in best} & {"1", "5"})

    def test_damaged_folders_are_refused(self):
        out = self.learn("--epochs", 3, "--model", "tucker")
        self.refuse_each_damage(out, self.test)
        checked = self.folder / "checked"
        self.succeed("complete", self.ratings, "--check", "--out", checked)
        self.refuse("apply", checked, self.test, "--out", "no", says="learnt nothing")


if __name__ == "__main__":
    main()
