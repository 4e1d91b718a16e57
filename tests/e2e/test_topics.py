"""sotto topics, as a user sees it."""
import json
import math

from sotto_cli import ProgramTest, main, npy_bytes, read_npy

WORDS, TOPICS, DOCUMENTS = 40, 3, 1500
PRIVATE = ["--epsilon", 2, "--delta", "1e-6"]


def docword(documents, words):
    """UCI docword of documents given as {word: count}, words from 1 on."""
    rows = [(d, w, c) for d, document in enumerate(documents, 1)
            for w, c in sorted(document.items())]
    head = [len(documents), words, len(rows)]
    return "\n".join([*map(str, head), *(" ".join(map(str, row)) for row in rows)]) + "\n"


def read_docword(path):
    lines = path.read_text().splitlines()
    documents = [{} for _ in range(int(lines[0]))]
    for line in lines[3:]:
        d, w, c = map(int, line.split())
        documents[d - 1][w] = c
    return documents


class TopicsTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.made = self.make("made")
        self.corpus = self.made / "docword.txt"
        self.truth = ["--truth", self.made / "topics.npy"]

    def make(self, name, *arguments, documents=DOCUMENTS):
        return self.generate("corpus", "-n", documents, "-V", WORDS, "-k", TOPICS, "-l", 40,
                             *arguments, out=name)

    def topics(self, *arguments, corpus=None, k=TOPICS):
        return self.result("topics", corpus or self.corpus, "-k", k, *arguments)


