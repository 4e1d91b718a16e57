"""Units of privacy for the neighbour tests, and the formats they are stored in."""
import itertools
import math
import random
import struct

from sotto_cli import npy_bytes

HUGE = 2147483647


def lines(parts):
    return "".join(f"{part}\n" for part in parts).encode()


# ---- documents: {word: count}, words counted from 0; text: the line itself ----

WORDS, DOCUMENTS = 12, 150


def two_topics(seed=1, documents=DOCUMENTS):
    """Documents of 8 words, most of them from one half of the vocabulary."""
    rng = random.Random(seed)
    made = []
    for n in range(documents):
        document = {}
        for _ in range(8):
            word = rng.randrange(WORDS // 2) + (WORDS // 2) * (rng.random() < (0.1, 0.9)[n % 2])
            document[word] = document.get(word, 0) + 1
        made.append(document)
    return made


def vocabulary(words=WORDS):
    return lines(f"w{w + 1}" for w in range(words))


def word_counts(words=WORDS):
    return lines(f"w{w + 1}\t{1 + w * w}" for w in range(words))


OTHER_DOCUMENTS = {
    "another": {0: 1, 3: 2, 7: 4},
    "empty": {},
    "one word once": {WORDS - 1: 1},
    "too short for triples": {0: 1, 5: 1},
    "a huge count": {WORDS - 1: HUGE},
    "every word a huge count": {w: HUGE for w in range(WORDS)},
    "very long": {w: 1000 + w for w in range(WORDS)},
}


def entries(documents):
    return [(n + 1, w + 1, c) for n, d in enumerate(documents) for w, c in sorted(d.items())]


def uci(documents, words=WORDS):
    body = entries(documents)
    return lines([len(documents), words, len(body), *(f"{n} {w} {c}" for n, w, c in body)])


def matrix_market(documents):
    body = entries(documents)
    return lines(["%%MatrixMarket matrix coordinate integer general",
                  f"{len(documents)} {WORDS} {len(body)}", *(f"{n} {w} {c}" for n, w, c in body)])


def lda_c(documents):
    return lines(" ".join([str(len(d)), *(f"{w}:{c}" for w, c in sorted(d.items()))])
                 for d in documents)


def svmlight(documents):
    """Labels look like the counts of LDA-C, except for documents with labels of their own."""
    return lines(" ".join([str(d.get("label", len(d))),
                           *(f"{w + 1}:{c}" for w, c in sorted(d.items(), key=str)
                             if w != "label")])
                 for d in documents)


OTHER_LABELLED = {
    **OTHER_DOCUMENTS,
    "another label": lambda d: {**d, "label": len(d) + 1},
    "an extreme label": lambda d: {**d, "label": "-1e308"},
}


ALIKE_LABELLED = {"a label": ({0: 3, "label": 1}, {0: 3, "label": "-1e308"}),
                  "a label like a count": ({0: 3, 4: 1, "label": 2}, {0: 3, 4: 1, "label": 7})}
# Too short for a pair: contributes nothing.
ALIKE_SHORT = {"too short": ({}, {3: 1})}


def text(documents):
    return lines(d if isinstance(d, str) else
                 " ".join(f"w{w + 1}" for w, c in sorted(d.items()) for _ in range(c))
                 for d in documents)


OTHER_TEXTS = {
    "another": "w1 w4 w4 w8 w8 w8 w8",
    "empty": "",
    "one word": "w12",
    "like LDA-C": "2 0:3 1:4",
    "like SVMlight": "7 10:30",
    "like MatrixMarket": "%%MatrixMarket matrix coordinate integer general",
    "one number": "42",
    "no word of the others": "strange names nobody else has",
    "a very long word": "w" * 100000,
    "very long": " ".join(f"w{w + 1}" for w in range(WORDS)) * 3000,
    "many words of its own": " ".join(f"x{n}" for n in range(20000)),
    "no letters": ", . - '",
    "a byte-order mark": "\ufeffw1 w2",
}


ALIKE_SPELLING = {
    "capitals and signs": ("w1 w2 w2", "W1, w2; (W2)!"),
    "another order": ("w1 w2 w3 w2", "w3 w2 w2 w1"),
}
ALIKE_TEXTS = {
    "no listed word": ("", "strange names nobody else has"),
    "looks like numbers": ("", "7 10:30"),
    **ALIKE_SPELLING,
}


def text_bytes(documents):
    """As `text`; a document given as bytes may hold anything but a line end."""
    return b"".join((d if isinstance(d, bytes) else text([d])[:-1]) + b"\n" for d in documents)


def table(documents):
    """Documents in a column of CSV, between quotes."""
    return b"id,text\n" + lines(f'{n},"{plain}"' for n, plain in enumerate(
        (d if isinstance(d, str) else text([d])[:-1].decode()).replace('"', '""')
        for d in documents))


OTHER_CELLS = {
    "a line break": "w1 w2\n3,w4",
    "quotes and separators": 'w1 ","w2" \n""',
    "like a header": "id,text",
    "like Excel's hint": "sep=;",
    **OTHER_TEXTS,
}


OTHER_BYTES = {
    "like gzip": b"\x1f\x8b\x08\x00 w1",
    "not UTF-8": b"w1 \xff\xfe w2",
    "a zero byte": b"w1 \x00 w2",
    "a control character": b"w1 \x07 w2",
    "a carriage return": b"w1 w2 w3\r",
}


# ---- records: lists of numbers; sparse ones: {place: number} ----

DIM, RECORDS = 4, 1200


def points(seed=2, records=RECORDS, dim=DIM):
    """Points around two means of norm about 0.7."""
    rng = random.Random(seed)
    means = [[0.7 * (j == m) for j in range(dim)] for m in (0, 1)]
    return [[x + rng.gauss(0, 0.05) for x in means[rng.random() < 0.4]] for _ in range(records)]


OTHER_RECORDS = {
    "another": [0.1, -0.2, 0.3, 0.4],
    "zero": [0.0] * DIM,
    "negative zero": [-0.0] * DIM,
    "far beyond the bound": [1e6, -1e6, 3.0, 0.0],
    "a norm whose square overflows": [1e300] * DIM,
    "the largest numbers": [1.7976931348623157e308, -1.7976931348623157e308, 1e308, 1e308],
    "the smallest numbers": [5e-324, -5e-324, 0.0, 2.2250738585072014e-308],
    "one number only": [0.0, 0.0, 0.0, 0.9],
}


# With norm bound 1: clipped to the same record, or contributing zero.
ALIKE_RECORDS = {
    "beyond the bound": ([2.0, 0.0, 0.0, 0.0], [1e9, 0.0, 0.0, 0.0]),
    "a square that overflows": ([0.0] * DIM, [1e300] * DIM),
    "signs of zero": ([0.5, 0.0, 0.0, 0.0], [0.5, -0.0, -0.0, -0.0]),
}


ALIKE_SINGLE = {kind: pair for kind, pair in ALIKE_RECORDS.items()
                if kind != "a square that overflows"}  # no number of 4 bytes has one


def dense_npy(records):
    return npy_bytes([x for record in records for x in record], (len(records), DIM))


def dense_npy_f4(records):
    held = [max(-3.4e38, min(3.4e38, x)) for record in records for x in record]
    return npy_bytes(held, (len(records), DIM), dtype="<f4")


def raw(records):
    return b"".join(struct.pack(f"<{DIM}d", *record) for record in records)


def raw_f4(records):
    return b"".join(struct.pack(f"<{DIM}f", *(max(-3.4e38, min(3.4e38, x)) for x in record))
                    for record in records)


# A number whose lowest bytes are the magic number of gzip.
LIKE_GZIP = struct.unpack("<d", b"\x1f\x8b\x08\x00\x00\x00\xe0\x3f")[0]
LIKE_NPY = struct.unpack("<d", b"\x93NUMPY\x01\x00")[0]
OTHER_RAW = {
    "like gzip": [LIKE_GZIP, 0.1, 0.1, 0.1],
    **OTHER_RECORDS,
    "like .npy": [LIKE_NPY, 0.1, 0.1, 0.1],
}


def csv(records):
    return lines(",".join(x if isinstance(x, str) else repr(x) for x in record)
                 for record in records)


def csv_with_header(records):
    return lines([",".join(f"x{j}" for j in range(DIM))]) + csv(records)


def blank_separated(records):
    return csv(records).replace(b",", b" ")


OTHER_CSV = {
    **OTHER_RECORDS,
    "numbers in other spellings": ["+1", "1e-3", "007", ".5"],
    "whole numbers": ["1", "0", "0", "0"],
    "spaces around numbers": [" 0.1", "0.2 ", " 0.3 ", "0.4"],
    "very long numbers": ["0." + "1" * 5000, "0", "0", "0"],
    "below the smallest number": ["1e-400", "0", "0", "0"],
}


ALIKE_CSV = {"spelling": ([0.5, 1e-3, 7.0, 0.0], ["+.5", "0.001", " 007 ", "0e9"])}


def sparse(records):
    return [{j: x for j, x in enumerate(record) if x} for record in records]


OTHER_SPARSE = {
    "another": {0: 0.1, 2: -0.4},
    "empty": {},
    "explicit zeros": {0: 0.0, 3: -0.0},
    "a norm whose square overflows": {0: 1e300, 3: -1e300},
    "the largest number": {3: 1.7976931348623157e308},
    "the smallest number": {0: 5e-324},
    "every place": {j: 0.5 for j in range(DIM)},
}


ALIKE_SPARSE = {
    "beyond the bound": ({0: 2.0}, {0: 1e9}),
    "a square that overflows": ({}, {0: 1e300, 3: -1e300}),
    "explicit zeros": ({0: 0.5}, {0: 0.5, 1: 0.0, 3: -0.0}),
}


def uci_points(records):
    return uci(records, words=DIM)


# ---- entries of a symmetric tensor: {sorted index: number} as a list of pairs ----

SIDE = 5


def symmetric(order=3, weight=600.0):
    vectors = [[0.8, 0.6, 0.0, 0.0, 0.0], [0.0, 0.0, 0.6, 0.0, 0.8]]
    return [(index, sum(w * math.prod(v[i] for i in index)
                        for w, v in zip((weight, weight / 2), vectors)))
            for index in itertools.combinations_with_replacement(range(SIDE), order)]


def reach(index):
    """How far a neighbour may move an entry: p!/m, where m is the number of its orders."""
    return math.prod(math.factorial(index.count(i)) for i in set(index))


def moved(share):
    return lambda entry: (entry[0], entry[1] + share * reach(entry[0]))


OTHER_ENTRIES = {
    "moved up": moved(1),
    "moved down": moved(-1),
    "moved a little": moved(1e-9),
    "nearly not": moved(5e-324),
    "held at zero": lambda e: (e[0], 0.0 if abs(e[1]) <= reach(e[0]) else moved(0.5)(e)[1]),
}


def set_to(value):
    return lambda entry: (entry[0], value)


ALIKE_ENTRIES = {"signs of zero": (set_to(0.0), set_to(-0.0))}
ALIKE_HELD = {"beyond the bound": (set_to(20.0), set_to(1e308)),
              "below the bound": (set_to(-20.0), set_to(-1e9))}


def tensor_npy(entries, order=3):
    value = dict(entries)
    return npy_bytes([value[tuple(sorted(i))]
                      for i in itertools.product(range(SIDE), repeat=order)], (SIDE,) * order)


def all_orders(entries):
    """(index from 1, value) of all entries that are not zero."""
    return [(" ".join(str(i + 1) for i in order), value) for index, value in entries if value
            for order in sorted(set(itertools.permutations(index)))]


def tensor_tns(entries):
    body = all_orders(entries)
    return lines(["sptensor", 3, f"{SIDE} {SIDE} {SIDE}", len(body),
                  *(f"{index} {value!r}" for index, value in body)])


def dense_tns(entries):
    value = dict(entries)
    return lines(["tensor", 3, f"{SIDE} {SIDE} {SIDE}",
                  *(repr(value[tuple(sorted(i))])
                    for i in itertools.product(range(SIDE), repeat=3))])


# ---- entries of any tensor: (index, number), all of them ----

ODD_SIDES = (6, 4, 5)


def odd_tensor(weight=900.0, sides=ODD_SIDES):
    """Two components that are not negative."""
    def vector(mode, component):
        made = [1.0 + (i + mode) % 3 if (i % 2 == 0) == (component == 0) else 0.2
                for i in range(sides[mode])]
        norm = math.sqrt(sum(x * x for x in made))
        return [x / norm for x in made]
    vectors = [[vector(m, c) for m in range(len(sides))] for c in range(2)]
    return [(index, sum(w * math.prod(v[i] for v, i in zip(part, index))
                        for w, part in zip((weight, weight / 2), vectors)))
            for index in itertools.product(*map(range, sides))]


def shifted(by):
    return lambda entry: (entry[0], entry[1] + by)


OTHER_ODD = {"moved up": shifted(1), "moved down": shifted(-1), "moved a little": shifted(1e-9),
             "nearly not": shifted(5e-324),
             "held at zero": lambda e: (e[0], 0.0 if abs(e[1]) <= 1 else e[1] - 0.5)}


def sides_of(entries):
    return tuple(max(index[m] for index, _ in entries) + 1 for m in range(len(entries[0][0])))


def odd_npy(entries):
    return npy_bytes([value for _, value in entries], sides_of(entries))


def odd_tns(entries):
    body = [f"{' '.join(str(i + 1) for i in index)} {value!r}" for index, value in entries if value]
    sides = sides_of(entries)
    return lines(["sptensor", len(sides), " ".join(map(str, sides)), len(body), *body])


# ---- ratings: (user, item, value, time); unit user: (user, [(item, value, time), ..]) ----

USERS, ITEMS, MONTHS = 24, 10, 3


def ratings(seed=3, users=USERS):
    """Every user rates most items; the places do not depend on the values."""
    rng = random.Random(seed)
    made = []
    for user, item in itertools.product(range(1, users + 1), range(1, ITEMS + 1)):
        if rng.random() < 0.7:
            value = 3 + (1 if (user + item) % 2 else -1) + rng.choice((0, 0, 0.5, -0.5))
            made.append((user, item, value, rng.randrange(MONTHS)))
    return made


def valued(value):
    return lambda rating: (*rating[:2], value, rating[3])


OTHER_VALUES = {
    "another": valued(2.25),
    "the least": valued(1),
    "the greatest": valued(5),
    "zero": valued(0.0),
    "negative zero": valued(-0.0),
    "far above the range": valued(1e308),
    "far below the range": valued(-1.7976931348623157e308),
    "the smallest number": valued(5e-324),
    "a whole number": valued("3"),
    "in another spelling": valued("+3.000e0"),
}


FEW_VALUES = {kind: OTHER_VALUES[kind] for kind in ("another", "the least", "far above the range")}
ALIKE_VALUES = {
    "at the end of the range and beyond": (valued(5), valued(1e308)),
    "at the beginning and before": (valued(1), valued(-1e308)),
    "spelling": (valued(3.0), valued("+0.03000e2")),
}


def stamp(month):
    return 978307200 + 31 * 86400 * month  # 2001-01-01, ..


def ratings_csv(ratings):
    return lines(["user,item,rating", *(f"{u},{i},{v}" for u, i, v, _ in ratings)])


def stored_by_rating(ratings):
    """Sorted by rating, as many files are: the order of the lines is a function of the values."""
    return ratings_csv(sorted(ratings, key=lambda r: (-float(r[2]), r[0], r[1])))


def stamped_csv(ratings):
    return lines(["userId,movieId,rating,timestamp",
                  *(f"{u},{i},{v},{stamp(t)}" for u, i, v, t in ratings)])


def dated_csv(ratings):
    return lines(["user,item,month,rating",
                  *(f"{u},{i},2001-0{t + 1},{v}" for u, i, v, t in ratings)])


def bare_csv(ratings):
    return lines(f"u{u},i{i},{v}" for u, i, v, _ in ratings)


def tsv(ratings):
    return lines(["user\titem\trating", *(f"{u}\t{i}\t{v}" for u, i, v, _ in ratings)])


def movielens(ratings):
    return lines(f"{u}::{i}::{v}::{stamp(t)}" for u, i, v, t in ratings)


def ratings_tns(ratings):
    return lines(f"{u} {i} {t + 1} {v}" for u, i, v, t in ratings)


def users(count=400, seed=4):
    """(label, ratings) of many users, some of them with few ratings."""
    rng = random.Random(seed)
    made = []
    for user in range(1, count + 1):
        rated = [i for i in range(1, ITEMS + 1) if rng.random() < 0.6]
        made.append((str(user), [(str(i), 3 + (1 if (user + i) % 2 else -1), rng.randrange(MONTHS))
                                 for i in rated]))
    return made


ITEM_LIST = lines(range(1, ITEMS + 1))
MONTH_LIST = lines(f"2001-0{m + 1}" for m in range(MONTHS))
EVERYTHING = [(str(i), 5, 0) for i in range(1, ITEMS + 1)]

# ---- people: the cells (code, drug, events) of one slice, counted from 1 ----

CODES, DRUGS, NUMBERED = 12, 8, 1000


def people(count=400, seed=11):
    """Two kinds of people, each with its own half of the codes and drugs most of the time."""
    rng = random.Random(seed)
    made = []
    for _ in range(count):
        share = rng.betavariate(0.3, 0.3)
        cells = {}
        for _ in range(rng.randrange(3, 15)):
            second = rng.random() < share
            cell = (1 + rng.randrange(CODES // 2) + second * CODES // 2,
                    1 + rng.randrange(DRUGS // 2) + second * DRUGS // 2)
            cells[cell] = cells.get(cell, 0) + 1
        made.append([(*cell, n) for cell, n in cells.items()])
    return made


def visits_tns(slices):
    """The header says how people are numbered; who has no cells has no line."""
    body = [f"{p} {code} {drug} {n}" for p, cells in enumerate(slices, 1) for code, drug, n in cells]
    return lines(["sptensor", 3, f"{NUMBERED} {CODES} {DRUGS}", len(body), *body])


# None removes the person at the place; any other person is added there.
OTHER_PEOPLE = {
    "removed": None,
    "another": [(1, 1, 2), (7, 5, 1)],
    "without events": [],
    "without events, and a line": [(3, 3, 0)],
    "one event": [(12, 8, 1)],
    "everything": [(c, d, 1) for c in range(1, CODES + 1) for d in range(1, DRUGS + 1)],
    "a heavy user": [(c, d, 10000) for c in range(1, CODES + 1) for d in range(1, DRUGS + 1)],
    "the largest count": [(5, 5, 2**31)],
}
ALIKE_PEOPLE = {
    "nobody and one without events": ([], [(3, 3, 0)]),
    "in another order": ([(1, 1, 2), (7, 5, 1)], [(7, 5, 1), (1, 1, 2)]),
}


# None removes the user at the place; any other user is added there.
OTHER_USERS = {
    "removed": None,
    "another": ("new", [("1", 4, 0), ("7", 2, 2)]),
    "without ratings of the list": ("new", [("none of them", 3, 1)]),
    "one who rated everything": ("new", EVERYTHING),
    "one who rated everything often": ("new", EVERYTHING * 300),
    "extreme values": ("new", [("1", 1e308, 0), ("2", -1e308, 1), ("3", "-0.0", 1),
                               ("4", 5e-324, 2)]),
    "one item over and over": ("new", [("5", v % 5 + 1, 0) for v in range(5000)]),
    "a very long name": ("n" * 100000, [("1", 4, 0)]),
    "a very long item": ("new", [("i" * 100000, 4, 0)]),
    "a name in quotes": ('"new, and more"', [("1", 4, 0), ("2", 3, 1)]),
    "a name with colons": ("a::b", [("1", 4, 0)]),
    "many items of its own": ("new", [(f"own{n}", 3, 0) for n in range(5000)]),
}


ALIKE_USERS = {
    "nobody and one without ratings of the list": (("new", []), ("new", [("none", 3, 1)])),
    "another name": (("new", [("1", 4, 0), ("7", 2, 2)]), ("000", [("1", 4, 0), ("7", 2, 2)])),
    "rated twice": (("new", [("1", 4, 0)]), ("new", [("1", 4, 0), ("1", 2, 0)])),
    "beyond the range": (("new", [("1", 5, 0), ("2", 1, 0)]),
                         ("new", [("1", 1e308, 0), ("2", -1e308, 0)])),
    "in another order": (("new", [("1", 4, 0), ("2", 1, 0)]), ("new", [("2", 1, 0), ("1", 4, 0)])),
}


def of_users(users):
    return [(user, item, value, month) for user, rated in users for item, value, month in rated]


def by_items(users):
    """Sorted by item: one user's lines are spread over the file."""
    return sorted(of_users(users), key=lambda r: r[1])
