"""How private files are read: no property of the whole file may follow from one person's record."""
import gzip
import itertools
import random
import struct

from sotto_cli import ProgramTest, main, npy_bytes

BUDGET = ["--epsilon", 5, "--delta", "1e-6", "--insecure-seed", 11]
MARK = b"\xef\xbb\xbf"  # of the byte order


def without_seconds(result):
    return {name: value for name, value in result.items() if name not in ("arguments", "seconds")}


class PrivateFiles(ProgramTest):
    def assert_same_refusal(self, texts, name, *arguments, says):
        """Files with these texts are refused in the same words."""
        said = set()
        for text in texts:
            path = self.write(name, text)
            self.refuse(arguments[0], path, *arguments[1:], says=says)
            said.add(self.sotto(arguments[0], path, *arguments[1:]).stderr)
        self.assertEqual(len(said), 1, said)

    def public_facts(self, result):
        return result["privacy"]["public"]


class Documents(PrivateFiles):
    PRIVATE = ["-k", 2, *BUDGET, "--refine", 0, "--core", 6]

    def setUp(self):
        super().setUp()
        self.vocab = self.write("vocab", "".join(f"w{n}\n" for n in range(8)))

    def topics(self, path, *arguments):
        result = self.result("topics", path, *self.PRIVATE, *arguments)
        return result["topics"], self.public_facts(result)

    def svmlight(self, first):
        """Labels are the numbers of words, as in LDA-C, except for the first document."""
        rows = ["1 %d:3" % (1 + n % 3) if n % 2 else "2 4:2 %d:1" % (5 + n % 3) for n in range(2000)]
        return "\n".join([f"{first} 1:3", *rows]) + "\n"

    def test_a_label_of_svmlight_does_not_make_it_lda_c(self):
        two, one = self.write("two.svm", self.svmlight(2)), self.write("one.svm", self.svmlight(1))
        topics, facts = self.topics(two, "--vocab", self.vocab)
        self.assertEqual(topics, self.topics(one, "--vocab", self.vocab)[0])
        self.assertIn("the format of the file: svmlight", facts)
        self.assert_same_refusal([self.svmlight(2), self.svmlight(1)], "corpus", "topics",
                                 *self.PRIVATE, "--vocab", self.vocab, says="--format")
        for name in "corpus", "two.svm":
            named = self.write(name, self.svmlight(1))
            self.assertEqual(topics, self.topics(named, "--format", "svmlight", "--vocab",
                                                 self.vocab)[0])

    def test_a_document_of_pairs_does_not_make_numbers_of_text(self):
        lines = ["w1 w2 w3" if n % 2 else "w4 w5 w6 w4" for n in range(2000)]
        inputs, facts = [], []
        for name, first in ("plain", "w1 w2"), ("time", "7 10:30"), ("blank", ""), ("comment", "# w1"), \
                ("banner", "%%MatrixMarket matrix"), ("control", "w1 \x01\x1b"):
            path = self.write(f"{name}.txt", "\n".join([first, *lines]) + "\n")
            result = self.result("topics", path, *self.PRIVATE, "--vocab", self.vocab)
            inputs.append(result["input"])
            facts.append(self.public_facts(result))
        self.assertEqual(inputs, [{"documents": 2001, "words": 8}] * len(inputs))
        self.assertEqual(facts, [facts[0]] * len(facts))
        self.assertIn("the format of the file: text", facts[0])
        self.assert_same_refusal(["w1 w2\nw3\n", "7 10:30\nw3\n", "\n\n", "",
                                  "%%MatrixMarket matrix\nw3\n"], "documents", "topics",
                                 *self.PRIVATE, "--vocab", self.vocab, says="--format")

    def test_documents_in_columns_are_never_quoted(self):
        rows = [f'{n},"w1 w{2 + n % 5}"' for n in range(2000)]
        columns = ["--vocab", self.vocab, "--text-column", "text"]
        good = self.write("good.csv", "\n".join(["id,text", *rows]) + "\n")
        self.assertIn("the format of the file: csv", self.topics(good, *columns)[1])
        broken = ['7,"w1', "7", "", "7,w1,w2", '7,"w1" w2', "sep=;"]
        texts = ["\n".join(["id,text", *rows[:place], row, *rows[place:]]) + "\n"
                 for row in broken for place in (0, 1000, 2000)]
        self.assert_same_refusal(texts, "documents.csv", "topics", *self.PRIVATE, *columns,
                                 says="cannot be read")
        self.assert_same_refusal([good.read_bytes(), b"w1 w2\n", b""], "documents.csv", "topics",
                                 *self.PRIVATE, "--vocab", self.vocab, says="--text-column")

    def test_other_files_may_be_looked_at(self):
        lines = ["w1 w2 w3" if n % 2 else "w4 w5 w6 w4" for n in range(2000)]
        path = self.write("documents.txt", "\n".join(lines) + "\n")
        public = self.write("public", "\n".join(lines[:50]) + "\n")
        result = self.result("topics", path, *self.PRIVATE, "--vocab", self.vocab, "--heldout",
                             public, "--reference", public)
        self.assertGreater(result["evaluation"]["perplexity"], 1)

    def test_numbers_for_words_need_a_vocabulary_whatever_the_documents_are(self):
        self.assert_same_refusal(["0\n" * 20, "0\n" * 19 + "1 3:1\n"], "x.ldac", "topics",
                                 *self.PRIVATE, says="--vocab")

    def test_a_line_that_is_no_document_is_refused_wherever_it_stands(self):
        good = self.svmlight(2)
        for bad in "\n", "# none\n", "cancer\n":
            self.assert_same_refusal([bad + good, good + bad], "x.svm", "topics", *self.PRIVATE,
                                     "--vocab", self.vocab, says="nothing was released")

    def test_byte_order_marks(self):
        rows = [{1: 3, 2: 1} if n % 2 else {4: 2, 5: 1} for n in range(500)]
        entries = [(n, w, c) for n, row in enumerate(rows, 1) for w, c in row.items()]
        triples = "".join("%d %d %d\n" % entry for entry in entries)
        files = {
            "docword.txt": f"500\n8\n{len(entries)}\n{triples}",
            "x.mtx": f"%%MatrixMarket matrix coordinate integer general\n500 8 {len(entries)}\n{triples}",
            "x.svm": "".join("1 " + " ".join(f"{w}:{c}" for w, c in row.items()) + "\n" for row in rows),
            "x.ldac": "".join("2 " + " ".join(f"{w - 1}:{c}" for w, c in row.items()) + "\n"
                              for row in rows),
            "x.txt": "".join(" ".join(f"w{w - 1}" for w in row for _ in range(row[w])) + "\n"
                             for row in rows)}
        stop = self.write("stop", "nothing\n")
        marked_stop = self.write("marked_stop", MARK + b"nothing\n")
        marked_vocab = self.write("marked_vocab", MARK + self.vocab.read_bytes())
        found = []
        for name, text in files.items():
            words = ["--stop-words", stop] if name == "x.txt" else []
            found.append(self.topics(self.write(name, text), "--vocab", self.vocab, *words)[0])
            words = ["--stop-words", marked_stop] if name == "x.txt" else []
            found.append(self.topics(self.write(name, MARK + text.encode()), "--vocab",
                                     marked_vocab, *words)[0])
        for other in found[1:]:
            self.assertEqual(other, found[0])


