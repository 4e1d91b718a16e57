"""Private command lines with neighbours that nearly reach the sensitivity of a release, for the audit.

An epsilon between 3 and 20 is where few runs say most: test_audit.py uses these, and bench/audit.py
makes the tables of docs/audit.md from them.
"""
import dataclasses
import json
import os
import random
import subprocess

import neighbour_data as data

FEW_RUNS = 300  # suffice for what shows in every run

FAULTS = {"noise": "noise cut by 20%", "clip": "clip dropped", "key": "key reused",
          "stream": "stream reused", "count": "count in the clear"}


@dataclasses.dataclass(frozen=True)
class AuditCase:
    name: str
    arguments: tuple  # the command, with FILE for the protected file
    here: bytes
    there: bytes
    file: str = "data"
    public: dict = dataclasses.field(default_factory=dict)  # name -> bytes
    runs: int = 2400
    # Faults that this case must find. Those of other faults are out of its reach: docs/audit.md.
    finds: tuple = ("noise", "key", "count")

    def write(self, folder):
        folder.mkdir(exist_ok=True)
        (folder / "other").mkdir(exist_ok=True)
        for name, content in self.public.items():
            (folder / name).write_bytes(content)
        (folder / self.file).write_bytes(self.here)
        (folder / "other" / self.file).write_bytes(self.there)

    def words(self, runs=None):
        words = [self.file if word == "FILE" else str(word) for word in self.arguments]
        return [*words, "--neighbour", f"other/{self.file}", "--runs", str(runs or self.runs)]


def audit(program, folder, words, fault=None):
    """(exit code, what the audit prints as JSON, standard error)."""
    environment = {**os.environ, **({"SOTTO_FAULT": fault} if fault else {})}
    done = subprocess.run([program, "audit", *words, "--json"], cwd=folder, capture_output=True,
                          text=True, env=environment, timeout=1800)
    return done.returncode, json.loads(done.stdout or "null"), done.stderr


def target(epsilon, delta=1e-6):
    return ("--epsilon", epsilon, "--delta", delta)


def replaced(units, place, unit):
    return [*units[:place], unit, *units[place + 1:]]


def decompose_cases():
    def case(name, *options, runs=2400, finds=("noise", "key", "count"), epsilon=16):
        entries = data.symmetric()
        index, value = entries[0]  # on the diagonal, where a change is released once
        return AuditCase(f"decompose, {name}",
                         ("decompose", "FILE", "-k", 2, *target(epsilon), "--anyway", *options),
                         data.tensor_tns(entries),
                         data.tensor_tns(replaced(entries, 0, (index, value + data.reach(index)))),
                         "data.tns", runs=runs, finds=finds)
    odd = data.odd_tensor()
    people = data.people()
    return [
        case("input", "--mechanism", "input", "-L", 8, "-R", 50),
        case("iterate", "--mechanism", "iterate", "-L", 1, "-R", 2, finds=("key", "count")),
        AuditCase("decompose, entries of any tensor",
                  ("decompose", "FILE", "-k", 2, *target(16), "--weight", 400, "-R", 50),
                  data.odd_tns(odd), data.odd_tns(replaced(odd, 3, (odd[3][0], odd[3][1] + 1))),
                  "data.tns"),
        AuditCase("decompose, person",
                  ("decompose", "FILE", "--unit", "person", "-k", 2, *target(16), "--core", 15,
                   "--refine", 0),
                  data.visits_tns(people), data.visits_tns(people[1:]), "data.tns",
                  finds=("key", "count")),
    ]


