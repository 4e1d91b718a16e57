"""Neighbouring inputs and the same insecure seed, for every private command, unit and mechanism:
the outputs may differ in functions of listed releases and in nothing else.

A new mechanism or format is a line in CASES. Cases with the same kinds of neighbours share them out
among themselves (`dealt`); SOTTO_SLOW=1 tries every kind of neighbour for every case, at every place.
"""
import gzip
import json
import unittest

import neighbour_data as data
from neighbours import (SEED, SLOW, Case, Outcome, added_or_removed, dealt, differences, times_in,
                        traces)
from sotto_cli import NOT_CONVERGED, ProgramTest, main

TARGET = ("--epsilon", 20, "--delta", 1e-6)


# ---- what may differ: fields and files that are functions of releases ----

def labels(rows):
    return "".join(f"row {i}\n" for i in range(rows)).encode()


def entries_of(*arrays):
    """What the page shows of released arrays: the largest entries of each column, and lines."""
    return tuple(f"largest_entries.{array}[].{part}[]" for array in arrays
                 for part in ("index", "value", "label")) + tuple(
                     f"lines.{array}.components[][]" for array in arrays)


# The noise scale of an answer follows from the question, which earlier answers decide. The cost is
# the planned one except for the last digits.
SCALED = tuple(f"privacy.releases[].{field}" for field in ("noise", "sensitivity", "cost.mu")) + (
    "privacy.epsilon",)
VECTORS = ("weights[]", *entries_of("vectors"), "vectors.npy", "diagnostics.agreement[]")
ITERATED = VECTORS + SCALED + ("diagnostics.history.change[]",)
# The number of iterations on a noisy tensor is a function of that tensor.
ON_INPUT = VECTORS + ("diagnostics.residuals[]", "diagnostics.iterations[]")
INPUT_SETS = ("diagnostics.history", "report.html")
# A model that is fitted to released entries.
ON_ENTRIES = ("weights[]", "fit", "explained", "core.npy", *(
    f"diagnostics.{field}" for field in (
        "agreement[]", "congruence[]", "core_consistency", "iterations", "relative_error",
        "start_errors[]", "error_over_noise", "residuals[]", "iterations[]")),
    *(f"factors_{m}.npy" for m in range(5)),
    *entries_of(*(f"factors_{m}" for m in range(5))))
ENTRY_SETS = ("relative_errors", "diagnostics.relative_errors", *INPUT_SETS)
TOPICS = ("weights[]", "topics[].weight", "topics[].words[].word", "topics[].words[].probability",
          "topics.npy", "weights.npy", "inferred.npy", "diagnostics.core_words",
          *(f"evaluation.{field}" for field in (
              "diversity", "npmi", "umass", "npmi_by_topic[]", "umass_by_topic[]", "perplexity",
              "unigram_perplexity", "total_variation", "component_error")))
# A privately chosen vocabulary is a released set: its words, their number and order, what is
# computed over them, and the noise of that.
VOCABULARY_SETS = ("input.words", "topics[].words", "topics.npy", "vocab.txt", "report.html",
                   "evaluation.heldout_tokens")
CHOSEN = TOPICS + ("privacy.releases[].values", "privacy.releases[].precision.epsilon",
                   "privacy.releases[].precision.delta", *SCALED)
MIXTURE = ("weights[]", "variance", *entries_of("means"), "means.npy", "weights.npy",
           "covariances.npy", "inferred.npy", "diagnostics.rank", "diagnostics.known", "evaluation.largest_mean_error", *SCALED)
FACTORS = tuple(f"{kind}_{m}.npy" for kind in ("factors", "biases") for m in range(3)) + (
    "core.npy", "mean", "unknown_rows[].bias", "unknown_rows[].factor[]", "rmse", "mae", "ndcg10",
    "precision10", *entries_of("factors_1", "factors_2", "biases_1", "biases_2"))
# Earlier answers decide the coefficients of least squares, and so sensitivity and noise.
ADAPTED = FACTORS + SCALED + ("privacy.releases[].cost.epsilon",)
# The released sums decide the number of items in the pair moment.
USER_MODEL = ("factors_1.npy", "biases_1.npy", "biases_2.npy", "mean", "user.level_variance",
              "user.error_variance", "rmse", "mae", "ndcg10", "precision10", *SCALED,
              *entries_of("factors_1", "biases_1", "biases_2"),
              *(f"privacy.releases[].{field}" for field in (
                  "what", "values", "precision.epsilon", "precision.delta")))