class Points(PrivateFiles):
    PRIVATE = ["-k", 1, "-R", 2, "--batch", 300, "--max-norm", 5, *BUDGET]

    def setUp(self):
        super().setUp()
        rng = random.Random(3)
        self.rows = [[round(rng.gauss(1, 0.5), 3) for _ in range(3)] for _ in range(1000)]
        self.text = "".join(",".join(map(str, row)) + "\n" for row in self.rows)

    def weights(self, *arguments):
        result = self.result("stream", *arguments, *self.PRIVATE)
        return result["weights"], self.public_facts(result)

    def test_a_label_of_svmlight_does_not_make_it_lda_c(self):
        rows = "".join("3 1:%s 2:%s 3:%s\n" % tuple(row) for row in self.rows)
        two = self.write("two.svm", "2 1:1\n" + rows)
        one = self.write("one.svm", "1 1:1\n" + rows)
        weights, facts = self.weights(two, "--dim", 4)
        self.assertEqual(weights, self.weights(one, "--dim", 4)[0])
        self.assertIn("the format of the file: svmlight", facts)
        self.assert_same_refusal(["2 1:1\n" + rows, "1 1:1\n" + rows], "points", "stream",
                                 *self.PRIVATE, "--dim", 4, says="--format")
        self.assert_same_refusal(["1 1:1\n" + rows, "1\n" * 1001], "x.svm", "stream", *self.PRIVATE,
                                 says="--dim")

    def test_formats_and_separators_are_named(self):
        weights, facts = self.weights(self.write("x.csv", self.text), "--header", "no", "--dim", 3)
        self.assertIn("the format of the file: csv", facts)
        head = self.write("head.csv", "a,b,c\n" + self.text)
        self.assertEqual(weights, self.weights(head, "--header", "yes")[0])
        tabs = self.write("x.tsv", self.text.replace(",", "\t"))
        self.assertEqual(weights, self.weights(tabs, "--header", "no", "--dim", 3)[0])
        blanks = self.write("x.txt", "# a b c\n" + self.text.replace(",", " "))
        self.assertEqual(weights, self.weights(blanks, "--header", "yes", "--format", "spaces")[0])
        packed = self.folder / "x.csv.gz"
        packed.write_bytes(gzip.compress(self.text.encode()))
        self.assertEqual(weights, self.weights(packed, "--header", "no", "--dim", 3)[0])
        self.assert_same_refusal([self.text, "a,b,c\n" + self.text, "1,2\n" + self.text], "x.csv",
                                 "stream", *self.PRIVATE, says="--header")
        # A file that is called .csv has commas, whatever its first record looks like.
        self.assert_same_refusal([self.text.replace(",", "\t"), self.text.replace(",", " "),
                                  self.text.replace(",", ";")], "x.csv", "stream", *self.PRIVATE,
                                 "--header", "no", "--dim", 3, says="cannot be read in this format")
        for command in "stream", "mixture":
            private = ["-k", 1, *BUDGET, "--max-norm", 5]
            self.assert_same_refusal([self.text, self.text.replace(",", " "), "2 1:1\n"], "points",
                                     command, *private, "--header", "no", "--dim", 3,
                                     says="--format")

    def test_a_line_that_is_no_record_is_refused_wherever_it_stands(self):
        for bad in "NA,NA,NA\n", "\n", "# 1,2,3\n", "1,2\n", "1;2;3\n":
            texts = [bad + self.text, "1,2,3\n" * 5 + bad + self.text]
            self.assert_same_refusal(texts, "x.csv", "stream", *self.PRIVATE, "--header", "no",
                                     "--dim", 3, says="cannot be read in this format")
            self.assert_same_refusal(["a,b,c\n" + text for text in texts], "x.csv", "mixture", "-k",
                                     1, "--max-norm", 5, *BUDGET, "--header", "yes",
                                     says="cannot be read in this format")

    def test_raw_numbers_that_begin_like_gzip(self):
        raw = b"".join(struct.pack("=3d", *row) for row in self.rows)
        first = struct.pack("<Q", 0x3ff0000000088b1f)
        plain, like_gzip = self.write("x.raw", raw), self.write("y.f8", first + raw[8:])
        facts = [self.weights(path, "--dim", 3)[1] for path in (plain, like_gzip)]
        self.assertEqual(facts[0], facts[1])
        self.assertIn("the format of the file: raw", facts[0])

    def test_a_byte_order_mark(self):
        plain, marked = self.write("x.csv", self.text), self.write("y.csv", MARK + self.text.encode())
        options = ["--header", "no", "--dim", 3]
        self.assertEqual(self.weights(plain, *options)[0], self.weights(marked, *options)[0])


