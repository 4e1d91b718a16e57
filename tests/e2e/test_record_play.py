"""Record and play: whatever leaves a private run is a function of its releases and of public facts.

A run over one data set is recorded: every released block, choice and word, bit for bit. The same
command line then runs over other data with the same public facts, and each of its releases is
replaced by the recorded one. All outputs must be equal to the last byte: any difference has left
without a charge. docs/testing.md says what this shows and what it cannot show.

    test_record_play.py PROGRAM_WITH_TAPE PROGRAM_WITH_LEAKS

Both programs are built for this test alone (tests/tape). SOTTO_SLOW=1 plays every kind of neighbour
for every case and at every place, and larger data.
"""
import dataclasses
import itertools
import pathlib
import sys

import neighbour_data as data
from neighbours import SLOW, added_or_removed, bytes_that_differ, dealt
from sotto_cli import PROGRAM, ProgramTest, main
from test_neighbours import CASES, TARGET, Case

LEAKY = str(pathlib.Path(sys.argv[2]).resolve()) if len(sys.argv) > 2 else PROGRAM + "_leaky"
FINDING = 9  # exit code of a tape that does not fit


def more_cases():
    """Cases that runs with the same noise cannot compare, and cases beside those of neighbours."""
    records = ("FILE", "-k", 2, *TARGET, "--format", "npy")
    stream = ("stream", *records, "-L", 2, "-R", 3, "--batch", 285)
    points = data.points(), data.dense_npy, data.OTHER_RECORDS
    # Enough words for a released vocabulary, which the other data need not have.
    topics = ("topics", "FILE", "-k", 2, "--epsilon", 60, "--delta", 1e-6, "--core", 10, "--format",
              "text", "--json")
    return [
        Case("stream in a secret order", (*stream, "--max-norm", 1, "--shuffle"), *points),
        Case("stream in a secret order, found norm",
             (*stream, "--norm-range", "0.01:100", "--shuffle"), *points),
        Case("stream as JSON", (*stream, "--max-norm", 1, "--json"), *points),
        Case("mixture with a norm that is found",
             ("mixture", *records, "--norm-range", "0.01:100"), *points),
        Case("topics chosen vocabulary, all chosen by the run, as JSON", topics,
             data.two_topics(), data.text_bytes, {**data.OTHER_BYTES, **data.OTHER_TEXTS}),
    ]


def unrelated(case):
    """(kind, units): data that shares nothing with the case's data but the public facts."""
    units = case.units
    yield "in reverse order", units[::-1]
    if case.neighbour is added_or_removed:  # their number is not public
        yield "nobody", []
        yield "one alone", units[:1]
        yield "others alone", [unit for unit in case.others.values() if unit is not None]
        return
    for kind, other in case.others.items():
        yield f"all of them: {kind}", [replacement(other, unit) for unit in units]
    yield "every kind in turn, in reverse order", [
        replacement(other, unit) for other, unit in
        zip(itertools.cycle(case.others.values()), units[::-1])]


def replacement(other, unit):
    return other(unit) if callable(other) else other


def larger(case):
    """The case with about ten times as many units; None where their number is fixed."""
    if case.name.startswith("decompose person"):
        return dataclasses.replace(case, units=data.people(900))
    if case.name.startswith("decompose") or "sgd" in case.name:
        return None
    if case.name.startswith("complete rating"):
        units = data.ratings(users=10 * data.USERS)
    elif case.name.startswith("complete user"):
        units = data.users(count=4000)
    else:
        units = case.units * 10
    return dataclasses.replace(case, units=units)


class Tape(ProgramTest):
    program = PROGRAM
    environment = {}
    runs = 0

    def record(self, case, units=None):
        self.tape = self.folder / f"tape{self.runs}"
        return self.with_tape("SOTTO_RECORD", case, case.units if units is None else units)

    def play(self, case, units):
        return self.with_tape("SOTTO_PLAY", case, units)

    def with_tape(self, variable, case, units):
        self.runs += 1
        return case.run(self.folder / str(self.runs), units, program=self.program,
                        environment={variable: str(self.tape), **self.environment})


class RecordAndPlay(Tape):
    """One test per case, made from CASES."""

    def check(self, case):
        recorded = self.record(case)
        self.assertIn(recorded.code, (0, 3), recorded.stderr)
        self.assertEqual(recorded.result["privacy"]["guarantee"], "proved")
        for kind, units in self.others(case):
            with self.subTest(kind):
                self.assertEqual(bytes_that_differ(recorded, self.play(case, units)), [])

    def others(self, case):
        """Neighbours of the kinds that the case was dealt, and unrelated data: in the fast lane only
        the last, which has every kind of unit, where no unit can be added or removed."""
        strangers = list(unrelated(case))
        if not SLOW and case.neighbour is not added_or_removed:
            strangers = strangers[-1:]
        return [*case.neighbours(KINDS[case.name]), *strangers]


