"""Leaks that private runs once had beside their releases, one test per leak."""
import contextlib
import itertools
import os
import shutil
import subprocess
import unittest

import neighbour_data as data
from neighbours import SLOW, differences, page_text, run_in, times_in, traces
from sotto_cli import NOT_CONVERGED, PROGRAM, ProgramTest, main
from test_neighbours import TOPICS, entries_of

TARGET = ("--epsilon", 20, "--delta", 1e-6)
SEED = ("--insecure-seed", 7, "--threads", 1)
SECRET = "HIV-positive"


def topics(file, *options, form="uci"):
    return ("topics", file, "-k", 2, *TARGET, *SEED, "--core", 10, "--refine", 1, *format_of(form),
            *options)


def stream(file, *options, form="csv"):
    return ("stream", file, "-k", 1, *TARGET, *SEED, "--max-norm", 1, "-L", 2, "-R", 2, "--batch",
            100, *format_of_points(form), *options)


def mixture(file, *options, form="npy"):
    return ("mixture", file, "-k", 2, *TARGET, *SEED, "--max-norm", 1, *format_of_points(form),
            *options)


def of_ratings(file, *options, form="csv"):
    return ("complete", file, "-r", 2, "--epsilon", 20, *SEED, "--range", "1:5", "--mechanism",
            "sums", *format_of(form), *options)


def of_users(file, *options, form="csv", items="items.txt"):
    return ("complete", file, "-r", 2, "--unit", "user", *TARGET, *SEED, "--range", "1:5",
            "--items", items, *format_of(form), *options)


def decompose(file, *options):
    return ("decompose", file, "-k", 1, *TARGET, *SEED, "-L", 2, "-R", 2, "--anyway", *options)


def format_of(form):
    return () if form == "auto" else ("--format", form)


def format_of_points(form):
    bare = ("--header", "no", "--dim", data.DIM) if form == "csv" else ()
    return (*format_of(form), *bare)


# Ratings without names.
BARE = ("--header", "no", "--columns", "mode,mode,value")