def point_cases():
    points = data.points(records=400)
    one, other = [1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]
    far = [40.0, 0.0, 0.0, 0.0]
    form = ("--format", "csv", "--header", "no", "--max-norm", 1, "--dim", data.DIM)
    on_a_line = (*form[:-1], 1)
    line = [[0.5 if n % 3 else -0.4] for n in range(300)]  # in one dimension nothing is lost
    return [
        AuditCase("mixture", ("mixture", "FILE", "-k", 2, *target(16), *form, "--refine", 0),
                  data.csv(replaced(points, 0, one)), data.csv(replaced(points, 0, other)),
                  finds=("noise", "key", "count")),
        AuditCase("mixture, beyond the bound",
                  ("mixture", "FILE", "-k", 2, *target(16), *form, "--refine", 0),
                  data.csv(replaced(points, 0, one)), data.csv(replaced(points, 0, far)),
                  runs=400, finds=("clip", "count")),
        AuditCase("stream",
                  ("stream", "FILE", "-k", 1, *target(16), *on_a_line, "-L", 1, "-R", 1, "--batch", 100),
                  data.csv(replaced(line, 0, [1.0])), data.csv(replaced(line, 0, [-1.0]))),
        AuditCase("stream, beyond the bound",
                  ("stream", "FILE", "-k", 1, *target(16), *on_a_line, "-L", 1, "-R", 1, "--batch", 100),
                  data.csv(replaced(line, 0, [1.0])), data.csv(replaced(line, 0, [40.0])),
                  runs=400, finds=("clip", "count")),
    ]


def topic_cases():
    documents = data.two_topics()
    one, other = {0: 50}, {11: 50}
    public = {"vocab.txt": data.vocabulary()}

    def case(name, *options, finds=("noise", "key", "count")):
        return AuditCase(f"topics, {name}",
                         ("topics", "FILE", "-k", 2, *target(16), "--format", "text", "--vocab",
                          "vocab.txt", "--core", 10, *options),
                         data.text(replaced(documents, 0, one)),
                         data.text(replaced(documents, 0, other)), public=public, finds=finds)
    return [case("pairs", "--refine", 1),
            case("triples", "--model", "single", finds=("key", "count"))]


def rating_cases():
    ratings = data.ratings()

    def case(name, *options, finds=("noise", "key", "count"), privacy=("--epsilon", 4), runs=2400):
        return AuditCase(f"complete, {name}",
                         ("complete", "FILE", "-r", 2, *privacy, "--range", "1:5", "--format", "csv",
                          *options),
                         data.ratings_csv(replaced(ratings, 5, data.valued(1)(ratings[5]))),
                         data.ratings_csv(replaced(ratings, 5, data.valued(5)(ratings[5]))),
                         "data.csv", runs=runs, finds=finds)
    users = data.users()
    heavy = ("zz", [(str(item), 5, 0) for item in range(1, data.ITEMS + 1)])
    return [
        case("sums", "--mechanism", "sums", privacy=("--epsilon", 4)),
        case("sums, Gaussian", "--mechanism", "sums", privacy=target(16)),
        case("als", "--mechanism", "als", finds=("key", "count")),
        case("input", "--perturb", "input", "--epochs", 2),
        AuditCase("complete, user",
                  ("complete", "FILE", "-r", 2, "--unit", "user", *target(16), "--range", "1:5",
                   "--items", "items.txt", "--format", "csv"),
                  data.ratings_csv(data.of_users(users)),
                  data.ratings_csv(data.of_users([*users, heavy])), "data.csv",
                  {"items.txt": data.ITEM_LIST}, finds=("key", "count")),
    ]


CASES = decompose_cases() + point_cases() + topic_cases() + rating_cases()


def canary_cases():
    """(name, words, file, content, public): each with canaries in place of its first records.

    Fewer canaries than released numbers, or their coins cannot be told apart.
    """
    rng = random.Random(5)
    points = data.csv([[rng.gauss(0, 0.2) for _ in range(8)] for _ in range(400)])
    words = [f"w{n}" for n in range(150)]
    texts = data.lines(" ".join(rng.choice(words) for _ in range(8)) for _ in range(3000))
    form = ("--format", "csv", "--header", "no", "--max-norm", 1, "--dim", 8, "--batch", 200)
    return [
        ("stream", ("stream", "data", "-k", 1, *target(1), *form, "-L", 16, "-R", 1),
         "data", points, {}),
        ("topics", ("topics", "data", "-k", 2, *target(1), "--format", "text", "--vocab",
                    "vocab.txt", "--core", 10), "data", texts, {"vocab.txt": data.lines(words)}),
        ("complete", ("complete", "data.csv", "-r", 2, *target(1), "--range", "1:5", "--format",
                      "csv", "--unit", "rating", "--mechanism", "sums"), "data.csv",
         data.ratings_csv(data.ratings(users=60)[::5]), {}),
    ]
