"""sotto decompose --unit person and sotto generate visits, as a user sees them."""
import itertools
import json
import math

from sotto_cli import ProgramTest, main, npy_bytes, read_npy

PEOPLE, CODES, DRUGS, K = 6000, 80, 50, 4
PERSON = ("--unit", "person", "-k", K)
PRIVATE = ("--epsilon", 1, "--delta", 1e-6)


def columns(path):
    (rows, k), values = read_npy(path)
    return [[values[i * k + t] for i in range(rows)] for t in range(k)]


def cosine(a, b):
    return sum(x * y for x, y in zip(a, b)) / math.sqrt(
        sum(x * x for x in a) * sum(y * y for y in b))


def worst_cosine(found, truth, modes=2):
    """Over all modes, of the best matching."""
    cosines = [[[cosine(a, b) for b in columns(truth / name)] for a in columns(found / name)]
               for name in (f"factors_{m + 1}.npy" for m in range(modes))]
    return max(min(c[t][match[t]] for c in cosines for t in range(K))
               for match in itertools.permutations(range(K)))


class People(ProgramTest):
    def setUp(self):
        super().setUp()
        self.made = self.generate("visits", "--people", PEOPLE, "--codes", CODES, "--drugs", DRUGS,
                                  "-k", K, out="made")
        self.visits = self.made / "visits.tns"

    def test_finds_phenotypes_privately(self):
        out = self.folder / "found"
        result = self.result("decompose", self.visits, *PERSON, *PRIVATE, "--out", out)
        self.assertGreater(worst_cosine(out, self.made), 0.95)
        privacy = result["privacy"]
        self.assertEqual(privacy["guarantee"], "proved")
        self.assertLessEqual(privacy["epsilon"], 1)
        self.assertIn("one person", privacy["unit"])
        self.assertEqual(len(privacy["releases"]), 7)
        self.assertEqual(result["input"], {"dims": [CODES, DRUGS]})
        self.assertAlmostEqual(sum(result["weights"]), 1, places=6)
        self.assertNotIn("seconds", json.dumps(result))
        # Nothing has a row for each person.
        self.assertEqual(sorted(p.name for p in out.glob("*.npy")),
                         ["factors_1.npy", "factors_2.npy", "loadings.npy", "weights.npy"])
        for path in out.glob("*.npy"):
            self.assertLess(read_npy(path)[0][0], PEOPLE)

    def test_finds_them_without_privacy_better(self):
        out = self.folder / "found"
        result = self.result("decompose", self.visits, *PERSON, "--out", out)
        self.assertGreater(worst_cosine(out, self.made), 0.99)
        self.assertIsNone(result["privacy"])
        people = [sum(row[f"component {t + 1}"] for row in result["loadings"]) for t in range(K)]
        for number in people:
            self.assertAlmostEqual(number, PEOPLE, delta=1)

    def test_rows_have_labels_and_people_have_none(self):
        codes = self.write("codes.txt", "".join(f"code {i}\n" for i in range(CODES)))
        drugs = self.write("drugs.txt", "".join(f"drug {i}\n" for i in range(DRUGS)))
        for n, privacy in enumerate(((), PRIVATE)):
            out = self.folder / f"labelled{n}"
            text = self.succeed("decompose", self.visits, *PERSON, *privacy, "--labels",
                                f"{codes},{drugs}", "--csv", "--out", out)
            self.assertIn("mode 3: drug ", text)
            result = json.loads((out / "result.json").read_text())
            for mode, word in (1, "code"), (2, "drug"):
                entries = result["largest_entries"][f"factors_{mode}"][0]
                self.assertEqual(entries["label"], [f"{word} {i}" for i in entries["index"]])
                self.assertIn(f'"{word} 7",', (out / f"factors_{mode}.csv").read_text())
                self.assertIn(f"{word} {entries['index'][0]}", (out / "report.html").read_text())
            named = privacy and any("codes.txt" in fact for fact in result["privacy"]["public"])
            self.assertTrue(named or not privacy)
        people = self.write("people.txt", "".join(f"Jo {i}\n" for i in range(PEOPLE)))
        command = "decompose", self.visits, *PERSON, *PRIVATE, "--out", "no", "--labels"
        self.refuse(*command, f"{people},{codes},{drugs}",
                    says=["--labels", "the people in the first mode get no labels"])
        self.refuse(*command, f"{codes}", says=["--labels", "2 modes beside the people"])
        self.refuse(*command, f"{drugs},{codes}", says=["drugs.txt", f"{DRUGS} labels"])
        self.refuse(*command, f"{self.visits},{drugs}", says=["--labels", "protects"])
        # An empty place for the people says the same.
        self.succeed("decompose", self.visits, *PERSON, *PRIVATE, "--labels", f",{codes},", "--out",
                     "empty")

    def test_a_public_run_says_first_how_well_it_fits(self):
        out = self.folder / "found"
        result = self.result("decompose", self.visits, *PERSON, "--out", out)
        # The truth that the visits were drawn from is hardly better than what was found.
        self.assertLess(1, result["event_perplexity"])
        self.assertLess(result["event_perplexity"], 0.8 * result["margin_perplexity"])
        self.assertLess(result["margin_perplexity"], CODES * DRUGS)
        one = self.result("decompose", self.visits, "--unit", "person", "-k", 1)
        self.assertAlmostEqual(one["event_perplexity"] / one["margin_perplexity"], 1, delta=0.02)
        page = (out / "report.html").read_text()
        self.assertLess(page.index("How well it fits"), page.index("What was computed"))
        self.assertIn("Perplexity of an event", page)
        private = self.result("decompose", self.visits, *PERSON, *PRIVATE)
        self.assertNotIn("event_perplexity", private)
        real = self.result("decompose", self.visits, *PERSON, "--values", "real")
        self.assertLess(0, real["explained"])
        self.assertLess(real["explained"], 1)
        self.assertNotIn("event_perplexity", real)

    def test_plans_from_the_header_alone(self):
        header = self.write("header.tns", "sptensor\n3\n100000 500 200\n7\nno entry\n")
        plan = self.result("decompose", header, *PERSON, *PRIVATE, "--plan")
        self.assertAlmostEqual(sum(r["share"] * r.get("count", 1) for r in plan["releases"]), 1)
        self.assertIn("strength", plan["forecasts"])
        found = self.result("decompose", self.visits, *PERSON, *PRIVATE)
        planned = self.result("decompose", self.visits, *PERSON, *PRIVATE, "--plan")
        self.assertEqual([r["what"] for r in planned["releases"]],
                         [r["what"] for r in found["privacy"]["releases"]])

    def test_more_modes_and_dense_real_values(self):
        made = self.folder / "months"
        self.succeed("generate", "visits", "--people", 2000, "--codes", 30, "--drugs", 20, "--months",
                     6, "-k", 2, "--out", made)
        result = self.result("decompose", made / "visits.tns", "--unit", "person", "-k", 2,
                             *PRIVATE)
        self.assertEqual(result["input"]["dims"], [30, 20, 6])
        values = [math.sin(1.7 * p) * (i + 1) * (j - 2) + math.cos(p) * (2 - i) * (j + 1)
                  for p in range(300) for i in range(5) for j in range(4)]
        dense = self.write("dense.npy", npy_bytes(values, (300, 5, 4)))
        out = self.folder / "real"
        self.result("decompose", dense, "--unit", "person", "-k", 2, "--values", "real", "--out",
                    out)
        truth = [[1, 2, 3, 4, 5], [2, 1, 0, -1, -2]]
        for column in truth:
            self.assertGreater(max(abs(cosine(column, c)) for c in columns(out / "factors_1.npy")),
                               1 - 1e-6)
        self.result("decompose", dense, "--unit", "person", "-k", 2, "--values", "real", *PRIVATE)
        for privacy in ((), PRIVATE):
            out = self.folder / f"non-negative{len(privacy)}"
            self.result("decompose", dense, "--unit", "person", "-k", 2, "--values", "real",
                        "--non-negative", *privacy, "--out", out)
            for mode in 1, 2:
                for column in columns(out / f"factors_{mode}.npy"):
                    self.assertGreaterEqual(min(column), 0)
                    self.assertAlmostEqual(sum(x * x for x in column), 1)

    def test_refuses_what_cannot_be(self):
        private = (*PERSON, *PRIVATE)
        refuse = lambda text, *options, says: self.refuse(
            "decompose", self.write("bad.tns", text), *options, says=says)
        head = "sptensor\n3\n9 9 9\n1\n"
        for value in ("-3", "0.5", "1e300"):
            refuse(f"{head}4 5 6 {value}\n", *private, says="counts")
            refuse(f"{head}4 5 6 {value}\n", *PERSON,
                   says="divide" if value == "1e300" else "counts")
        refuse("sptensor\n3\n9 9 9\n2\n4 5 6 1\n4 5 6 1\n", *PERSON, says="more than once")
        refuse("sptensor\n2\n9 9\n1\n4 5 1\n", *private, says="two modes")
        refuse("sptensor\n3\n9 9 3\n1\n4 5 2 1\n", *private, says="--components")
        refuse("4 5 6 1\n", *private, says="header")
        refuse(f"{head}4 5 6 1\n", *PERSON, "--epsilon", 1, says="--delta")
        refuse(f"{head}4 5 6 1\n", *PERSON, "--people", 5, says="--people")
        refuse(f"{head}4 5 6 1\n", "-k", 2, "--refine", 5, says="--unit")
        for of_entries in (("--method", "tucker"), ("--missing",), ("--starts", 4),
                           ("--mechanism", "input"), ("--weight", 5), ("--anyway",)):
            refuse(f"{head}4 5 6 1\n", *private, *of_entries, says=of_entries[0])
        refuse(f"{head}4 5 6 1\n", *PERSON, "--epsilon", 1, "--delta", 0.5, says="delta")
        refuse(f"{head}4 5 6 1\n", "--unit", "person", "-k", 70, *PRIVATE, says="--components")

    def test_empty_slices_and_modes_of_size_one_are_no_obstacle(self):
        one = self.write("one.tns", "sptensor\n4\n50 9 9 1\n3\n4 5 6 1 2\n4 1 2 1 1\n40 1 1 1 1\n")
        result = self.result("decompose", one, *PERSON, "--epsilon", 1, "--delta", 1e-6)
        self.assertEqual(result["input"]["dims"], [9, 9, 1])


if __name__ == "__main__":
    main()