# Released frequencies decide the core, and so the numbers of the pair moment and its noise.
PEOPLE = ("weights[]", "weights.npy", "loadings.npy", "loadings[].component 1",
          "loadings[].component 2", "diagnostics.core",
          *entries_of("factors_1", "factors_2"),
          *(f"factors_{m}.npy" for m in (1, 2)), *SCALED,
          *(f"privacy.releases[].{field}" for field in (
              "values", "precision.epsilon", "precision.delta")))


# ---- the command lines ----

def decompose_cases():
    def case(name, *options, units=None, render=data.tensor_npy, file="data.npy",
             alike=data.ALIKE_ENTRIES, **more):
        # On a released tensor the run may or may not converge, which decides the exit code.
        options += ("-L", 32, "-R", 1000) if "input" in options else ("-L", 4, "-R", 8)
        return Case(f"decompose {name}",
                    ("decompose", "FILE", "-k", 2, *TARGET, "--anyway", *options),
                    units or data.symmetric(), render, data.OTHER_ENTRIES, file, alike=alike, **more)
    as_input = {"released": ON_INPUT, "released_sets": INPUT_SETS}
    as_iterate = {"released": ITERATED}
    four = lambda entries: data.tensor_npy(entries, order=4)
    return [
        case("iterate, .npy", "--mechanism", "iterate", **as_iterate),
        case("iterate, sparse .tns", "--mechanism", "iterate", render=data.tensor_tns,
             file="data.tns", **as_iterate),
        case("iterate, dense .tns", "--mechanism", "iterate", render=data.dense_tns,
             file="data.tns", **as_iterate),
        case("iterate, order 4", "--mechanism", "iterate", units=data.symmetric(4, 5000.0),
             render=four, **as_iterate),
        case("iterate, --max-entry", "--mechanism", "iterate", "--max-entry", 20,
             alike=data.ALIKE_HELD, **as_iterate),
        case("input, .npy", "--mechanism", "input", **as_input),
        case("input, sparse .tns", "--mechanism", "input", render=data.tensor_tns,
             file="data.tns", **as_input),
        case("input, --symmetrize", "--mechanism", "input", "--symmetrize", **as_input),
        case("input, simultaneous", "--mechanism", "input", "--method", "simultaneous", **as_input),
        case("input, whitened", "--mechanism", "input", "--whiten", "tensor", **as_input),
        case("input, eigenpairs", "--mechanism", "input", "--method", "eigenpairs", **as_input),
        case("as published by wang", "--as-published", "wang", **as_iterate),
        case("as published by imtiaz", "--as-published", "imtiaz", **as_iterate),
    ]


def entries_cases():
    def case(name, *options, units=None, render=data.odd_npy, file="data.npy",
             alike=data.ALIKE_ENTRIES, others=data.OTHER_ODD, public=None):
        return Case(f"decompose entries, {name}",
                    ("decompose", "FILE", *TARGET, "--weight", 400, "-R", 2000, *options),
                    units or data.odd_tensor(), render, others, file, public or {}, alike=alike,
                    released=ON_ENTRIES, released_sets=ENTRY_SETS)
    wide = {kind: data.shifted(by) for kind, by in (("up", 20), ("down", -20), ("a little", 1e-6))}
    return [
        case("cp by the shape", "-k", 2),
        case("cp, sparse .tns", "-k", 2, render=data.odd_tns, file="data.tns"),
        case("cp by name, equal sides", "-k", 2, "--method", "cp",
             units=data.odd_tensor(sides=(5, 5, 5))),
        case("order 5", "-k", 1, units=data.odd_tensor(sides=(3, 2, 3, 2, 2))),
        case("non-negative", "-k", 2, "--non-negative"),
        case("tucker", "--ranks", 2),
        case("tucker, non-negative", "--ranks", 2, "--non-negative"),
        case("alternating", "-k", 2, "--method", "alternating"),
        case("--entry-change", "-k", 2, "--entry-change", 20, "--anyway",
             others=wide),
        case("--max-entry", "-k", 2, "--max-entry", 20, alike=data.ALIKE_HELD),
        case("with public labels", "-k", 2, "--labels", "rows.txt,,",
             public={"rows.txt": labels(data.ODD_SIDES[0])}),
    ]