ALL_CASES = [*CASES, *more_cases()]
KINDS = dealt(ALL_CASES, lambda case: case.others, turn=1)  # not those of test_neighbours
for made in ALL_CASES:
    name = "test_" + "".join(c if c.isalnum() else "_" for c in made.name)
    assert not hasattr(RecordAndPlay, name), name
    setattr(RecordAndPlay, name, lambda self, case=made: self.check(case))
    if SLOW and (more := larger(made)):
        setattr(RecordAndPlay, name + "_larger", lambda self, case=more: self.check(case))


def named(name):
    return next(case for case in CASES if case.name == name)


class PlantedLeaks(Tape):
    """Each leak of tests/tape/leaks.cc is found, and without a leak nothing is found."""
    program = LEAKY

    def check(self, leak, case, units, shows):
        with self.subTest("nothing planted"):
            self.assertEqual(bytes_that_differ(self.record(case), self.play(case, units)), [])
        self.environment = {"SOTTO_LEAK": leak}
        recorded = self.record(case)
        self.assertIn(recorded.code, (0, 3), recorded.stderr)
        self.assertEqual(recorded.result["privacy"]["guarantee"], "proved")
        found = bytes_that_differ(recorded, self.play(case, units))
        self.assertIn(shows, "\n".join(found))

    def test_a_timing_field(self):
        case = named("stream .npy, given norm")
        self.check("timing", case, case.units, "elapsed")

    def test_a_count_of_clipped_records(self):
        case = named("stream .npy, given norm")
        units = case.with_unit("middle", data.OTHER_RECORDS["far beyond the bound"])
        self.check("clipped", case, units, "clipped_records")

    def test_rows_numbered_by_first_appearance(self):
        case = named("complete rating, sums, stored by rating")
        self.check("first-appearance", case, case.with_unit("last", data.valued(5)), "labels_1.txt")

    def test_a_format_guessed_from_content(self):
        # The labels of all documents but one look like the counts of LDA-C.
        case = named("topics lda, pairs, SVMlight")
        form = case.arguments.index("--format")
        case = dataclasses.replace(case, arguments=[*case.arguments[:form], *case.arguments[form + 2:],
                                                    "--index-base", "1"])
        units = case.with_unit("first", data.OTHER_LABELLED["another label"])
        self.check("format", case, units, "svmlight")

    def test_an_iteration_count_that_depends_on_raw_data(self):
        case = named("decompose input, .npy")
        units = [(index, 0.0) for index, _ in case.units]
        self.check("iterations", case, units, "iterations")


class TheTapeItself(Tape):
    STREAM = named("stream .npy, given norm")

    def releases(self):
        return self.tape.read_text().splitlines(keepends=True)

    def test_noise_is_fresh_where_nothing_is_played(self):
        one, two = self.record(self.STREAM), self.record(self.STREAM)
        self.assertIn("vectors.npy", one.files)
        self.assertNotEqual(one.files["vectors.npy"], two.files["vectors.npy"])

    def test_what_is_played_was_released(self):
        recorded = self.record(self.STREAM)
        tape = self.releases()
        self.assertEqual(len(tape), 4)  # three iterations and the weights
        self.tape.write_text("".join(tape[:3]) + tape[3].split('"released"')[0] +
                             '"released":[0.25,0.5,0.75,1]}\n')
        played = self.play(self.STREAM, self.STREAM.units)
        self.assertEqual(played.code, 0, played.stderr)
        self.assertEqual(sorted(played.result["weights"]), [0.75, 1])  # of the better group
        self.assertNotEqual(recorded.result["weights"], played.result["weights"])

    def test_another_number_of_releases_is_a_finding(self):
        self.record(self.STREAM)
        tape = self.releases()
        for other in tape[:-1], tape + tape[-1:]:
            self.tape.write_text("".join(other))
            played = self.play(self.STREAM, self.STREAM.units)
            self.assertEqual(played.code, FINDING)
            self.assertIn("tape: ", played.stderr)

    def test_another_name_or_size_or_noise_is_a_finding(self):
        self.record(self.STREAM)
        tape = "".join(self.releases())
        for old, new in (('"what":"mean', '"what":"Mean'), ('"noise":', '"noise":1'),
                         ('"values":', '"values":1'), ('"released":[', '"released":[1,')):
            self.assertIn(old, tape)
            self.tape.write_text(tape.replace(old, new))
            played = self.play(self.STREAM, self.STREAM.units)
            self.assertEqual(played.code, FINDING, (old, played.stdout))

    def test_the_released_program_has_no_tape(self):
        program = pathlib.Path(PROGRAM).with_name("sotto")
        self.assertIn(b"SOTTO_RECORD", pathlib.Path(PROGRAM).read_bytes())
        for word in b"SOTTO_RECORD", b"SOTTO_PLAY", b"SOTTO_LEAK":
            self.assertNotIn(word, program.read_bytes())
        self.program = str(program)
        self.assertEqual(self.record(self.STREAM).code, 0)
        self.assertFalse(self.tape.exists())


if __name__ == "__main__":
    main()