class Topics(TopicsTest):
    def test_files_and_fields(self):
        out = self.folder / "found"
        result = self.topics(*self.truth, "--vocab", self.made / "vocab.txt", "--out", out)
        self.assertEqual(json.loads((out / "result.json").read_text()), result)
        self.assertEqual(sorted(result["files"] + ["report.html", "result.json"]),
                         sorted(path.name for path in out.iterdir()))
        self.assertIn("proportions.npy", result["files"])
        self.assertIsNone(result["privacy"])
        shape, topics = read_npy(out / "topics.npy")
        self.assertEqual(shape, (WORDS, TOPICS))
        for t in range(TOPICS):
            self.assertAlmostEqual(sum(topics[t::TOPICS]), 1, places=9)
        self.assertGreaterEqual(min(topics), 0)
        shape, proportions = read_npy(out / "proportions.npy")
        self.assertEqual(shape, (DOCUMENTS, TOPICS))
        for n in range(0, DOCUMENTS, 97):
            self.assertAlmostEqual(sum(proportions[n * TOPICS:(n + 1) * TOPICS]), 1, places=9)
        self.assertEqual(list(read_npy(out / "weights.npy")[1]), result["weights"])
        self.assertAlmostEqual(sum(result["weights"]), 1, places=9)
        # Topics and weights are in the same order, and the words are the most probable ones.
        for t, topic in enumerate(result["topics"]):
            self.assertEqual(topic["weight"], result["weights"][t])
            column = sorted(topics[t::TOPICS], reverse=True)
            self.assertEqual([word["probability"] for word in topic["words"]], column[:10])
            first = topic["words"][0]
            self.assertEqual(topics[TOPICS * (int(first["word"][1:]) - 1) + t], column[0])
        self.assertEqual(result["input"]["documents"], DOCUMENTS)
        self.assertEqual(result["input"]["tokens"], DOCUMENTS * 40)
        self.assertEqual(result["input"]["documents_left_out"], 0)
        self.assertEqual(len(result["diagnostics"]["second_spectrum"]), TOPICS)
        self.assertLess(result["evaluation"]["total_variation"], 0.06)
        self.assertGreater(result["evaluation"]["npmi"], 0)

    def test_evaluation_on_other_documents(self):
        other = self.make("other", "--seed", 0, documents=2000) / "docword.txt"
        result = self.topics("--heldout", other, "--reference", other, "--top", 5)
        evaluation = result["evaluation"]
        self.assertLess(evaluation["perplexity"], 0.9 * evaluation["unigram_perplexity"])
        self.assertGreater(evaluation["perplexity"], 1)
        self.assertEqual(evaluation["heldout_tokens"], 2000 * 20)
        self.assertEqual(len(evaluation["npmi_by_topic"]), TOPICS)
        mean = sum(evaluation["npmi_by_topic"]) / TOPICS
        self.assertAlmostEqual(evaluation["npmi"], mean, places=12)
        self.assertNotEqual(evaluation["npmi"], self.topics("--top", 5)["evaluation"]["npmi"])
        self.assertEqual({len(topic["words"]) for topic in result["topics"]}, {5})

    def test_infers_other_documents(self):
        # A document of the most probable words of a topic has that topic.
        first = self.folder / "first"
        result = self.topics("--out", first)
        best = [int(topic["words"][0]["word"][1:]) + 1 for topic in result["topics"]]
        new = self.write("new.txt", docword([{word: 30} for word in best], WORDS))
        out = self.folder / "found"
        again = self.topics("--infer", new, "--out", out)
        self.assertIn("inferred.npy", again["files"])
        shape, inferred = read_npy(out / "inferred.npy")
        self.assertEqual(shape, (TOPICS, TOPICS))
        for t in range(TOPICS):
            self.assertEqual(max(range(TOPICS), key=lambda j: inferred[TOPICS * t + j]), t)
        self.refuse("topics", self.corpus, "-k", TOPICS, "--infer", new, says=["--infer", "--out"])

    def test_text_of_the_same_documents(self):
        documents = read_docword(self.corpus)
        text = self.write("documents.txt", "".join(
            " ".join(f"w{w}" for w, c in sorted(document.items()) for _ in range(c)) + "\n"
            for document in documents))
        by_text = self.topics(*self.truth, "--vocab", self.made / "vocab.txt", corpus=text)
        by_counts = self.topics(*self.truth, "--vocab", self.made / "vocab.txt")
        self.assertEqual(by_text["topics"], by_counts["topics"])

    def test_the_same_for_any_number_of_threads_and_by_seed(self):
        runs = [self.topics("--threads", threads, "--seed", 5) for threads in (1, 2, 3)]
        for other in runs[1:]:
            self.assertEqual(other["topics"], runs[0]["topics"])
            self.assertEqual(other["evaluation"], runs[0]["evaluation"])
        self.assertEqual(self.topics("--seed", 5)["topics"], runs[0]["topics"])

    def test_single_topic_model(self):
        folder = self.make("single", "--model", "single")
        result = self.topics("--model", "single", "--truth", folder / "topics.npy",
                             corpus=folder / "docword.txt")
        self.assertLess(result["evaluation"]["total_variation"], 0.03)

    def test_prints_topics_and_says_it_is_not_private(self):
        text = self.succeed("topics", self.corpus, "-k", TOPICS, *self.truth)
        lines = text.splitlines()
        self.assertEqual(lines[0], "not private: the documents are treated as public")
        self.assertEqual(len(lines[1].split()), 1 + 2 * 10)
        self.assertIn("total variation", text)

    def test_bad_input(self):
        good = "2\n3\n3\n1 1 5\n1 2 5\n2 3 5\n"
        out = ["-k", 2, "--out", "found"]
        cases = {
            "more documents than said": "1\n3\n3\n1 1 5\n1 2 5\n2 3 5\n",
            "fewer entries than said": "2\n3\n4\n1 1 5\n1 2 5\n2 3 5\n",
            "more entries than said": "2\n3\n2\n1 1 5\n1 2 5\n2 3 5\n",
            "word out of range": "2\n3\n3\n1 1 5\n1 4 5\n2 3 5\n",
            "word zero": "2\n3\n3\n1 1 5\n1 0 5\n2 3 5\n",
            "negative count": "2\n3\n3\n1 1 5\n1 2 -5\n2 3 5\n",
            "fraction": "2\n3\n3\n1 1 5\n1 2 2.5\n2 3 5\n",
            "word twice": "2\n3\n3\n1 1 5\n1 1 5\n2 3 5\n",
            "no documents": "0\n3\n0\n",
            "no entries": "2\n3\n0\n",
        }
        for what, text in cases.items():
            with self.subTest(what):
                self.write("bad.txt", text)
                self.refuse("topics", "bad.txt", "--format", "uci", *out, says="bad.txt")
        self.write("bad.txt", "")
        self.refuse("topics", "bad.txt", *out, says="is empty")
        self.refuse("topics", "missing.txt", *out, says="missing.txt")
        self.write("good.txt", good)
        self.refuse("topics", "good.txt", "--out", "found", says="--topics")
        self.refuse("topics", "good.txt", "-k", 4, "--out", "found",
                    says=["--topics", "3 words", "got 4"])

    def test_corpora_that_have_no_topics(self):
        out = ["--out", "found"]
        short = self.write("short.txt", docword([{1: 1, 2: 1}, {2: 2}, {3: 1}], 3))
        for clip in "median", "none":
            self.refuse("topics", short, "-k", 2, "--clip", clip, *out, says="3 tokens or more")
        alike = self.write("alike.txt", docword([{1: 9}, {2: 9}] * 10, 6))
        self.refuse("topics", alike, "--model", "single", "-k", 3, *out,
                    says=["--topics", "numerical rank 2"])
        for documents in 1, 2:
            few = self.write("few.txt", docword([{1: 4, 2: 3, 3: 1}] * documents, 3))
            self.refuse("topics", few, "-k", 2, *out, says=["--form", "documents"])

    def test_options_that_do_not_fit(self):
        out = ["--out", "found"]
        self.write("truth.npy", npy_bytes([0.5] * 4, (2, 2)))
        refuse = lambda *arguments, says: self.refuse("topics", self.corpus, "-k", TOPICS,
                                                      *arguments, *out, says=says)
        refuse("--truth", "truth.npy", says=["--truth", f"{WORDS} x {TOPICS}"])
        refuse("--delta", "1e-6", says=["--delta", "--epsilon"])
        refuse("--epsilon", 1, says=["--epsilon", "--delta"])
        refuse("--mechanism", "pairs", says=["--mechanism", "--epsilon"])
        refuse("--core", 10, says=["--core", "--epsilon"])
        refuse("--insecure-seed", 1, says=["--insecure-seed", "--epsilon"])
        self.write("wide.txt", docword([{1: 5}], WORDS + 1))
        for option in "--heldout", "--reference", "--infer":
            refuse(option, "wide.txt", says=["wide.txt", f"{WORDS + 1} words"])