def stream_cases():
    given = ("--max-norm", 1)
    found = ("--norm-range", "0.01:100")

    def case(name, render, *options, bound=given, others=None, units=None, batch=None,
             alike=data.ALIKE_RECORDS):
        # With a range the norm itself is a release.
        chosen = ("diagnostics.max_norm",) if bound is found else ()
        return Case(f"stream {name}", ("stream", "FILE", "-k", 2, *TARGET, *bound, "-L", 2, "-R", 3,
                                       "--batch", batch or (300 if bound is given else 285), *options),
                    units or data.points(), render, others or data.OTHER_RECORDS,
                    released=ITERATED + chosen, alike=alike if bound is given else {})
    sparse = {"units": data.sparse(data.points()), "others": data.OTHER_SPARSE,
              "alike": data.ALIKE_SPARSE}
    single = {"alike": data.ALIKE_SINGLE}
    csv = {"others": data.OTHER_CSV, "alike": {**data.ALIKE_RECORDS, **data.ALIKE_CSV}}
    dim = ("--dim", data.DIM)
    return [
        case(f"{name}, {'given' if bound is given else 'found'} norm", render, *options,
             bound=bound, **more)
        for bound in (given, found)
        for name, render, options, more in (
            (".npy", data.dense_npy, ("--format", "npy"), {}),
            (".npy of 4 bytes", data.dense_npy_f4, ("--format", "npy"), single),
            ("raw", data.raw, ("--format", "raw", *dim), {"others": data.OTHER_RAW}),
            ("raw of 4 bytes", data.raw_f4, ("--format", "raw", *dim, "--dtype", "f4"), single),
            ("CSV", data.csv, ("--format", "csv", "--header", "no", *dim), csv),
            ("CSV with a header", data.csv_with_header,
             ("--format", "csv", "--header", "yes"), csv),
            ("UCI", data.uci_points, ("--format", "uci"), sparse),
            ("LDA-C", data.lda_c, ("--format", "lda-c", *dim), sparse),
            ("SVMlight", data.svmlight, ("--format", "svmlight", *dim), sparse),
        )
    ] + [
        case("one after the other", data.dense_npy, "--format", "npy", "--method", "power",
             batch=150),
        case("order 4", data.dense_npy, "--format", "npy", "--order", 4),
        case("with a checkpoint", data.dense_npy, "--format", "npy", "--checkpoint", "checkpoint"),
    ]