class Tensors(PrivateFiles):
    def test_the_format_is_told_by_the_name_a_mark_or_the_user(self):
        entries = [(i, j, k) for i, j, k in itertools.product(range(1, 5), repeat=3)]
        text = "sptensor\n3\n4 4 4\n64\n" + "".join("%d %d %d 900\n" % entry for entry in entries)
        private = ["-k", 1, "--symmetrize", "--anyway", *BUDGET]
        self.assert_same_refusal([text, text.replace("900", "901"), "1 1 1 5\n"], "tensor",
                                 "decompose", *private, says="--format")
        for name, options in ("x.tns", []), ("tensor", ["--format", "tns"]):
            for data in text.encode(), MARK + text.encode():
                done = self.sotto("decompose", self.write(name, data), *private, *options, "--json")
                self.assertIn(done.returncode, (0, 3), done.stderr)
                self.assertIn("the format of the file: tns", done.stdout)
        array = self.write("array", npy_bytes([900.0] * 64, (4, 4, 4)))
        done = self.sotto("decompose", array, *private, "--json")
        self.assertIn("the format of the file: npy", done.stdout)


class Ratings(PrivateFiles):
    RATING = ["-r", 2, "--range", "1:5", *BUDGET]

    def setUp(self):
        super().setUp()
        rng = random.Random(5)
        places = [(u, i) for u in range(1, 41) for i in range(1, 31) if rng.random() < 0.4]
        self.ratings = [(u, i, rng.randint(1, 5)) for u, i in places]
        self.items = self.write("items.txt", "".join(f"{i}\n" for i in range(1, 31)))
        self.user = [*self.RATING, "--unit", "user", "--items", self.items]

    def csv(self, name, ratings, head="userId,movieId,rating", order=(0, 1, 2)):
        return self.write(name, head + "\n" + "".join(
            ",".join(str(rating[n]) for n in order) + "\n" for rating in ratings))

    def folder_of(self, path, *arguments):
        out = self.folder / "out"
        self.result("complete", path, *arguments, "--out", out)
        files = {file.name: file.read_bytes() for file in out.iterdir()
                 if file.suffix in (".npy", ".txt")}
        for file in out.iterdir():
            file.unlink()
        out.rmdir()
        return files


