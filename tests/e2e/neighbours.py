"""Neighbouring inputs at the command line: how two runs with the same noise may differ.

A Case is a private command line with the units it protects. Its neighbours replace (or add, or
remove) one unit. Everything that leaves a run is compared: exit code, both outputs, the files, and
every field of result.json. Only listed fields may differ: those that are functions of releases.
"""
import dataclasses
import functools
import html
import itertools
import hashlib
import json
import os
import re
import subprocess
from typing import Callable

from sotto_cli import PROGRAM, SANITIZED, limit_memory

PLACES = ("first", "middle", "last")
SEED = ("--insecure-seed", 7)
SLOW = os.environ.get("SOTTO_SLOW", "") not in ("", "0")
NUMBER = re.compile(r"[-+]?\d+(?:[.,]\d+)*(?:e[-+]?\d+)?")
# "0.3 s", "12 ms", "2 seconds"; the key of a field that holds a time. These have their own tests
# (times_in) and are skipped when runs are compared.
TIME = re.compile(r"[\d.e+-]*\d\s?(?:s|ms|seconds?|minutes?)\b")
TIME_KEY = re.compile(r"seconds|elapsed|duration|started|finished|_time\b|^date$")


def replaced(units, place, unit):
    return [*units[:place], unit, *units[place + 1:]]