def topics_cases():
    vocab = {"vocab.txt": data.vocabulary()}
    steps = ("--refine", 2, "--core", 10)

    def case(name, render, *options, others=data.OTHER_DOCUMENTS, released=TOPICS, sets=(),
             public=None, target=TARGET, alike=None, file="data", units=None):
        return Case(f"topics {name}", ("topics", "FILE", "-k", 2, *target, *options),
                    units or data.two_topics(), render, others, file, public or vocab,
                    released=released, released_sets=sets, alike=alike or {})

    formats = (("UCI", data.uci, ("--format", "uci"), {}),
               ("UCI with --vocab", data.uci, ("--format", "uci", "--vocab", "vocab.txt"), {}),
               ("LDA-C", data.lda_c, ("--format", "lda-c", "--vocab", "vocab.txt"), {}),
               ("SVMlight", data.svmlight, ("--format", "svmlight", "--vocab", "vocab.txt"),
                {"others": data.OTHER_LABELLED, "alike": data.ALIKE_LABELLED}),
               ("MatrixMarket", data.matrix_market, ("--format", "mm"), {}),
               ("text", data.text_bytes, ("--format", "text", "--vocab", "vocab.txt"),
                {"others": {**data.OTHER_BYTES, **data.OTHER_TEXTS}, "alike": data.ALIKE_TEXTS}),
               ("CSV", data.table,
                ("--format", "csv", "--text-column", "text", "--vocab", "vocab.txt"),
                {"others": data.OTHER_CELLS, "alike": data.ALIKE_TEXTS}))
    uci = ("--format", "uci")
    other = data.uci(data.two_topics(seed=9, documents=20))
    chosen = {"others": {**data.OTHER_BYTES, **data.OTHER_TEXTS}, "released": CHOSEN,
              "alike": data.ALIKE_SPELLING,
              "sets": VOCABULARY_SETS, "target": ("--epsilon", 60, "--delta", 1e-6)}
    return [case(f"lda, pairs, {name}", render, *steps, *options, **more)
            for name, render, options, more in formats] + [
        case("lda, pairs, gzip", lambda units: gzip.compress(data.uci(units)), *steps, *uci,
             file="data.txt.gz"),
        case("lda, pairs, all chosen by the run", data.uci, *uci,
             sets=("privacy.releases", "diagnostics.expectation_steps", "report.html")),
        case("lda, triples", data.uci, *uci, "--mechanism", "triples", "--refine", 1, "--core", 10),
        case("single, triples", data.uci, *uci, "--model", "single", "--core", 10),
        case("single, pairs", data.uci, *uci, "--model", "single", "--mechanism", "pairs", "--core",
             10),
        case("with public companions", data.uci, *steps, *uci, "--vocab", "vocab.txt", "--heldout",
             "other", "--reference", "other", "--infer", "other", public={**vocab, "other": other}),
        case("with a background", data.text_bytes, *steps, "--format", "text", "--background",
             "counts.tsv", others={**data.OTHER_BYTES, **data.OTHER_TEXTS}, alike=data.ALIKE_TEXTS,
             public={"counts.tsv": data.word_counts()}),
        case("as published, agn", data.uci, *uci, "--model", "single", "--as-published", "agn",
             alike=data.ALIKE_SHORT),
        # So many documents that moments without bias are taken.
        case("few words, much data", data.uci, *uci, units=data.two_topics(documents=3000)),
        case("as published, avn", data.uci, *uci, "--model", "single", "--as-published", "avn",
             alike=data.ALIKE_SHORT),
        case("as published, esmaeili-1", data.uci, *uci, "--as-published", "esmaeili-1"),
        case("chosen vocabulary, lda, pairs", data.text_bytes, *steps, "--format", "text",
             **chosen),
        case("chosen vocabulary, single, triples", data.text_bytes, "--core", 10, "--format",
             "text", "--model", "single", **chosen),
    ]


def mixture_cases():
    def case(name, render, *options, others=None, units=None, public=None,
             alike=data.ALIKE_RECORDS, components=2):
        return Case(f"mixture {name}", ("mixture", "FILE", "-k", components, *TARGET,
                                        "--max-norm", 1, *options),
                    units or data.points(), render, others or data.OTHER_RECORDS,
                    public=public or {}, released=MIXTURE, alike=alike)
    sparse = {"units": data.sparse(data.points()), "others": data.OTHER_SPARSE,
              "alike": data.ALIKE_SPARSE}
    dim = ("--dim", data.DIM)
    other = data.dense_npy(data.points(seed=8, records=10))
    return [
        case(".npy", data.dense_npy, "--format", "npy"),
        case(".npy without refinement", data.dense_npy, "--format", "npy", "--refine", 0),
        case("full covariances", data.dense_npy, "--format", "npy", "--covariance", "full"),
        case("diagonal covariances", data.dense_npy, "--format", "npy", "--covariance",
             "diagonal"),
        case("more components than dimensions", data.dense_npy, "--format", "npy",
             components=data.DIM + 1),
        case("raw", data.raw, "--format", "raw", *dim, others=data.OTHER_RAW),
        case("CSV", data.csv, "--format", "csv", "--header", "no", *dim, others=data.OTHER_CSV),
        case("UCI", data.uci_points, "--format", "uci", **sparse),
        case("LDA-C", data.lda_c, "--format", "lda-c", *dim, **sparse),
        case("SVMlight", data.svmlight, "--format", "svmlight", *dim, **sparse),
        case("with public points", data.dense_npy, "--format", "npy", "--infer", "other.npy",
             public={"other.npy": other}),
    ]