class RatingUnit(Ratings):
    def test_a_file_stored_by_rating_does_not_tell_values_by_its_order(self):
        by_value = lambda rating: rating[2]
        stored = sorted(self.ratings, key=by_value)
        user, item, _ = stored[0]
        moved = sorted([(user, item, 5), *stored[1:]], key=by_value)
        self.assertNotEqual([r[:2] for r in stored], [r[:2] for r in moved])
        labels = [{name: data for name, data in
                   self.folder_of(self.csv("r.csv", ratings), *self.RATING).items()
                   if name.endswith(".txt")} for ratings in (stored, moved)]
        self.assertEqual(labels[0], labels[1])
        self.assertEqual(labels[0]["labels_0.txt"], "".join(f"{u}\n" for u in range(1, 41)).encode())
        # Any order of the same ratings gives the same result, noise included (sgd: test_leaks).
        for how in ["--mechanism", "sums"], ["--mechanism", "als"], ["--perturb", "input"], \
                ["--perturb", "input", "--as-published", "--epochs", 2]:
            shuffled = random.Random(1).sample(self.ratings, len(self.ratings))
            first, second = (self.folder_of(self.csv("r.csv", ratings), *self.RATING, *how)
                             for ratings in (stored, shuffled))
            self.assertEqual(first, second, how)

    def test_indices_cost_what_occurs(self):
        lines = [*self.ratings, (5000000, 2147483647, 3)]
        path = self.write("r.tns", "".join("%d %d %d\n" % line for line in lines))
        found = self.result("complete", path, *self.RATING)
        self.assertEqual(found["input"]["dims"], [41, 31, 1])
        self.assertIn("the format of the file: tns", self.public_facts(found))
        test = self.write("t.tns", "5000000 1 3\n6000000 2 2\n")
        found = self.result("complete", path, *self.RATING, "--test", test)
        self.assertEqual(found["test"], {"entries": 2, "unknown_rows": 1})
        huge = self.write("h.tns", "sptensor\n2\n2147483647 3\n2\n1 1 1\n2 2 1\n")
        self.refuse("complete", huge, *self.RATING, says="2147483647 rows")

    def test_a_place_rated_twice_is_refused_without_its_lines(self):
        twice = self.csv("r.csv", [*self.ratings, self.ratings[7]])
        self.refuse("complete", twice, *self.RATING, says="two ratings of one place")
        self.assertNotRegex(self.sotto("complete", twice, *self.RATING).stderr, r"csv:\d|line \d")

    def test_the_format_and_the_columns_are_not_read_off_a_rating(self):
        text = self.csv("r.csv", self.ratings).read_text()
        bare = text.split("\n", 1)[1]
        self.assert_same_refusal([text, bare, "x"], "ratings", "complete", *self.RATING,
                                 says="--format")
        self.assert_same_refusal([bare, "a,b,c\n" + bare, "1,2,cancer\n" + bare], "r.csv",
                                 "complete", *self.RATING, says="--columns")
        named = ["--columns", "mode,mode,value"]
        self.result("complete", self.write("r.csv", bare), *self.RATING, *named)
        for bad in "1,2,cancer\n", "1,2\n", "1,2,3,4\n", ",2,3\n":
            self.assert_same_refusal([bad + bare, bare + bad], "r.csv", "complete", *self.RATING,
                                     *named, says="nothing was released")


    def test_which_column_is_protected_is_not_guessed(self):
        twice = [(u, i, x, x) for u, i, x in self.ratings]
        for head, columns in ("user,item,rating,score", 4), ("user,item,grade,year", 4), \
                ("grade,user,item", 3):
            path = self.csv("g.csv", twice, head, range(columns))
            self.refuse("complete", path, *self.RATING, says="--columns")
        found = self.result("complete", self.csv("r.csv", self.ratings), *self.RATING)
        self.assertIn("that the values are the column rating and the positions userId, movieId, all",
                      self.public_facts(found))


