"""Private command lines with neighbours that nearly reach the sensitivity of a release, for the audit.

test_audit.py uses these, and bench/audit.py makes the tables of docs/audit.md from them.
"""
import dataclasses
import json
import os
import random
import subprocess

import neighbour_data as data

RUNS = 1200  # on each side: honest, and with less noise
MOST_RUNS = 4 * RUNS  # twice as many and then four times, where less noise was missed
FEW_RUNS = 160  # suffice at FEW_EPSILON for what shows in every run
FEW_EPSILON = 1

FAULTS = {"noise": "noise cut by 20%", "clip": "clip dropped", "key": "key reused",
          "count": "count in the clear"}


@dataclasses.dataclass(frozen=True)
class AuditCase:
    name: str
    arguments: tuple  # the command, with FILE for the protected file and EPSILON
    here: bytes
    there: bytes
    beyond: tuple = ()  # the two data sets where the unit that differs is beyond the bound of a clip
    file: str = "data"
    public: dict = dataclasses.field(default_factory=dict)  # name -> bytes
    epsilon: float = 16  # at which few runs say most about the noise of one release
    without: dict = dataclasses.field(default_factory=dict)  # fault -> why it is not planted

    @property
    def faults(self):
        return [fault for fault in FAULTS if fault not in self.without]

    def counted(self):
        """A line that only one of the neighbours has."""
        one, other = (set(content.decode().splitlines()) for content in (self.here, self.there))
        return min(one ^ other)

    def write(self, fault, folder, runs=None):
        """Writes the files; the words of the audit. Without a fault, as for less noise."""
        here, there = self.beyond if fault == "clip" else (self.here, self.there)
        (folder / "other").mkdir(parents=True, exist_ok=True)
        for name, content in {**self.public, self.file: here, f"other/{self.file}": there}.items():
            (folder / name).write_bytes(content)
        shows_at_once = fault in ("clip", "key", "count")
        stands_for = {"FILE": self.file, "EPSILON": FEW_EPSILON if shows_at_once else self.epsilon}
        return [*(str(stands_for.get(word, word)) for word in self.arguments), "--neighbour",
                f"other/{self.file}", "--runs", str(runs or (FEW_RUNS if shows_at_once else RUNS))]

    def audit(self, program, folder, fault=None, runs=None):
        words = self.write(fault, folder, runs)
        found = audit(program, folder, words, fault, self.counted())
        more = 2 * (runs or RUNS)
        if fault == "noise" and found[0] == 0 and more <= MOST_RUNS:
            return self.audit(program, folder, fault, more)
        return found


def audit(program, folder, words, fault=None, counted=""):
    """(exit code, what the audit prints as JSON, standard error)."""
    environment = {**os.environ, "SOTTO_COUNTED": counted, **({"SOTTO_FAULT": fault} if fault else {})}
    done = subprocess.run([program, "audit", *words, "--json"], cwd=folder, capture_output=True,
                          text=True, env=environment, timeout=1800)
    return done.returncode, json.loads(done.stdout or "null"), done.stderr


def target(epsilon="EPSILON", delta=1e-6):
    return ("--epsilon", epsilon, "--delta", delta)


def replaced(units, place, unit):
    return [*units[:place], unit, *units[place + 1:]]


def decompose_cases():
    def case(name, *options, **more):
        entries = data.symmetric()
        # On the diagonal a change is released once, and here the first start of iterate is longest.
        place = [index for index, _ in entries].index((1, 1, 1))
        index, value = entries[place]
        return AuditCase(f"decompose, {name}",
                         ("decompose", "FILE", "-k", 2, *target(), "--anyway", *options),
                         data.tensor_tns(entries),
                         data.tensor_tns(replaced(entries, place,
                                                  (index, value + data.reach(index)))),
                         file="data.tns",
                         without={"clip": "no clip: the change itself is bounded"}, **more)

    def entries(value):
        index = data.odd_tensor()[3][0]
        return data.odd_tns(replaced(data.odd_tensor(), 3, (index, value)))
    people = data.people()
    return [
        case("input", "--mechanism", "input", "-L", 8, "-R", 50),
        case("iterate", "--mechanism", "iterate", "-L", 1, "-R", 2, epsilon=60),
        AuditCase("decompose, entries of any tensor",
                  ("decompose", "FILE", "-k", 2, *target(), "--entry-change", 100, "--max-entry", 0.5,
                   "-R", 50, "--anyway"),
                  entries(0.5), entries(-0.5), (entries(50), entries(-50)), "data.tns"),
        AuditCase("decompose, person",
                  ("decompose", "FILE", "--unit", "person", "-k", 2, *target(), "--core", 15,
                   "--refine", 0),
                  data.visits_tns(people), data.visits_tns(people[1:]), file="data.tns", epsilon=140,
                  without={"clip": "no clip: people count by shares"}),
    ]