def rating_cases():
    def case(name, *options, render=data.ratings_csv, released=FACTORS, file="data.csv",
             form="csv", public=None, target=("--epsilon", 20), others=data.FEW_VALUES,
             alike=data.ALIKE_VALUES):
        return Case(f"complete rating, {name}",
                    ("complete", "FILE", "-r", 2, *target, "--range", "1:5", "--format", form,
                     *options),
                    data.ratings(), render, others, file, public or {}, released=released,
                    alike=alike)
    on_input = ("--perturb", "input", "--epochs", 3)
    test = data.ratings_csv([(u, i, 3, 0) for u in (1, 99) for i in range(20, 23)])
    mechanisms = (
        ("sums", ("--mechanism", "sums"), {}),
        ("sums, Gaussian", ("--mechanism", "sums"), {"target": TARGET}),
        ("als", ("--mechanism", "als"), {"released": ADAPTED}),
        ("als, Gaussian", ("--mechanism", "als"), {"released": ADAPTED, "target": TARGET}),
        ("sgd", ("--mechanism", "sgd"), {"target": TARGET, "alike": {}}),  # half a second per run
        ("entries", ("--mechanism", "entries"), {}),
        ("input", on_input, {}),
        ("input, sgd", (*on_input, "--method", "sgd"), {}),
        ("input as published", ("--perturb", "input", "--as-published", "--epochs", 3), {}))
    # CP in a fixed order of the lines is for the slow lane: below, the order says more.
    both = [case(f"{name}, {model}", "--model", model, *options, **more)
            for name, options, more in mechanisms for model in (("cp", "tucker") if SLOW else ("tucker",))
            if (name, model) != ("sgd", "tucker")] + [
        case("sums, every kind of value", "--mechanism", "sums", others=data.OTHER_VALUES)]
    # CP. The order of the lines is a function of the values.
    sorted_file = [case(f"{name}, stored by rating", *options, render=data.stored_by_rating, **more)
                   for name, options, more in mechanisms]
    formats = [case(f"sums, {name}", "--mechanism", "sums", *options, render=render, form=form,
                    file=file)
               for name, render, form, file, options in (
                   ("no header", data.bare_csv, "csv", "data.csv",
                    ("--header", "no", "--columns", "mode,mode,value")),
                   ("columns given", data.bare_csv, "csv", "data.csv",
                    ("--columns", "mode,mode,value")),
                   ("months", data.stamped_csv, "csv", "data.csv", ("--time-mode", "month")),
                   ("three modes", data.dated_csv, "csv", "data.csv", ()),
                   ("TSV", data.tsv, "tsv", "data.tsv", ()),
                   ("MovieLens", data.movielens, "movielens", "data.dat", ()),
                   (".tns", data.ratings_tns, "tns", "data.tns", ()))]
    return both + sorted_file + formats + [
        case("sums, with a public test", "--mechanism", "sums", "--test", "test.csv",
             public={"test.csv": test})]


def user_cases():
    def case(name, *options, render=None, others=data.OTHER_USERS, public=None):
        public = {"items.txt": data.ITEM_LIST, **(public or {})}
        return Case(f"complete user, {name}",
                    ("complete", "FILE", "-r", 2, "--unit", "user", *TARGET, "--range", "1:5",
                     "--items", "items.txt", "--format", "csv", *options),
                    data.users(), render or (lambda u: data.ratings_csv(data.of_users(u))),
                    others, "data.csv", public, added_or_removed, USER_MODEL,
                    alike=data.ALIKE_USERS)
    test = [(f"t{u}", i, 3 + i % 2, 0) for u in range(3) for i in range(1, data.ITEMS + 1)]
    times = {"times.txt": data.MONTH_LIST}
    return [
        case("in the order of users"),
        case("in the order of items", render=lambda u: data.ratings_csv(data.by_items(u))),
        case("few of each user", "--per-user", 2),
        case("a guess at too few users for items", "--users", 2),
        case("stamped months", "--times", "times.txt", "--time-mode", "month", public=times,
             render=lambda u: data.stamped_csv(data.of_users(u))),
        case("months as a column", "--times", "times.txt", public=times,
             render=lambda u: data.dated_csv(data.of_users(u))),
        case("with public test users", "--given", "given.csv", "--test", "test.csv",
             others={"a test user": ("t0", [("1", 4, 0), ("2", 1, 0)]), **data.OTHER_USERS},
             public={"given.csv": data.ratings_csv(test[::2]),
                     "test.csv": data.ratings_csv(test[1::2])}),
    ]