class UserUnit(Ratings):
    def test_the_users_column_is_found_by_its_name(self):
        usual = self.folder_of(self.csv("r.csv", self.ratings), *self.user)
        head, order = "movieId,userId,rating", (1, 0, 2)
        swapped = self.csv("s.csv", self.ratings, head, order)
        self.assertEqual(usual, self.folder_of(swapped, *self.user))
        facts = self.public_facts(self.result("complete", swapped, *self.user))
        self.assertIn("that users are told apart by the column userId: one label is one user", facts)
        for names in "thing,USER-ID,stars", "film,patient_id,score", "what,member,value":
            path = self.csv("n.csv", self.ratings, names, order)
            self.assertEqual(usual, self.folder_of(path, *self.user), names)
        unknown = self.csv("u.csv", self.ratings, "what,who,rating", order)
        self.refuse("complete", unknown, *self.user, says="--user-column")
        for column in "who", "2":
            self.assertEqual(usual, self.folder_of(unknown, *self.user, "--user-column", column))
        both = self.csv("b.csv", self.ratings, "customer,user,rating", order)
        self.refuse("complete", both, *self.user, says="--user-column")
        self.assertEqual(usual, self.folder_of(both, *self.user, "--user-column", "user"))

    def test_a_saved_index_is_not_a_user(self):
        usual = self.folder_of(self.csv("r.csv", self.ratings), *self.user)
        saved = [(n, *rating) for n, rating in enumerate(self.ratings)]
        for name in "", "Unnamed: 0":
            path = self.csv("i.csv", saved, name + ",userId,movieId,rating", (0, 1, 2, 3))
            self.refuse("complete", path, *self.user, says=["--columns", "-,user,item,value"])
            self.assertEqual(usual, self.folder_of(path, *self.user, "--columns",
                                                   "-,user,item,value"))

    def test_formats_that_say_who_the_users_are(self):
        usual = self.folder_of(self.csv("r.csv", self.ratings), *self.user)
        for name, separator in ("ratings.dat", "::"), ("u.data", "\t"):
            text = "".join(separator.join(map(str, (*rating, 0))) + "\n" for rating in self.ratings)
            found = self.folder_of(self.write(name, text), *self.user)
            self.assertEqual(usual, found, name)
        text = "".join("%d %d %d\n" % rating for rating in self.ratings)
        path = self.write("r.tns", text)
        self.refuse("complete", path, *self.user, says="--user-column")
        self.assertEqual(usual, self.folder_of(path, *self.user, "--user-column", 1))
        tall = self.write("t.tns", "".join("7 %d %d %d\n" % (i, u, x) for u, i, x in self.ratings))
        self.assertEqual(usual, self.folder_of(tall, *self.user, "--columns", "-,item,user,value"))

    def test_items_are_not_guessed(self):
        wide = [(u, i, i % 3, x) for u, i, x in self.ratings]
        path = self.csv("w.csv", wide, "user,what,where,rating", (0, 1, 2, 3))
        self.refuse("complete", path, *self.user, says=["--columns", "items"])
        usual = self.folder_of(self.csv("r.csv", self.ratings), *self.user)
        self.assertEqual(usual, self.folder_of(path, *self.user, "--columns", "user,item,-,value"))

    def test_a_byte_order_mark_makes_no_second_user(self):
        text = self.csv("r.csv", self.ratings).read_bytes()
        usual = self.folder_of(self.write("r.csv", text), *self.user)
        self.assertEqual(usual, self.folder_of(self.write("m.csv", MARK + text), *self.user))
        bare = text.split(b"\n", 1)[1]
        columns = ["--columns", "user,item,value"]
        self.assertEqual(usual, self.folder_of(self.write("b.csv", bare), *self.user, *columns))
        self.assertEqual(usual, self.folder_of(self.write("b.csv", MARK + bare), *self.user,
                                               *columns))
        self.items.write_bytes(MARK + self.items.read_bytes())
        self.assertEqual(usual, self.folder_of(self.write("m.csv", text), *self.user))
        times = [(u, i, i % 3, x) for u, i, x in self.ratings]
        path = self.csv("t.csv", times, "user,item,month,rating", (0, 1, 2, 3))
        listed = self.write("times.txt", "0\n1\n2\n")
        plain = self.folder_of(path, *self.user, "--times", listed)
        listed.write_bytes(MARK + listed.read_bytes())
        self.assertEqual(plain, self.folder_of(path, *self.user, "--times", listed))

    def test_one_user_does_not_decide_whether_the_run_succeeds(self):
        text = "".join("%d %d %d\n" % rating for rating in self.ratings)
        usual = self.result("complete", self.write("r.tns", text), *self.user, "--user-column", 1)
        for line in "5000000 1 3\n", "41 2147483647 3\n", "41 5 3\n41 5 2\n", "99999999999 3 1e9\n":
            path = self.write("r.tns", text + line)
            found = self.result("complete", path, *self.user, "--user-column", 1)
            self.assertEqual(without_seconds(found).keys(), without_seconds(usual).keys())
            self.assertEqual(found["input"], usual["input"])
            self.assertEqual(self.public_facts(found), self.public_facts(usual))

    def test_a_file_of_no_users_is_one_like_any_other(self):
        columns = ["--columns", "user,item,value"]
        texts = {"r.csv": ("userId,movieId,rating\n", "7,1,3\n7,2,4\n"), "b.csv": ("", "7,1,3\n"),
                 "r.tns": ("", "7 1 3\n"), "s.tns": ("sptensor\n2\n9 9\n0\n", "")}
        for name, (head, one_user) in texts.items():
            for text in head, head + one_user:
                done = self.sotto("complete", self.write(name, text), *self.user, *columns)
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_whether_a_test_user_is_protected_is_not_told(self):
        path = self.csv("r.csv", self.ratings)
        for user in 41, 40:
            given = self.csv("given.csv", [(user, i, 3) for i in range(1, 6)])
            test = self.csv("test.csv", [(user, i, 4) for i in range(6, 9)])
            found = self.result("complete", path, *self.user, "--given", given, "--test", test)
            self.assertEqual(found["test"]["entries"], 3)
            self.assertIn("test", " ".join(self.public_facts(found)))


if __name__ == "__main__":
    main()