def added_or_removed(units, place, unit):
    """None removes the unit at the place; any other unit is put before it."""
    return units[:place] + ([] if unit is None else [unit]) + units[place + (unit is None):]


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    arguments: tuple  # the command, with FILE for the protected file
    units: list
    render: Callable  # units -> bytes of FILE
    others: dict  # kind -> the unit that takes a place, or a function of the unit it replaces
    file: str = "data"
    public: dict = dataclasses.field(default_factory=dict)  # name -> bytes
    neighbour: Callable = replaced
    released: tuple = ()  # fields and files whose values are functions of releases
    released_sets: tuple = ()  # those whose length is a function of releases, too
    # kind -> two units that contribute the same, so that nothing at all may differ
    alike: dict = dataclasses.field(default_factory=dict)

    def neighbours(self, kinds):
        """(kind and place, units): each kind at the first, a middle or the last place in turn, in the
        slow lane at all three."""
        for n, (kind, other) in enumerate(self.others.items()):
            if kind in kinds:
                for where in PLACES if SLOW else [PLACES[n % 3]]:
                    yield f"{kind}, {where}", self.with_unit(where, other)

    def twins(self, kinds):
        """(kind, units, other units) with equal results."""
        for n, (kind, (one, two)) in enumerate(self.alike.items()):
            if kind in kinds:
                where = PLACES[n % 3]
                yield f"{kind}, {where}", self.with_unit(where, one), self.with_unit(where, two)

    def with_unit(self, where, other):
        last = len(self.units) - 1
        place = {"first": 0, "middle": last // 2, "last": last}[where]
        unit = other(self.units[place]) if callable(other) else other
        return self.neighbour(self.units, place, unit)

    def run(self, folder, units, *options, **settings):
        """Runs in a new folder, so that all paths are the same for neighbours."""
        folder.mkdir()
        for name, data in {**self.public, self.file: self.render(units)}.items():
            (folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())
        words = [self.file if word == "FILE" else str(word) for word in self.arguments]
        return run_in(folder, *words, *options, "--threads", 1, "--out", "out", **settings)


def dealt(cases, kinds_of, turn=0):
    """{name of a case: the kinds it tries}: all in the slow lane. In the fast lane, cases with the same
    kinds share them like a deck of cards, which begins at the card number `turn`: each case has at
    least one, and every card has been dealt."""
    groups = {}
    for case in cases:
        groups.setdefault(tuple(kinds_of(case)), []).append(case.name)
    hands = {}
    for kinds, names in groups.items():
        each = len(kinds) if SLOW else -(-len(kinds) // len(names))
        deck = itertools.islice(itertools.cycle(kinds), turn, None)
        hands |= {name: list(itertools.islice(deck, each)) for name in names}
    return hands


@dataclasses.dataclass
class Outcome:
    code: int
    stdout: str
    stderr: str
    files: dict  # name -> bytes, in the folder `out`

    @property
    def result(self):
        return json.loads(self.files["result.json"])


def run_in(folder, *words, memory=None, timeout=60, stdin=None, out="out", program=PROGRAM,
           environment=None):
    """Runs the program in a folder. `memory` in bytes ends a run that takes more."""
    limit = (lambda: limit_memory(memory)) if memory else None
    try:
        done = subprocess.run([program, *map(str, words)], cwd=folder, capture_output=True,
                              stdin=stdin, env={**os.environ, **(environment or {})},
                              timeout=timeout * (10 if SANITIZED else 1),
                              preexec_fn=limit)
    except subprocess.TimeoutExpired:
        return Outcome(-1, "", "took too long", {})
    made = folder / out
    files = {str(path.relative_to(made)): path.read_bytes() for path in sorted(made.rglob("*"))
             if path.is_file()} if made.is_dir() else {}
    return Outcome(done.returncode, text_of(done.stdout), text_of(done.stderr), files)


def text_of(output):
    return output.decode(errors="backslashreplace")


# ---- what leaves, compared ----


def differences(one, two, released=(), released_sets=()):
    """A sentence for every difference that is not listed; none for good neighbours."""
    found = []
    if one.code != two.code:
        found.append(f"exit code {one.code} against {two.code}")
    if one.stderr != two.stderr:
        found.append(f"standard error {one.stderr!r} against {two.stderr!r}")
    if masked(one.stdout) != masked(two.stdout):
        found.append(f"form of standard output: {first_difference(one.stdout, two.stdout)}")
    if set(one.files) != set(two.files):
        found.append(f"files {sorted(one.files)} against {sorted(two.files)}")
    found += digest_faults(one) + digest_faults(two)
    for name in sorted(set(one.files) & set(two.files)):
        found += file_differences(name, one.files[name], two.files[name], released, released_sets)
    return found


def bytes_that_differ(one, two):
    """As `differences`, but compares every byte of all that leaves."""
    found = []
    if one.code != two.code:
        found.append(f"exit code {one.code} against {two.code}")
    if set(one.files) != set(two.files):
        found.append(f"files {sorted(one.files)} against {sorted(two.files)}")
    pairs = [("standard output", one.stdout.encode(), two.stdout.encode()),
             ("standard error", one.stderr.encode(), two.stderr.encode())]
    pairs += [(name, one.files[name], two.files[name])
              for name in sorted(set(one.files) & set(two.files))]
    return found + [f"{name}: {around_difference(a, b)}" for name, a, b in pairs if a != b]


def around_difference(one, two):
    same = len(os.path.commonprefix([one, two]))
    begin = max(0, same - 40)
    return f"{one[begin:same + 60]!r} against {two[begin:same + 60]!r}"


def traces(one, two):
    """As `differences`, for runs that must not differ in a single byte."""
    found = differences(one, two)
    for name in sorted(set(one.files) & set(two.files) - {"result.json", "report.html"}):
        if one.files[name] != two.files[name] and f"{name} differs" not in found:
            found.append(f"{name} differs")
    if TIME.sub("", one.stdout) != TIME.sub("", two.stdout):
        found.append("standard output differs")
    return found


def digest_faults(outcome):
    """Digests and seal say nothing but what the files of the same run say."""
    result = json.loads(outcome.files.get("result.json", b"{}"))
    found = []
    for name, said in result.get("digests", {}).items():
        data = outcome.files.get(name, b"")
        if said != {"bytes": len(data), "blake2b": digest(data)}:
            found.append(f"the digest of {name} is not that of the file")
    lines = outcome.files.get("result.json", b"").splitlines(keepends=True)
    if "seal" in result and result["seal"] != digest(b"".join(lines[:-2])):
        found.append("the seal is not that of the result")
    return found


def digest(data):
    return hashlib.blake2b(data, digest_size=32).hexdigest()


def without_digests(text):
    result = json.loads(text)
    return {key: value for key, value in result.items() if key not in ("digests", "seal")}


def file_differences(name, one, two, released, released_sets):
    if one == two:
        return []
    if name == "result.json":
        return json_differences(without_digests(one), without_digests(two), released, released_sets)
    if name == "certificate.md" and masked(text_of(one)) == masked(text_of(two)):
        return []
    if name in released_sets:
        return []
    if name == "report.html":
        if masked_page(one) == masked_page(two):
            return []
        return [f"report.html: {first_difference(page_text(one), page_text(two))}"]
    if name.endswith(".npy"):
        if len(one) != len(two):
            return [f"{name} has {len(one)} bytes against {len(two)}"]
        one, two = (one[:128], two[:128]) if name in released else (one, two)
        if one == two:
            return []
    return [f"{name} differs"]


def json_differences(one, two, released, released_sets, path=""):
    pattern = re.sub(r"\[\d+\]", "[]", path)
    if pattern in released_sets:
        return []
    if is_number(one) and is_number(two):
        same = one == two or pattern in released
        return [] if same else [f"{path}: {one} against {two}"]
    if type(one) is not type(two):
        return [f"{path}: {shown(one)} against {shown(two)}"]
    if isinstance(one, dict):
        return object_differences(one, two, released, released_sets, path)
    if isinstance(one, list):
        if len(one) != len(two):
            return [f"{path} has {len(one)} elements against {len(two)}"]
        return [d for n, (a, b) in enumerate(zip(one, two))
                for d in json_differences(a, b, released, released_sets, f"{path}[{n}]")]
    return [] if one == two or pattern in released else [f"{path}: {one!r} against {two!r}"]


def object_differences(one, two, released, released_sets, path):
    inside = lambda key: f"{path}.{key}" if path else key
    one, two = ({key: value for key, value in side.items() if not TIME_KEY.search(key)}
                for side in (one, two))
    found = [f"{inside(key)} is in one alone" for key in sorted(set(one) ^ set(two))]
    if not found and list(one) != list(two):
        found.append(f"{path}: fields in another order")
    return found + [d for key in one if key in two for d in
                    json_differences(one[key], two[key], released, released_sets, inside(key))]


def times_in(outcome):
    """Everything that looks like a time, which no private run may show."""
    found = [f"standard output says {m[0]!r}" for m in TIME.finditer(outcome.stdout)]
    if "result.json" in outcome.files:
        found += [f"result.json has {path}" for path in keys(outcome.result)
                  if TIME_KEY.search(path.split(".")[-1])]
    if "report.html" in outcome.files:
        text = page_text(outcome.files["report.html"])
        found += [f"report.html says {m[0]!r}" for m in re.finditer(r"Seconds\b[^\n]*", text)]
    return found


def keys(value, path=""):
    if isinstance(value, dict):
        for key, child in value.items():
            yield f"{path}.{key}"
            yield from keys(child, f"{path}.{key}")
    if isinstance(value, list):
        for child in value:
            yield from keys(child, path + "[]")


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def shown(value):
    text = json.dumps(value)
    return text if len(text) < 60 else text[:57] + "..."


def masked(text):
    """Numbers, the widths of columns and the scale of an axis do not count; words of the tests are
    w1, w2, .."""
    text = re.sub(r'("log_[xy]":)(true|false)', r"\1#", NUMBER.sub("#", text))
    return re.sub(r"[ \t]+", " ", text).strip()


def first_difference(one, two):
    for a, b in zip(one.splitlines(), two.splitlines()):
        if masked(a) != masked(b):
            return f"{a[:160]!r} against {b[:160]!r}"
    return f"{len(one.splitlines())} lines against {len(two.splitlines())}"


def page_text(page):
    """The text of a page, one piece per line, without scripts, which are the same on every page."""
    text = page.decode()
    text = re.sub(r"<style>.*?</style>|<script>.*?</script>", "", text, flags=re.S)
    text = re.sub(r"<[^>]*>", "\n", text)
    return html.unescape("\n".join(line for line in text.splitlines() if line.strip()))


@functools.lru_cache(maxsize=2)  # one page is compared with several others
def masked_page(page):
    return masked(page_text(page))