def people_cases():
    def case(name, *options, public=None):
        return Case(f"decompose person, {name}",
                    ("decompose", "FILE", "--unit", "person", "-k", 2, *TARGET, *options),
                    data.people(), data.visits_tns, data.OTHER_PEOPLE, "data.tns", public or {},
                    neighbour=added_or_removed, released=PEOPLE, alike=data.ALIKE_PEOPLE)
    return [case("all chosen by the run"), case("given core and steps", "--core", 15, "--refine", 2),
            case("moments alone", "--route", "moments"),
            case("steps alone", "--route", "alternating"), case("real values", "--values", "real"),
            case("real values, steps alone", "--values", "real", "--route", "alternating"),
            case("with public labels", "--labels", "codes.txt,",
                 public={"codes.txt": labels(data.CODES)})]


CASES = (decompose_cases() + entries_cases() + stream_cases() + topics_cases() + mixture_cases() +
         rating_cases() + user_cases() + people_cases())
KINDS = dealt(CASES, lambda case: case.others)
TWINS = dealt(CASES, lambda case: case.alike)


class Neighbours(ProgramTest):
    """One test per case, made from CASES."""

    def check(self, case):
        base = case.run(self.folder / "base", case.units, *SEED)
        self.assertIn(base.code, (0, 3), base.stderr)
        self.assertEqual(base.stderr, NOT_CONVERGED if base.code == 3 else "")
        with self.subTest("no time leaves"):
            self.assertEqual(times_in(base), [])
        for n, (what, units) in enumerate(case.neighbours(KINDS[case.name])):
            with self.subTest(what):
                other = case.run(self.folder / str(n), units, *SEED)
                self.assertEqual(differences(base, other, case.released, case.released_sets), [])
        for n, (what, *pair) in enumerate(case.twins(TWINS[case.name])):
            with self.subTest(what):
                one, two = (case.run(self.folder / f"{n}{side}", units, *SEED)
                            for side, units in zip("ab", pair))
                self.assertEqual(traces(one, two), [])


class TheComparisonItself(unittest.TestCase):
    """The comparison reports what a leak would look like."""
    RESULT = {"weights": [0.5], "input": {"documents": 3}, "files": ["topics.npy"]}

    def outcome(self, result=None, code=0, stdout="0.5 w1\n", stderr="", **files):
        content = {"result.json": json.dumps(result or self.RESULT).encode(),
                   "topics.npy": bytes(200), **files}
        return Outcome(code, stdout, stderr, content)

    def found(self, *changed, **more):
        return differences(self.outcome(), self.outcome(*changed, **more), ("weights[]",))

    def test_released_numbers_may_differ(self):
        self.assertEqual(self.found({**self.RESULT, "weights": [0.7]}, stdout="0.7 w1\n"), [])

    def test_everything_else_is_found(self):
        for changed in ({**self.RESULT, "weights": [0.5, 0.1]}, {**self.RESULT, "weights": [None]},
                        {**self.RESULT, "input": {"documents": 4}}, {**self.RESULT, "more": 1},
                        {**self.RESULT, "files": []}):
            self.assertEqual(len(self.found(changed)), 1, changed)
        for more in ({"code": 2}, {"stderr": "sotto: no\n"}, {"stdout": "0.5 w1\nand more\n"},
                     {"topics.npy": bytes(208)}, {"topics.npy": b"1" * 200}, {"new.txt": b""}):
            self.assertEqual(len(self.found(**more)), 1, more)

    def test_times_are_found(self):
        timed = self.outcome({"diagnostics": {"seconds_reading": 0.1}}, stdout="done in 0.3 s\n")
        self.assertEqual(len(times_in(timed)), 2)
        self.assertEqual(times_in(self.outcome()), [])


for made in CASES:
    name = "test_" + "".join(c if c.isalnum() else "_" for c in made.name)
    assert not hasattr(Neighbours, name), name
    setattr(Neighbours, name, lambda self, case=made: self.check(case))


if __name__ == "__main__":
    main()