class PrivateTopics(TopicsTest):
    def test_certifies_and_shows_releases_alone(self):
        out = self.folder / "found"
        result = self.topics(*PRIVATE, *self.truth, "--out", out)
        self.assertEqual(json.loads((out / "result.json").read_text()), result)
        self.assertEqual(sorted(path.name for path in out.iterdir()),
                         ["certificate.md", "report.html", "result.json", "topics.npy",
                          "weights.npy"])
        self.assertEqual(sorted(result["files"]), ["certificate.md", "topics.npy", "weights.npy"])
        self.assertEqual(sorted(result["diagnostics"]),
                         ["core_words", "expectation_steps", "mechanism"])
        self.assertEqual(result["options"]["refine"], result["diagnostics"]["expectation_steps"])
        for unused in "clip", "form", "min-df", "plan", "documents", "length", "shared":
            self.assertNotIn(unused, result["options"])
        self.assertEqual(sorted(result["input"]), ["documents", "words"])
        self.assertEqual(sorted(result["evaluation"]),
                         ["component_error", "diversity", "total_variation"])
        privacy = result["privacy"]
        self.assertEqual(privacy["guarantee"], "proved", privacy["why"])
        self.assertLessEqual(privacy["epsilon"], 2)
        self.assertEqual(privacy["delta"], 1e-6)
        self.assertEqual(privacy["unit"], "one document")
        square = sum(release["cost"]["mu"]**2 for release in privacy["releases"])
        self.assertEqual(len(privacy["releases"]),
                         2 + result["diagnostics"]["expectation_steps"])
        # mu of (2, 1e-6), rounded up.
        self.assertLess(math.sqrt(square), 0.47)
        for release in privacy["releases"]:
            self.assertAlmostEqual(release["cost"]["mu"] * release["noise"],
                                   release["sensitivity"], delta=1e-12 * release["sensitivity"])
            self.assertGreaterEqual(release["sensitivity"], math.sqrt(2) / DOCUMENTS)
        text = self.succeed("topics", self.corpus, "-k", TOPICS, *PRIVATE)
        self.assertIn("one document", text)
        self.assertNotIn("not private", text)
        self.assertNotIn("coherence", text)

    def test_the_plan_is_what_the_run_releases(self):
        core = [*PRIVATE, "--core", 20, "--refine", 2]
        folder = self.make("one", "--model", "single")
        single = ["--model", "single", *PRIVATE, "--as-published"]
        for corpus, options in ((self.corpus, core),
                                (self.corpus, [*core, "--mechanism", "triples"]),
                                *((folder / "docword.txt", [*single, method]) for method in
                                  ("agn", "avn", "dp-tpm", "esmaeili-2", "esmaeili-3",
                                   "esmaeili-4"))):
            with self.subTest(options):
                # The documents are not opened.
                plan = self.result("topics", "nowhere", "-k", TOPICS, *options, "--plan",
                                   "--documents", DOCUMENTS, "--words", WORDS)
                made = self.topics(*options, corpus=corpus)["privacy"]["releases"]
                counted = [[r["what"], r["mechanism"], r["values"], r.get("count", 1)] for r in made]
                self.assertEqual(counted, [[r["what"], r["mechanism"], r["values"], r["count"]]
                                           for r in plan["releases"]])
                for planned, release in zip(plan["releases"], made):
                    if planned["noise"] is not None:
                        self.assertAlmostEqual(planned["noise"], release["noise"],
                                               delta=1e-6 * release["noise"])
        text = self.succeed("topics", "nowhere", "-k", TOPICS, *PRIVATE, "--plan", "-n", DOCUMENTS)
        self.assertIn("words with a large weight", text)
        self.assertIn("topics are expected from epsilon", text)
        self.assertIn("no record was read and nothing was released", text)
        self.refuse("topics", "nowhere", "-k", TOPICS, *PRIVATE, "--plan", says="--documents")
        self.refuse("topics", self.corpus, "-k", TOPICS, "--plan", "-n", 9, says="--epsilon")
        self.refuse("topics", self.corpus, "-k", TOPICS, *PRIVATE, "-n", 9,
                    says=["--documents", "--plan"])

    def test_triples(self):
        result = self.topics(*PRIVATE, "--mechanism", "triples", "--refine", 0)
        releases = result["privacy"]["releases"]
        self.assertEqual(len(releases), 3)
        self.assertEqual(releases[2]["values"], math.comb(2 * TOPICS + 3, 3))
        self.assertEqual(result["privacy"]["guarantee"], "proved")

    def test_what_is_wrong_with_a_public_vocabulary_is_said(self):
        text = self.write("text.txt", "one two\n" * 9)
        bad = self.write("bad.txt", "one\n\ntwo\n")
        self.refuse("topics", text, "-k", 2, *PRIVATE, "--vocab", bad, says="bad.txt:2: is blank")

    def test_every_published_method_writes_its_result(self):
        folder = self.folder / "twenty"
        self.succeed("generate", "corpus", "-n", 3000, "-V", 20, "-k", 2, "--model", "single",
                     "--out", folder)
        for method in ("agn", "avn", "dp-tpm", "esmaeili-1", "esmaeili-2", "esmaeili-3",
                       "esmaeili-4"):
            model = "lda" if method.startswith("esmaeili") else "single"
            out = self.folder / method
            result = json.loads(self.succeed(
                "topics", folder / "docword.txt", "-k", 2, "--model", model, "--as-published",
                method, "--epsilon", 1, "--delta", "1e-6", "--json", "--out", out))
            self.assertEqual(result, json.loads((out / "result.json").read_text()))
            self.assertTrue((out / "report.html").exists())
            proved = method in ("agn", "avn", "esmaeili-1")
            self.assertEqual(result["privacy"]["guarantee"], "proved" if proved else "none", method)

    def test_an_insecure_seed_repeats_and_proves_nothing(self):
        runs = [self.topics(*PRIVATE, "--insecure-seed", 3, "--threads", t) for t in (1, 2)]
        self.assertEqual(runs[0]["topics"], runs[1]["topics"])
        self.assertEqual(runs[0]["privacy"]["guarantee"], "none")
        self.assertIn("seed", runs[0]["privacy"]["why"])
        fresh = [self.topics(*PRIVATE)["topics"] for _ in range(2)]
        self.assertNotEqual(fresh[0], fresh[1])

    def test_neighbours_leave_results_of_the_same_form(self):
        documents = read_docword(self.corpus)
        forms = []
        for number, other in enumerate([documents[7], {}, {1: 1}, {WORDS: 2147483647},
                                        {w: 1000 for w in range(1, WORDS + 1)}]):
            path = self.write("docword.neighbour.txt",
                              docword(documents[:7] + [other] + documents[8:], WORDS))
            out = self.folder / f"found{number}"
            result = self.topics(*PRIVATE, "--refine", 2, "--core", 30, "--insecure-seed", 9,
                                 "--out", out, corpus=path)
            forms.append((sorted(result), sorted(result["diagnostics"]), result["input"],
                          result["diagnostics"]["core_words"],
                          result["privacy"]["releases"],
                          [(f.name, f.stat().st_size) for f in sorted(out.iterdir())
                           if f.suffix == ".npy"]))
        for form in forms[1:]:
            self.assertEqual(form, forms[0])

    def test_a_document_more_or_less_empty_changes_nothing_about_success(self):
        for documents in ([{}] * 50, [{}] * 49 + [{1: 1}], [{}] * 49 + [{1: 2, 2: 2}]):
            path = self.write("sparse.txt", docword(documents, 5))
            done = self.sotto("topics", path, "--format", "uci", "-k", 2, *PRIVATE, "--refine", 0)
            # The release shows whether the moment drowns in noise; nothing else is refused.
            if done.returncode != 0:
                self.assertIn("too few documents for this epsilon", done.stderr)

    def test_what_looks_at_the_documents_is_refused(self):
        refuse = lambda *arguments, says: self.refuse("topics", self.corpus, "-k", TOPICS, *PRIVATE,
                                                      *arguments, "--out", "found", says=says)
        (self.folder / "link.txt").symlink_to(self.corpus)
        for option in "--heldout", "--reference", "--infer":
            for path in self.corpus, "made/../made/docword.txt", "link.txt":
                refuse(option, path, says=[option, "must be a public file"])
        refuse("--vocab", self.corpus, says=["--vocab", "must be a public file"])
        self.refuse("topics", "-", "-k", TOPICS, *PRIVATE, "--heldout", "-",
                    says=["--heldout", "must be a public file"])
        refuse("--min-df", 2, says=["--min-df", "--epsilon"])
        refuse("--clip", "median", says=["--clip", "--epsilon"])
        refuse("--clip", "none", says=["--clip", "--epsilon"])
        refuse("--form", "plug-in", says=["--form", "--epsilon"])
        self.refuse("topics", self.corpus, "-k", WORDS + 1, *PRIVATE, "--out", "found",
                    says=["--topics", f"{WORDS} words"])
        refuse("--core", 2, says="--core")
        refuse("--model", "single", "--refine", 2, says="--refine")

    def test_a_vocabulary_is_declared_or_chosen_privately(self):
        self.write("secret.txt", "tuberculosis ward seven\nanother patient record here\n")
        refused = ["topics", "secret.txt", "--format", "text", "-k", 2, *PRIVATE, "--out", "found"]
        self.refuse(*refused, says="no word is in enough documents")
        self.assertNotIn("tuberculosis", self.sotto(*refused).stderr)
        lines = ["north wind cold snow"] * 3000 + ["south sun warm sand"] * 3000
        lines[17] = "tuberculosis " + lines[17]
        self.write("common.txt", "\n".join(lines) + "\n")
        out = self.folder / "found"
        result = self.topics(*PRIVATE, "--out", out, corpus="common.txt", k=2)
        words = (out / "vocab.txt").read_text().split()
        self.assertEqual(sorted(words), sorted("north wind cold snow south sun warm sand".split()))
        self.assertEqual(result["input"], {"documents": 6000, "words": 8})
        self.assertEqual(result["privacy"]["guarantee"], "proved")
        self.assertEqual(result["privacy"]["releases"][0]["what"], "words with a large weight")
        self.write("counts.ldac", "2 0:3 1:4\n2 1:2 2:3\n")
        self.refuse("topics", "counts.ldac", "--format", "lda-c", "-k", 2, *PRIVATE,
                    says=["--vocab", "is needed"])

    def test_a_background_gives_words_and_what_to_expect_of_them(self):
        lines = ["north wind cold snow"] * 3000 + ["south sun warm sand"] * 3000
        self.write("common.txt", "\n".join(lines) + "\n")
        words = "snow cold wind north sand warm sun south never seen".split()
        self.write("english.tsv", "".join(f"{w}\t{n}\n" for n, w in enumerate(words, 1)))
        private = ["topics", "common.txt", "-k", 2, *PRIVATE]
        out = self.folder / "found"
        result = self.result(*private, "--background", "english.tsv", "--out", out)
        self.assertEqual((out / "vocab.txt").read_text().split(), words)
        self.assertEqual(result["input"], {"documents": 6000, "words": 10})
        self.assertIn("the file of background counts, english.tsv",
                      " ".join(result["privacy"]["public"]))
        self.assertNotEqual(result["privacy"]["releases"][0]["what"],
                            "words with a large weight")
        plan = self.sotto(*private, "--plan", "--documents", 6000, "--background", "english.tsv")
        self.assertEqual(plan.returncode, 0, plan.stderr)
        # A vocabulary of its own goes first; the background counts what it has of it.
        self.write("some.txt", "snow\ncold\nwind\nsand\nwarm\nnew\n")
        result = self.result(*private, "--background", "english.tsv", "--vocab", "some.txt")
        self.assertEqual(result["input"]["words"], 6)
        for file, text in (("list.txt", "snow\ncold\n"), ("twice.tsv", "snow\t1\nsnow\t2\n"),
                           ("none.tsv", "snow\t0\n")):
            self.write(file, text)
            self.refuse(*private, "--vocab", "some.txt", "--background", file, says=file)
        self.refuse(*private, "--background", "nowhere.tsv", says="there is no file nowhere.tsv")
        self.refuse(*private, "--background", "common.txt", says="common.txt")
        self.refuse("topics", "common.txt", "-k", 2, "--background", "english.tsv",
                    says=["--background", "needs --epsilon"])
        self.refuse("topics", self.corpus, "--format", "uci", "-k", 2, *PRIVATE, "--background",
                    "english.tsv", says=["10 words", "header"])

    def test_a_document_of_very_many_words_changes_nothing_about_success(self):
        lines = ["north wind cold snow"] * 3000 + ["south sun warm sand"] * 3000
        forms = []
        for words in 1, 100_000:
            lines[17] = " ".join(f"{n:x}" for n in range(0x100000, 0x100000 + words))
            self.write("common.txt", "\n".join(lines) + "\n")
            done = self.sotto("topics", "common.txt", "--format", "text", "-k", 2, *PRIVATE, "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stderr, "")
            result = json.loads(done.stdout)
            first = result["privacy"]["releases"][0]
            forms.append((result["input"], first["values"], first["sensitivity"], first["noise"]))
        self.assertEqual(forms[0], forms[1])

    def test_messages_do_not_quote_documents(self):
        for text in ("2\n3\n3\n1 1 5\n1 2 leprosy\n2 3 5\n", "2\n3\n3\n1 1 5\n1 77123 5\n2 3 5\n",
                     "2\n3\n3\n1 1 5\n1 2 -77123\n2 3 5\n", "2\n3\n3\n1 1 5\n1 2 5\n77123 3 5\n"):
            self.write("bad.txt", text)
            arguments = ["topics", "bad.txt", "--format", "uci", "-k", 2, *PRIVATE, "--out", "found"]
            self.refuse(*arguments, says=["bad.txt", "is not shown in a private run"])
            message = self.sotto(*arguments).stderr
            for secret in "leprosy", "77123", "bad.txt:5":
                self.assertNotIn(secret, message)
        self.write("words", "one\ntwo\nthree\n")
        self.write("bad.ldac", "2 0:3 1:4\n2 1:2 77123:3\n")
        arguments = ["topics", "bad.ldac", "--format", "lda-c", "--vocab", "words", "-k", 2, *PRIVATE]
        self.refuse(*arguments, says="is not shown in a private run")
        self.assertNotIn("77123", self.sotto(*arguments).stderr)

    def test_public_documents_may_be_looked_at(self):
        other = self.make("other", documents=300) / "docword.txt"
        out = self.folder / "found"
        result = self.topics(*PRIVATE, "--heldout", other, "--reference", other, "--infer", other,
                             "--out", out)
        self.assertGreater(result["evaluation"]["perplexity"], 1)
        self.assertIn("npmi", result["evaluation"])
        self.assertEqual(read_npy(out / "inferred.npy")[0], (300, TOPICS))
        self.assertFalse((out / "proportions.npy").exists())


if __name__ == "__main__":
    main()