def point_cases():
    points = data.points(records=400)
    line = [[0.5 if n % 3 else -0.4] for n in range(300)]  # in one dimension nothing is lost

    def case(command, records, one, other, far, *options, **more):
        return AuditCase(command, (command, "FILE", *target(), "--format", "csv", "--header", "no",
                                   "--max-norm", 1, "--dim", len(one), *options),
                         *(data.csv(replaced(records, 0, record)) for record in (one, other)),
                         tuple(data.csv(replaced(records, 0, record)) for record in (one, far)),
                         **more)
    return [
        case("mixture", points, [1.0, 0.0, 0.0, 0.0], [-1.0, 0.0, 0.0, 0.0], [40.0, 0.0, 0.0, 0.0],
             "-k", 2, "--refine", 0, epsilon=80),
        case("stream", line, [1.0], [-1.0], [40.0], "-k", 1, "-L", 1, "-R", 1, "--batch", 100),
    ]


def topic_cases():
    documents = data.two_topics()

    def case(name, *options, **more):
        return AuditCase(f"topics, {name}",
                         ("topics", "FILE", "-k", 2, *target(), "--format", "text", "--vocab",
                          "vocab.txt", "--core", 10, *options),
                         *(data.text(replaced(documents, 0, one)) for one in ({0: 50}, {11: 50})),
                         public={"vocab.txt": data.vocabulary()}, epsilon=70, **more)
    return [case("pairs", "--refine", 1, without={"clip": "no clip: documents count by shares"}),
            case("triples", "--model", "single",
                 beyond=tuple(data.text(replaced(documents, 0, {word: 1000})) for word in (0, 11)))]


def rating_cases():
    ratings = data.ratings()

    def valued(value):
        return data.ratings_csv(replaced(ratings, 5, data.valued(value)(ratings[5])))

    def case(name, *options, privacy=("--epsilon", "EPSILON"), **more):
        return AuditCase(f"complete, {name}",
                         ("complete", "FILE", "-r", 2, *privacy, "--range", "1:5", "--format", "csv",
                          *options), valued(1), valued(5), (valued(5), valued(500)), "data.csv", **more)

    def users(value):
        more = [("zz", [(str(item), value, 0) for item in range(1, data.ITEMS + 1)])] if value else []
        return data.ratings_csv(data.of_users([*data.users(), *more]))
    # Laplace noise tells most where one number moves by all that is allowed. Here many move a little.
    spread = {"noise": "needs too many runs: see the next row"}
    large_delta = ("--accept-large-delta",)  # where the sums have Gaussian noise
    return [
        case("sums", "--mechanism", "sums", epsilon=2, without=spread),
        case("sums, Gaussian", "--mechanism", "sums", *large_delta, privacy=target(delta=0.1), epsilon=7),
        case("als", "--mechanism", "als", epsilon=4, without=spread),
        case("als, Gaussian", "--mechanism", "als", *large_delta, privacy=target(delta=0.1), epsilon=13),
        case("entries", "--mechanism", "entries", epsilon=2),
        case("input", "--perturb", "input", "--epochs", 2, epsilon=2),
        AuditCase("complete, user",
                  ("complete", "FILE", "-r", 2, "--unit", "user", *target(), "--range", "1:5",
                   "--items", "items.txt", "--format", "csv"),
                  users(None), users(5), (users(5), users(500)), "data.csv",
                  {"items.txt": data.ITEM_LIST}, epsilon=130),
    ]


CASES = decompose_cases() + point_cases() + topic_cases() + rating_cases()


def canary_cases():
    """(name, words, file, content, public): each with canaries in place of its first records.

    Fewer canaries than released numbers, or their coins cannot be told apart.
    """
    rng = random.Random(5)
    privacy = target(1)
    points = data.csv([[rng.gauss(0, 0.2) for _ in range(8)] for _ in range(400)])
    words = [f"w{n}" for n in range(150)]
    texts = data.lines(" ".join(rng.choice(words) for _ in range(8)) for _ in range(3000))
    form = ("--format", "csv", "--header", "no", "--max-norm", 1, "--dim", 8, "--batch", 200)
    return [
        ("stream", ("stream", "data", "-k", 1, *privacy, *form, "-L", 16, "-R", 1),
         "data", points, {}),
        ("topics", ("topics", "data", "-k", 2, *privacy, "--format", "text", "--vocab",
                    "vocab.txt", "--core", 10), "data", texts, {"vocab.txt": data.lines(words)}),
        ("complete", ("complete", "data.csv", "-r", 2, *privacy, "--range", "1:5", "--format",
                      "csv", "--unit", "rating", "--mechanism", "sums"), "data.csv",
         data.ratings_csv(data.ratings(users=60)[::5]), {}),
    ]