class Leak(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("vocab.txt", data.vocabulary())
        self.write("items.txt", data.ITEM_LIST)

    def run_in(self, *words, folder=None, **settings):
        return run_in(folder or self.folder, *words, "--out", "out", **settings)

    def refused(self, *words, says=(), stdin=None):
        """Expects exit code 2, all of `says` on one line of standard error, and nothing written."""
        before = sorted(self.folder.rglob("*"))
        done = self.run_in(*words, stdin=stdin)
        self.assertEqual(done.code, 2, (words, done.stdout[-300:], done.stderr))
        self.assertEqual(done.stdout, "")
        for text in [says] if isinstance(says, str) else says:
            self.assertIn(text, done.stderr, words)
        self.assertEqual(sorted(self.folder.rglob("*")), before, words)
        return done.stderr

    def succeeds(self, *words, code=(0, 3), **settings):
        done = self.run_in(*words, **settings)
        self.assertIn(done.code, code, (words, done.stderr))
        self.assertEqual(done.stderr, NOT_CONVERGED if done.code == 3 else "")
        return done

    def outcome(self, name, files, *words, **settings):
        """Runs in a new folder, so that all paths are the same for neighbours."""
        folder = self.folder / name
        folder.mkdir()
        for file, content in files.items():
            (folder / file).write_bytes(content if isinstance(content, bytes) else content.encode())
        return self.run_in(*words, folder=folder, **settings)


class FormatsAreNotReadOffRecords(Leak):
    """A format follows from an option or from public marks, never from the content of records."""

    def test_a_private_run_asks_for_the_format(self):
        documents = data.two_topics()
        for name, content, command, options in (
                ("SVMlight", data.svmlight(documents), topics, ("--vocab", "vocab.txt")),
                ("LDA-C", data.lda_c(documents), topics, ("--vocab", "vocab.txt")),
                ("text", data.text(documents), topics, ("--vocab", "vocab.txt")),
                ("UCI", data.uci(documents), topics, ()),
                ("SVMlight", data.svmlight(data.sparse(data.points())), stream, ("--dim", 4)),
                ("CSV", data.csv(data.points()), stream, ()),
                ("UCI", data.uci_points(data.sparse(data.points())), stream, ()),
                ("raw", data.raw(data.points()), stream, ("--dim", 4)),
                ("CSV", data.csv(data.points()), mixture, ()),
                ("SVMlight", data.svmlight(data.sparse(data.points())), mixture, ("--dim", 4)),
                ("CSV", data.ratings_csv(data.ratings()), of_ratings, ()),
                ("MovieLens", data.movielens(data.ratings()), of_ratings, ()),
                ("TSV", data.tsv(data.ratings()), of_users, ())):
            with self.subTest(name, command=command.__name__):
                self.write("file", content)
                self.refused(*command("file", *options, form="auto"), says="--format")

    def test_one_label_does_not_shift_all_words(self):
        # With labels like the counts of LDA-C, words were counted from 0, otherwise from 1.
        documents = data.two_topics()
        other = [{**documents[0], "label": 77}, *documents[1:]]
        vocab = data.vocabulary()
        runs = [self.outcome(name, {"file": data.svmlight(units), "vocab.txt": vocab},
                             *topics("file", "--vocab", "vocab.txt", form="auto"))
                for name, units in (("a", documents), ("b", other))]
        self.assertEqual(traces(*runs), [])

    def test_public_marks_are_enough(self):
        self.write("points.npy", data.dense_npy(data.points()))
        self.succeeds(*stream("points.npy", form="auto"))
        self.write("corpus.mtx", data.matrix_market(data.two_topics()))
        self.succeeds(*topics("corpus.mtx", form="auto"))

    def test_the_certificate_names_the_format(self):
        self.write("corpus", data.uci(data.two_topics()))
        self.write("points", data.csv(data.points()))
        self.write("ratings", data.ratings_csv(data.ratings()))
        self.write("users", data.ratings_csv(data.of_users(data.users())))
        for form, words in (("uci", topics("corpus")), ("csv", stream("points")),
                            ("csv", mixture("points", form="csv")), ("csv", of_ratings("ratings")),
                            ("csv", of_users("users"))):
            with self.subTest(words[0], form=form):
                facts = self.succeeds(*words).result["privacy"]["public"]
                self.assertTrue(any(form in fact.lower() for fact in facts), facts)

    def test_a_broken_first_record_is_not_taken_for_a_header(self):
        # A record without values is refused at the first place as at any other.
        for name, render, units, broken, command in (
                ("points", data.csv, data.points(), ["n/a"] * data.DIM, stream),
                ("points", data.csv, data.points(), ["n/a"] * data.DIM,
                 lambda file: mixture(file, form="csv")),
                ("ratings", data.bare_csv, data.ratings(), ("a", "b", "n/a", 0),
                 lambda file: of_ratings(file, *BARE))):
            with self.subTest(name):
                words = command("file")
                seen = []
                for place in 0, 5:
                    content = render([*units[:place], broken, *units[place + 1:]])
                    done = self.outcome(f"{name} {words[0]} {place}", {"file": content}, *words)
                    seen.append((done.code, done.stderr))
                self.assertEqual(seen[0], seen[1])
                self.assertEqual(seen[0][0], 2)

    def test_records_are_not_taken_for_gzip(self):
        # Two bytes of the first number decide; a name that ends in .gz is public.
        for first in ([data.LIKE_GZIP, 0.1, 0.1, 0.1], [0.1] * 4):
            points = [first, *data.points()[1:]]
            self.write("points.raw", data.raw(points))
            self.succeeds(*stream("points.raw", "--dim", 4, form="raw"))
            self.succeeds(*mixture("points.raw", "--dim", 4, form="raw"))


class NoTimeLeaves(Leak):
    def test_a_huge_unit_shows_in_no_clock(self):
        documents = data.two_topics()
        self.write("corpus", data.uci([{w: data.HUGE for w in range(12)}, *documents[1:]]))
        self.write("points.npy", data.dense_npy(data.points()))
        self.write("tensor.npy", data.tensor_npy(data.symmetric()))
        self.write("ratings", data.ratings_csv(data.ratings()))
        self.write("users", data.ratings_csv(data.of_users([("all", data.EVERYTHING * 99),
                                                            *data.users()])))
        for words in (topics("corpus"), stream("points.npy", form="npy"), mixture("points.npy"),
                      of_ratings("ratings"), of_users("users"), decompose("tensor.npy")):
            for json in (), ("--json",):
                with self.subTest(words[0], words=words):
                    done = self.succeeds(*words, *json)
                    self.assertEqual(times_in(done), [])
                    self.assertNotIn('"seconds', done.stdout)


class MessagesDoNotQuoteRecords(Leak):
    """From a file or a pipe, messages tell neither what is wrong with a record nor where."""

    def setUp(self):
        super().setUp()
        points = data.csv(data.points(records=40))
        self.broken = [
            (topics, "uci", b"3\n12\n3\n1 1 2\n2 2 %s\n3 3 1\n"),
            (lambda *a, **b: topics(*a, "--vocab", "vocab.txt", **b), "svmlight",
             b"1 1:2\n1 2:%s\n"),
            (lambda *a, **b: topics(*a, "--vocab", "vocab.txt", **b), "lda-c", b"1 1:2\n1 2:%s\n"),
            (topics, "mm", b"%%%%MatrixMarket matrix coordinate integer general\n2 12 2\n1 1 1\n"
                           b"2 2 %s\n"),
            (stream, "csv", points + b"0.1,0.2,%s,0.3\n"),
            (lambda *a, **b: stream(*a, "--dim", 4, **b), "svmlight", b"1 1:2\n1 2:%s\n"),
            (mixture, "csv", points + b"0.1,0.2,%s,0.3\n"),
            (of_ratings, "csv", b"user,item,rating\na,1,3\nb,1,%s\n"),
            (of_ratings, "tns", b"1 1 1 3\n2 1 1 %s\n"),
            (of_users, "csv", b"user,item,rating\na,1,3\nb,1,%s\n"),
            (lambda file, form: decompose(file), "tns", b"sptensor\n3\n2 2 2\n1\n1 1 1 %s\n"),
        ]

    def through(self, way, content, command, form):
        """The outcome of a run that gets `content` through a pipe of some kind."""
        if way == "file":
            self.write("file", content)
            return self.run_in(*command("file", form=form))
        reading, writing = os.pipe()
        os.write(writing, content)
        os.close(writing)
        path = {"-": "-", "/dev/stdin": "/dev/stdin", "/dev/fd/N": f"/dev/fd/{reading}"}[way]
        with os.fdopen(reading) as pipe:
            done = subprocess.run([PROGRAM, *map(str, command(path, form=form)), "--out", "out"],
                                  cwd=self.folder, capture_output=True, text=True, stdin=pipe,
                                  pass_fds=[reading], timeout=60)
        return done

    def test_through_a_pipe(self):
        for (command, form, content), way in itertools.product(
                self.broken, ("-", "/dev/stdin", "/dev/fd/N", "file")):
            with self.subTest(form=form, way=way, command=command("X", form=form)[0]):
                done = self.through(way, content % SECRET.encode(), command, form)
                code = getattr(done, "returncode", None) or getattr(done, "code", None)
                self.assertIn(code, (1, 2), done.stderr)
                self.assertEqual(done.stdout, "")
                for word in SECRET, "positive", ":2", ":3", ":4", ":5", ":41":
                    self.assertNotIn(word, done.stderr)
                self.assertFalse((self.folder / "out").exists())

    def test_the_message_does_not_depend_on_the_record(self):
        for (command, form, content), way in itertools.product(self.broken, ("-", "/dev/fd/N")):
            with self.subTest(form=form, way=way, command=command("X", form=form)[0]):
                words = [self.through(way, content % bad, command, form).stderr
                         for bad in (b"secret", b"nan", b"1e999")]
                numbers = [text.replace("/dev/fd/", "").strip("0123456789") for text in words]
                self.assertEqual(len(set(numbers)), 1, words)


class ProtectedFilesAreNotPublicCompanions(Leak):
    """The protected file of a run must not be given again as a public file."""

    def setUp(self):
        super().setUp()
        self.write("corpus", data.uci(data.two_topics()))
        self.write("text", data.text(data.two_topics()))
        self.write("points.npy", data.dense_npy(data.points()))
        self.write("tensor.npy", data.tensor_npy(data.symmetric()))
        self.write("ratings.csv", data.ratings_csv(data.of_users(data.users())))
        self.write("other.csv", data.ratings_csv([("z", i, 3, 0) for i in range(1, 6)]))
        text = ("--vocab", "vocab.txt")
        self.commands = [  # command line, protected file, option
            *((topics, "corpus", option) for option in
              ("--reference", "--heldout", "--infer", "--vocab", "--truth")),
            *((lambda *a: topics(*a, *text, form="text"), "text", option) for option in
              ("--reference", "--heldout", "--infer", "--stop-words")),
            (lambda *a: topics(*a, form="text"), "text", "--vocab"),
            (mixture, "points.npy", "--infer"),
            (mixture, "points.npy", "--truth"),
            (of_ratings, "ratings.csv", "--test"),
            (lambda file, option, path: of_users(file, items=path), "ratings.csv", "--items"),
            (of_users, "ratings.csv", "--times"),
            (lambda *a: of_users(*a, "--test", "other.csv"), "ratings.csv", "--given"),
            (lambda *a: of_users(*a, "--given", "other.csv"), "ratings.csv", "--test"),
            (decompose, "tensor.npy", "--whiten-with"),
        ]

    def ways(self, protected):
        """(input, companion, file on standard input): ways of giving the same file twice."""
        for link in "hard", "soft":
            with contextlib.suppress(FileNotFoundError):
                (self.folder / link).unlink()
        (self.folder / "hard").hardlink_to(self.folder / protected)
        (self.folder / "soft").symlink_to(protected)
        yield protected, protected, None
        yield protected, f"./{protected}", None
        yield protected, "hard", None
        yield protected, "soft", None
        yield protected, "/dev/stdin", protected
        yield protected, "-", protected
        yield "soft", "hard", None
        yield "-", protected, protected
        yield "/dev/stdin", "hard", protected

    def test_every_companion_in_every_way(self):
        for command, protected, option in self.commands:
            for file, companion, stdin in self.ways(protected):
                with self.subTest(option=option, command=command(file, option, companion)[0],
                                  input=file, companion=companion):
                    with contextlib.ExitStack() as stack:
                        open_file = stdin and stack.enter_context(open(self.folder / stdin))
                        self.refused(*command(file, option, companion), stdin=open_file)

    def test_ratings_are_not_published_as_the_list_of_items(self):
        self.refused(*of_users("ratings.csv", items="ratings.csv"), says="--items")
        self.write("months.csv", data.dated_csv(data.of_users(data.users())))
        self.refused(*of_users("months.csv", "--times", "months.csv"), says="--times")

    def test_two_public_companions_may_be_one_file(self):
        self.write("other", data.uci(data.two_topics(seed=9, documents=9)))
        done = self.succeeds(*topics("corpus", "--reference", "other", "--heldout", "other"))
        self.assertIn("npmi", done.result["evaluation"])

    def test_the_certificate_names_public_companions(self):
        self.write("other", data.uci(data.two_topics(seed=9, documents=9)))
        self.write("own.csv", data.ratings_csv([("z", i, 3, 0) for i in range(6, 11)]))
        for words, named in (
                (topics("corpus", "--vocab", "vocab.txt", "--reference", "other"),
                 ("vocab.txt", "other")),
                (mixture("points.npy", "--infer", "points2.npy"), ("points2.npy",)),
                (of_users("ratings.csv", "--given", "own.csv", "--test", "other.csv"),
                 ("items.txt", "own.csv", "other.csv"))):
            self.write("points2.npy", data.dense_npy(data.points(seed=5, records=9)))
            facts = self.succeeds(*words).result["privacy"]["public"]
            for name in named:
                with self.subTest(words[0], file=name):
                    self.assertTrue(any(name in fact for fact in facts), facts)


    def test_whom_inference_shows_is_said(self):
        self.write("new", data.uci(data.two_topics(seed=9, documents=9)))
        self.write("new.npy", data.dense_npy(data.points(seed=5, records=9)))
        for words, file in ((topics("corpus", "--infer", "new"), "new"),
                            (mixture("points.npy", "--infer", "new.npy"), "new.npy")):
            with self.subTest(words[0]):
                done = self.succeeds(*words)
                said = done.result["exposes"]
                self.assertRegex(said, f"of {file}: it costs the protected .* nothing, and shows")
                self.assertIn(said, done.stdout)
                self.assertIn(said, page_text(done.files["report.html"]))


class TheOrderOfLinesSaysNothing(Leak):
    """Unit rating: places are public, but their order in the file need not be."""

    def test_one_value_moves_no_row(self):
        ratings = data.ratings()
        files = []
        for name, changed in ("a", ratings[-1]), ("b", (*ratings[-1][:2], 5, 0)):
            content = data.stored_by_rating([*ratings[:-1], changed])
            done = self.outcome(name, {"ratings.csv": content}, *of_ratings("ratings.csv"))
            files.append({m: done.files[f"labels_{m}.txt"] for m in range(2)})
        self.assertEqual(files[0], files[1])

    def test_shuffled_lines_leave_the_same_bytes(self):
        ratings = data.ratings()
        shuffled = sorted(ratings, key=lambda r: (r[2], -r[1], (7 * r[0]) % 11))
        for mechanism in (("--mechanism", "sums"), ("--mechanism", "als"),
                          ("--mechanism", "entries"), ("--mechanism", "sgd", "--delta", 1e-6),
                          ("--perturb", "input", "--epochs", 3),
                          ("--perturb", "input", "--method", "sgd", "--epochs", 3),
                          ("--perturb", "input", "--as-published", "--epochs", 3)):
            for form, render in ("csv", data.ratings_csv), ("tns", data.ratings_tns), \
                    ("movielens", data.movielens):
                if form != "csv" and mechanism[1] == "sgd" and not SLOW:
                    continue
                with self.subTest(mechanism=mechanism, form=form):
                    words = [word for word in of_ratings("file", form=form, *mechanism)]
                    at = words.index("--mechanism")  # the one of of_ratings
                    del words[at:at + 2]
                    name = "_".join(map(str, mechanism)) + form
                    runs = [self.outcome(name + side, {"file": render(units)}, *words)
                            for side, units in (("a", ratings), ("b", shuffled))]
                    self.assertEqual(runs[0].code, 0, runs[0].stderr)
                    self.assertEqual(traces(*runs), [])

    def test_users_in_any_order_leave_the_same_bytes(self):
        users = data.users()
        files = {"items.txt": data.ITEM_LIST}
        runs = [self.outcome(name, {**files, "file": data.ratings_csv(rows)}, *of_users("file"))
                for name, rows in (("a", data.of_users(users)), ("b", data.by_items(users)),
                                   ("c", data.of_users(users[::-1])))]
        self.assertEqual(traces(runs[0], runs[1]), [])
        self.assertEqual(traces(runs[0], runs[2]), [])


class ValidUnitsAreNotRefused(Leak):
    MODEL = ("factors_1.npy", "biases_1.npy", "mean", "user.level_variance", "user.error_variance",
             "rmse", "mae", "ndcg10", "precision10",
             *entries_of("factors_1", "biases_1"))

    def neighbours_by_users(self, render, form, others, *options, files=None, **settings):
        users = data.users()
        files = {"items.txt": data.ITEM_LIST, **(files or {})}
        words = of_users("file", *options, form=form)
        base = self.outcome("base", {**files, "file": render(data.of_users(users))}, *words)
        self.assertEqual(base.code, 0, base.stderr)
        for n, (kind, user) in enumerate(others.items()):
            with self.subTest(kind):
                content = render(data.of_users([*users, user]))
                other = self.outcome(str(n), {**files, "file": content}, *words, **settings)
                self.assertEqual(differences(base, other, self.MODEL), [])

    def test_numbers_of_users_and_items(self):
        self.neighbours_by_users(data.ratings_tns, "tns", {
            "a user with a large number": (5_000_000, [(1, 3, 0)]),
            "a user with the largest number": (data.HUGE, [(1, 3, 0)]),
            "an item with the largest number": (401, [(data.HUGE, 3, 0)]),
            "a time with the largest number": (401, [(1, 3, data.HUGE - 1)]),
        }, *self.user_of_tns, memory=1 << 30, timeout=15)

    # The user is one index of a .tns file, which has no names.
    user_of_tns = ("--columns", "user,item,-,value")

    def test_membership_in_the_protected_file_does_not_show(self):
        own = [("t1", i, 3 + i % 2, 0) for i in range(1, data.ITEMS + 1)]
        self.neighbours_by_users(
            data.ratings_csv, "csv", {"a test user": ("t1", [("1", 4, 0), ("2", 1, 0)]),
                                      "another": ("t2", [("1", 4, 0), ("2", 1, 0)])},
            "--given", "given.csv", "--test", "test.csv",
            files={"given.csv": data.ratings_csv(own[::2]), "test.csv": data.ratings_csv(own[1::2])})

    def test_one_user_or_none(self):
        files = {"items.txt": data.ITEM_LIST}
        runs = [self.outcome(name, {**files, "file": data.ratings_csv(data.of_users(users))},
                             *of_users("file"))
                for name, users in (("one", [("only", [("1", 4, 0), ("2", 1, 0)])]), ("none", []))]
        self.assertEqual(differences(*runs, self.MODEL + (
            "privacy.releases[].noise", "privacy.releases[].sensitivity")), [])

    @unittest.skipUnless(SLOW, "SOTTO_SLOW=1 runs it")
    def test_one_user_more_than_four_million(self):
        files = {"items.txt": data.ITEM_LIST}
        codes = []
        for count in (1 << 22, (1 << 22) + 1):
            content = "user,item,rating\n" + "".join(f"{u},1,3\n" for u in range(count))
            codes.append(self.outcome(str(count), {**files, "file": content}, *of_users("file"),
                                      timeout=300).code)
        self.assertEqual(codes[0], codes[1])

    def test_documents_all_empty_but_one(self):
        vocab = {"vocab.txt": data.vocabulary()}
        for form, empty, one in (("lda-c", "0\n", "1 3:1\n"), ("svmlight", "1\n", "1 4:1\n"),
                                 ("text", "\n", "w3\n")):
            with self.subTest(form):
                runs = [self.outcome(f"{form} {n}", {**vocab, "file": empty * 5 + last},
                                     *topics("file", "--vocab", "vocab.txt", form=form))
                        for n, last in enumerate((empty, one))]
                self.assertEqual(runs[0].code, 0, runs[0].stderr)
                self.assertEqual(differences(*runs, TOPICS), [])

    def test_one_document_with_more_words_than_a_vocabulary_may_have(self):
        # The limit was 2^22, for which the run takes ten seconds.
        documents = data.text(data.two_topics())
        most = 1 << (22 if SLOW else 17)
        letters = "abcdefghijklmnopqrstuvwxyz"
        words = itertools.islice(itertools.product(letters, repeat=5), most + 1)
        many = " ".join(map("".join, words)).encode() + b"\n"
        command = ("topics", "file", "-k", 2, "--epsilon", 60, "--delta", 1e-6, *SEED, "--core", 10,
                   "--refine", 0, "--format", "text")
        runs = [self.outcome(name, {"file": first + documents}, *command)
                for name, first in (("a", b"w1 w2\n"), ("b", many))]
        self.assertEqual([done.code for done in runs], [0, 0], [done.stderr for done in runs])
        self.assertEqual(runs[0].stderr, runs[1].stderr)
        self.assertEqual(list(runs[0].files), list(runs[1].files))


class ARunOwnsItsFolder(Leak):
    def setUp(self):
        super().setUp()
        self.write("corpus", data.uci(data.two_topics()))
        self.write("ratings.csv", data.ratings_csv(data.ratings()))
        self.out = self.folder / "out"

    def names(self):
        return sorted(path.name for path in self.out.iterdir())

    def test_a_private_run_leaves_no_file_of_a_former_one(self):
        self.succeeds("topics", "corpus", "-k", 2, "--format", "uci")
        self.assertIn("proportions.npy", self.names())
        private = self.succeeds(*topics("corpus"))
        self.assertEqual(self.names(), sorted([*private.result["files"], "result.json",
                                               "report.html"]))
        self.assertNotIn("proportions.npy", self.names())
        # The result of another command is a result of sotto, too.
        self.succeeds("complete", "ratings.csv", "-r", 2, "--epochs", 2)
        self.assertIn("factors_0.npy", self.names())
        private = self.succeeds(*of_users("ratings.csv"))
        self.assertEqual(self.names(), sorted([*private.result["files"], "result.json",
                                               "report.html"]))
        for left in "labels_0.txt", "factors_0.npy", "topics.npy", "vocab.txt":
            self.assertNotIn(left, self.names())

    def test_a_folder_with_anything_else_is_refused(self):
        for name in "notes.txt", "proportions.npy", ".hidden":
            with self.subTest(name):
                shutil.rmtree(self.out, ignore_errors=True)
                self.out.mkdir()
                (self.out / name).write_text("mine")
                self.refused(*topics("corpus"), says="--force")
                self.assertEqual((self.out / name).read_text(), "mine")
                self.succeeds(*topics("corpus", "--force"))

    def test_a_former_result_with_something_beside_it_is_refused(self):
        self.succeeds("topics", "corpus", "-k", 2, "--format", "uci")
        (self.out / "notes.txt").write_text("mine")
        before = {path.name: path.read_bytes() for path in self.out.iterdir()}
        self.refused(*topics("corpus"), says="--force")
        self.assertEqual({path.name: path.read_bytes() for path in self.out.iterdir()}, before)
        self.succeeds(*topics("corpus", "--force"))
        self.assertNotIn("proportions.npy", self.names())

    def test_a_refused_run_leaves_the_former_result(self):
        self.succeeds(*topics("corpus"))
        before = {path.name: path.read_bytes() for path in self.out.iterdir()}
        self.write("broken", "3\n12\n3\n1 1 2\n2 2 x\n3 3 1\n")
        done = self.run_in(*topics("broken"))
        self.assertEqual(done.code, 2)
        self.assertEqual({path.name: path.read_bytes() for path in self.out.iterdir()}, before)


class WhoIsProtected(Leak):
    def rows(self):
        return data.of_users(data.users())

    def result_of(self, name, content, *options):
        done = self.outcome(name, {"file": content, "items.txt": data.ITEM_LIST},
                            *of_users("file", *options))
        self.assertEqual(done.code, 0, done.stderr)
        return done

    def refused_file(self, content, *options, says):
        self.write("file", content)
        self.refused(*of_users("file", *options), says=says)

    def test_the_column_of_the_users_is_found_by_its_name(self):
        straight = data.lines(["userId,movieId,rating", *(f"{u},{i},{v}" for u, i, v, _ in
                                                          self.rows())])
        turned = data.lines(["movieId,userId,rating", *(f"{i},{u},{v}" for u, i, v, _ in
                                                        self.rows())])
        one, two = self.result_of("a", straight), self.result_of("b", turned)
        for name in "factors_1.npy", "biases_1.npy", "labels_1.txt":
            self.assertEqual(one.files[name], two.files[name], name)
        for done in one, two:
            privacy = done.result["privacy"]
            self.assertIn("userId", " ".join([privacy["unit"], privacy["neighbours"],
                                              *privacy["public"]]))

    def test_the_column_of_the_users_is_named(self):
        content = data.lines(["thing,who,rating", *(f"{i},{u},{v}" for u, i, v, _ in self.rows())])
        self.refused_file(content, says="--user-column")
        done = self.result_of("named", content, "--user-column", "who")
        self.assertIn("who", " ".join([done.result["privacy"]["unit"],
                                       *done.result["privacy"]["public"]]))
        self.refused_file(content, "--user-column", "nobody", says="--user-column")

    def test_a_column_without_a_name_is_refused(self):
        numbered = enumerate(self.rows())
        content = data.lines([",userId,movieId,rating",
                              *(f"{n},{u},{i},{v}" for n, (u, i, v, _) in numbered)])
        self.refused_file(content, says="column")

    def test_a_file_without_a_header_says_who_is_the_user(self):
        self.refused_file(data.bare_csv(self.rows()), says="--columns")

    def test_a_byte_order_mark_makes_no_other_user(self):
        mark = "\ufeff".encode()
        for name, render, words, files in (
                ("users", data.ratings_csv, of_users("file"), {"items.txt": data.ITEM_LIST}),
                ("ratings", data.ratings_csv, of_ratings("file"), {}),
                ("bare", data.bare_csv, of_ratings("file", *BARE), {}),
                ("movielens", data.movielens, of_ratings("file", form="movielens"), {}),
                ("tns", data.ratings_tns, of_ratings("file", form="tns"), {})):
            with self.subTest(name):
                content = render(self.rows() if name == "users" else data.ratings())
                runs = [self.outcome(name + str(n), {**files, "file": before + content}, *words)
                        for n, before in enumerate((b"", mark))]
                self.assertEqual(runs[0].code, 0, runs[0].stderr)
                self.assertEqual(traces(*runs), [])

    def test_a_byte_order_mark_makes_no_other_word_or_number(self):
        mark = "\ufeff".encode()
        documents = data.two_topics()
        vocab = {"vocab.txt": data.vocabulary()}
        named = ("--vocab", "vocab.txt")
        for name, content, words in (
                ("text", data.text(documents), topics("file", *named, form="text")),
                ("uci", data.uci(documents), topics("file")),
                ("lda-c", data.lda_c(documents), topics("file", *named, form="lda-c")),
                ("mm", data.matrix_market(documents), topics("file", form="mm")),
                ("csv", data.csv(data.points()), stream("file"))):
            with self.subTest(name):
                runs = [self.outcome(name + str(n), {**vocab, "file": before + content}, *words)
                        for n, before in enumerate((b"", mark))]
                self.assertEqual(runs[0].code, 0, runs[0].stderr)
                self.assertEqual(traces(*runs), [])
        with self.subTest("vocabulary"):
            runs = [self.outcome(f"v{n}", {"vocab.txt": before + data.vocabulary(),
                                           "file": data.text(documents)},
                                 *topics("file", *named, form="text"))
                    for n, before in enumerate((b"", mark))]
            self.assertEqual(traces(*runs), [])


class TooLargeAnEpsilon(Leak):
    def test_a_pure_epsilon_without_meaning_is_refused_before_anything_is_released(self):
        self.write("ratings.csv", data.ratings_csv(data.ratings()))
        for options in ((), ("--mechanism", "als"), ("--mechanism", "entries"),
                        ("--perturb", "input"),
                        ("--perturb", "input", "--as-published")):
            with self.subTest(options):
                self.refused("complete", "ratings.csv", "-r", 2, "--epsilon", 700, *SEED, "--range",
                             "1:5", "--format", "csv", *options, says="epsilon")


if __name__ == "__main__":
    main()
