"""Input as people have it: files as other programs write them, and what happens to each of them.

Every case has the bytes of a file, the command, and what is expected: `read`, with a check that it
was read rightly, or `refused`, in one line that says which option reads it, or what to do. A
private run does not guess, so the same file may need more options there.

    python3 tests/e2e/test_dialects.py build/release/sotto --write

writes the table docs/input.md from the same list; a test holds that it is current.
"""
import dataclasses
import gzip
import json
import pathlib
import subprocess
import sys
import unittest

from sotto_cli import PROGRAM, ProgramTest, npy_bytes, read_npy

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = ROOT / "docs" / "input.md"
NAN = float("nan")
BOM = b"\xef\xbb\xbf"


@dataclasses.dataclass
class Case:
    made_by: str          # the program that writes such files, and how
    name: str             # of the file
    data: bytes
    command: list         # without the file
    read: dict = None     # what result.json says, by path: {"input.documents": 3}
    refused: tuple = ()   # what the line says; options with their dashes
    reads: list = None    # refused: the options that read it; None: the file has to be changed
    then: dict = None     # what result.json says with these options
    also: dict = dataclasses.field(default_factory=dict)  # further files, by name
    lines: dict = None    # what a file of the result holds: {"labels_0.txt": [..]}
    pipe: bool = False    # the file comes from a pipe
    like: str = None      # the same result as that of the case of this file


def text(*lines, end="\n"):
    return "".join(line + end for line in lines).encode()


# ---- ratings ----

COMPLETE = ["complete", "--rank", "1", "--epochs", "3"]
SIX = [("ann", "tea", "4.5"), ("ann", "rye", "2"), ("bob", "tea", "3.5"), ("bob", "fig", "1"),
       ("cat", "rye", "5"), ("cat", "fig", "2.5")]
LABELS = {"labels_0.txt": ["ann", "bob", "cat"], "labels_1.txt": ["tea", "rye", "fig"]}
SHAPE = {"input.dims": [3, 3, 1], "input.entries": 6}
DAYS = ["2020-01-05", "2020-01-06", "2020-02-01", "2020-02-02", "2020-03-09", "2020-03-10"]


def ratings(separator=",", header="user{0}item{0}rating", end="\n", decimal=".", quote=""):
    rows = [separator.join(f"{quote}{x}{quote}" for x in (user, item)) + separator +
            value.replace(".", decimal) for user, item, value in SIX]
    first = [header.format(separator)] if header else []
    return text(*first, *rows, end=end)


def indexed(header, first=0, separator=","):
    rows = [separator.join((str(n + first), *row)) for n, row in enumerate(SIX)]
    return text(*([header] if header is not None else []), *rows)


def dated(header="user,item,{},rating", days=DAYS):
    rows = [f"{user},{item},{day},{value}" for (user, item, value), day in zip(SIX, days)]
    return text(*([header] if header else []), *rows)


MONTHS = {"input.dims": [3, 3, 3], "input.entries": 6}
BY_MONTH = {**LABELS, "labels_2.txt": ["2020-01", "2020-02", "2020-03"]}
SPARSE = ["1 1 1 2.5", "1 2 2 1", "2 1 2 4", "2 2 1 3", "2 3 2 0.5", "1 3 1 2"]
SPARSE_0 = [" ".join(str(int(w) - 1) for w in row.split()[:3]) + " " + row.split()[3]
            for row in SPARSE]
HOLED = [1, 2, NAN, 4, 5, 6, 7, NAN, 9, 10, 11, 12]

RATINGS = [
    Case("pandas, `to_csv(index=False)`", "plain.csv", ratings(), COMPLETE, SHAPE, lines=LABELS),
    Case("pandas, `to_csv(encoding=\"utf-8-sig\")`; Excel, *CSV UTF-8*", "bom.csv",
         BOM + ratings(), COMPLETE, SHAPE, lines=LABELS, like="plain.csv"),
    Case("Excel, *CSV (Comma delimited)*: CRLF", "crlf.csv", ratings(end="\r\n"), COMPLETE, SHAPE,
         lines=LABELS, like="plain.csv"),
    Case("pandas, `to_csv(sep=\";\")`", "semicolon.csv", ratings(";"), COMPLETE, SHAPE,
         lines=LABELS, like="plain.csv"),
    Case("Excel in German: semicolons, byte-order mark, CRLF, decimal commas", "excel-de.csv",
         BOM + ratings(";", end="\r\n", decimal=","), COMPLETE, refused=("--decimal comma", ":2"),
         reads=["--decimal", "comma"], then=SHAPE, lines=LABELS, like="plain.csv"),
    Case("R, `write.csv2(row.names = FALSE)`: quoted, decimal commas", "csv2.csv",
         ratings(";", '"user"{0}"item"{0}"rating"', decimal=",", quote='"'), COMPLETE,
         refused=("--decimal comma",), reads=["--decimal", "comma"], then=SHAPE, lines=LABELS,
         like="plain.csv"),
    Case("the same without a header: semicolons and commas on one line", "both.csv",
         ratings(";", None, decimal=","), COMPLETE, refused=("--separator", "--decimal comma"),
         reads=["--separator", "semicolon", "--decimal", "comma"], then=SHAPE, lines=LABELS),
    Case("Excel, a first line `sep=;`", "sep.csv", b"sep=;\r\n" + ratings(";", end="\r\n"),
         COMPLETE, SHAPE, lines=LABELS, like="plain.csv"),
    Case("Excel, *Text (Tab delimited)*", "tabs.txt", ratings("\t", end="\r\n"), COMPLETE, SHAPE,
         lines=LABELS, like="plain.csv"),
    Case("PostgreSQL, `COPY .. DELIMITER '|' HEADER`", "bars.csv", ratings("|"), COMPLETE, SHAPE,
         lines=LABELS, like="plain.csv"),
    Case("R, `write.csv(row.names = FALSE)`: quoted texts", "quoted.csv",
         ratings(header='"user"{0}"item"{0}"rating"', quote='"'), COMPLETE, SHAPE, lines=LABELS,
         like="plain.csv"),
    Case("R, `write.csv()`: names of rows, which have no name", "rows.csv",
         text('"","user","item","rating"',
              *(f'"{n + 1}","{u}","{i}",{v}' for n, (u, i, v) in enumerate(SIX))), COMPLETE,
         refused=("--columns", "-,user,item,value"), reads=["--columns", "-,user,item,value"],
         then=SHAPE, lines=LABELS, like="plain.csv"),
    Case("pandas, `to_csv()`: a saved index", "index.csv", indexed(",user,item,rating"), COMPLETE,
         refused=("--columns", "-,user,item,value"), reads=["--columns", "-,user,item,value"],
         then=SHAPE, lines=LABELS, like="plain.csv"),
    Case("pandas, saved, read and saved again", "unnamed.csv",
         indexed("Unnamed: 0,user,item,rating"), COMPLETE, refused=("--columns", "saved index"),
         reads=["--columns", "-,user,item,value"], then=SHAPE, lines=LABELS, like="plain.csv"),
    Case("pandas, `reset_index().to_csv(index=False)`", "reset.csv",
         indexed("index,user,item,rating"), COMPLETE, refused=("--columns -,user,item,value",),
         reads=["--columns", "-,user,item,value"], then=SHAPE, lines=LABELS, like="plain.csv"),
    Case("pandas, `to_csv(header=False)`: an index without a name", "bare-index.csv",
         indexed(None), COMPLETE, refused=("--columns",),
         reads=["--columns", "-,user,item,value"], then=SHAPE, lines=LABELS),
    Case("pandas, `to_csv(index=False)` of columns without names: `0,1,2`", "numbers.csv",
         text("0,1,2", *(",".join(row) for row in SIX)), COMPLETE, refused=("--header",),
         reads=["--header", "yes"], then=SHAPE, lines=LABELS),
    Case("pandas, a column of reviews with line breaks in quotes", "reviews.csv",
         text("user,item,review,rating", *(f'{u},{i},"fine,\nor ""so""",{v}' for u, i, v in SIX)),
         [*COMPLETE, "--columns", "user,item,-,value"], SHAPE, lines=LABELS),
    Case("names with separators and quotes in them", "names.csv",
         ratings().replace(b"tea", b'"tea, ""green"""'), COMPLETE, SHAPE,
         lines={"labels_1.txt": ['tea, "green"', "rye", "fig"]}),
    Case("a clinic: `visit_date`, ISO dates", "visits.csv", dated("user,item,visit_date,rating"),
         [*COMPLETE, "--time-mode", "month"], MONTHS, lines=BY_MONTH),
    Case("the same, not asked for: dates are not a mode", "visits-2.csv",
         dated("user,item,visit_date,rating"), COMPLETE, SHAPE, lines=LABELS),
    Case("ISO dates in a column of another name", "seen.csv", dated("user,item,seen,rating"),
         COMPLETE, refused=("seen", "dates", "--columns mode,mode,time,value", "--time-mode"),
         reads=["--columns", "user,item,time,value", "--time-mode", "month"], then=MONTHS,
         lines=BY_MONTH),
    Case("ISO dates without a header", "no-header-dates.csv", dated(None), COMPLETE,
         refused=("dates", "--columns"),
         reads=["--columns", "user,item,time,value", "--time-mode", "month"], then=MONTHS,
         lines=BY_MONTH),
    Case("pandas, time stamps with a time of day", "stamps.csv",
         dated("user,item,order_timestamp,rating", [day + " 12:30:00" for day in DAYS]),
         [*COMPLETE, "--time-mode", "month"], MONTHS, lines=BY_MONTH),
    Case("Excel in English: dates like 1/5/2020", "american.csv",
         dated("user,item,date,rating", ["1/5/2020"] * 6), [*COMPLETE, "--time-mode", "month"],
         refused=("YYYY-MM-DD", ":2")),
    Case("MovieLens 1M, `ratings.dat`", "ratings.dat",
         text(*(f"{u}::{i}::{v}::978300760" for u, i, v in SIX)), COMPLETE, SHAPE, lines=LABELS),
    Case("MovieLens 100K, `u.data`", "u.data",
         text(*(f"{u}\t{i}\t{v}\t881250949" for u, i, v in SIX)), COMPLETE, SHAPE, lines=LABELS),
    Case("pandas, `to_csv(compression=\"gzip\")`", "packed.csv.gz",
         gzip.compress(ratings(), mtime=0), COMPLETE, SHAPE, lines=LABELS, like="plain.csv"),
    Case("a rating that is missing, as pandas writes it", "holes.csv",
         ratings().replace(b"3.5", b""), COMPLETE, refused=("not a number", ":4")),
    Case("pandas, `pivot().to_csv()`: a column for each item, few of them", "wide.csv",
         text("user,tea,rye,fig", "ann,4.5,2,", "bob,3.5,,1", "cat,,5,2.5"), COMPLETE,
         refused=("wide table", "user,item,value", ".npy", ":2")),
    Case("the same, more items than there may be modes", "wide-7.csv",
         text("user,a,b,c,d,e,f", "ann,4.5,2,,,,", "bob,,,3.5,,1,"), COMPLETE,
         refused=("got 6", "wide table", "user,item,value", ".npy")),
    Case("the same, more items than a line of ratings has fields", "wide-40.csv",
         text("user," + ",".join(f"i{n}" for n in range(40)), "ann,4.5" + "," * 39), COMPLETE,
         refused=("41 fields", "wide table", "user,item,value", ".npy")),
    Case("Excel, *Unicode Text*: UTF-16", "utf16.txt", ratings("\t").decode().encode("utf-16"),
         COMPLETE, refused=("UTF-16", "UTF-8")),
    Case("Excel, a workbook", "book.xlsx", b"PK\x03\x04" + bytes(60), COMPLETE,
         refused=("archive", "CSV")),
    Case("pandas, `to_parquet()`", "table.parquet", b"PAR1" + bytes(60), COMPLETE,
         refused=("Parquet", "to_csv")),
    Case("NumPy, `save()`: a dense array with NaN", "amino.npy", npy_bytes(HOLED, (3, 2, 2)),
         COMPLETE, {"input.dims": [3, 2, 2], "input.entries": 10}),
    Case("NumPy, a matrix with NaN, Fortran order", "matrix.npy",
         npy_bytes(HOLED, (4, 3), fortran=True), COMPLETE,
         {"input.dims": [4, 3, 1], "input.entries": 10}),
]

# ---- tensors ----

CP = ["decompose", "-k", "1", "--method", "cp", "--seed", "1"]
TENSOR = {"input.dims": [2, 3, 2]}
DENSE = [2.5, 0, 0, 1, 2, 0, 0, 4, 3, 0, 0, 0.5]

TENSORS = [
    Case("FROSTT: indices from 1", "frostt.tns", text(*SPARSE), CP, TENSOR),
    Case("pyttb, indices from 0, and SciPy's `coo` coordinates", "zero.tns", text(*SPARSE_0), CP,
         refused=("index '0'", "--index-base 0", ":1"), reads=["--index-base", "0"], then=TENSOR,
         like="frostt.tns"),
    Case("pyttb, `export_data()` of a sparse tensor", "sptensor.tns",
         text("sptensor", "3", "2 3 2", "6", *SPARSE), CP, TENSOR, like="frostt.tns"),
    Case("pyttb, `export_data(index_base=0)`", "sptensor-0.tns",
         text("sptensor", "3", "2 3 2", "6", *SPARSE_0), CP, refused=("--index-base 0",),
         reads=["--index-base", "0"], then=TENSOR, like="frostt.tns"),
    Case("pyttb, `export_data()` of a dense tensor", "tensor.tns",
         text("tensor", "3", "2 3 2", *(str(DENSE[6 * i + 2 * j + k]) for k in range(2)
                                        for j in range(3) for i in range(2))), CP, TENSOR),
    Case("TensorLy, `numpy.save()`", "tensorly.npy", npy_bytes(DENSE, (2, 3, 2)), CP, TENSOR),
    Case("TensorLy on PyTorch: 4-byte floats", "float32.npy", npy_bytes(DENSE, (2, 3, 2), "<f4"),
         CP, TENSOR),
    Case("NumPy, NaN in an array", "nan.npy", npy_bytes([NAN] + [1.5] * 11, (3, 2, 2)), CP,
         refused=("NaN", "--missing"), reads=["--missing"], then={"input.dims": [3, 2, 2]}),
    Case("NumPy, `savez()`", "arrays.npz", b"PK\x03\x04" + bytes(60), CP,
         refused=("archive", "numpy.save")),
    Case("MATLAB, `save()`", "tensor.mat", b"MATLAB 5.0 MAT-file, Platform: GLNXA64" + bytes(90),
         CP, refused=("MATLAB", ".npy")),
    Case("entries from 0, completed", "observed-0.tns", text(*SPARSE_0), COMPLETE,
         refused=("--index-base 0",), reads=["--index-base", "0"],
         then={"input.dims": [2, 3, 2], "input.entries": 6}),
]

# ---- points ----

MIXTURE = ["mixture", "-k", "1", "--refine", "0"]
POINTS = [(1.5, 2.25), (2.5, 1.25), (-1.5, 0.75), (4.5, 3.5), (0.5, -2.5), (3.5, 1.5)]
TWO = {"input.records": 6, "input.dim": 2}


def points(separator=",", header="x{0}y", end="\n", decimal=".", form="{}"):
    rows = [separator.join(form.format(x) for x in row).replace(".", decimal) for row in POINTS]
    return text(*([header.format(separator)] if header is not None else []), *rows, end=end)


def numbered_points(header, first=0, separator=",", quote=""):
    rows = [separator.join([f"{quote}{n + first}{quote}", *map(str, row)])
            for n, row in enumerate(POINTS)]
    return text(*([header] if header is not None else []), *rows)


POINT_FILES = [
    Case("pandas, `to_csv(index=False)`", "points.csv", points(), MIXTURE, TWO),
    Case("the same from a pipe", "piped.csv", points(), MIXTURE, TWO, pipe=True, like="points.csv"),
    Case("NumPy, `save()`, from a pipe", "piped.npy",
         npy_bytes([x for row in POINTS for x in row], (6, 2)), MIXTURE, TWO, pipe=True,
         like="points.csv"),
    Case("NumPy, `savetxt()`", "savetxt.txt", points(" ", None, form="{:.18e}"), MIXTURE, TWO,
         like="points.csv"),
    Case("NumPy, `savetxt(header=\"x y\")`", "savetxt-header.txt", points(" ", "# x y"), MIXTURE,
         TWO, like="points.csv"),
    Case("Excel in German: semicolons, decimal commas", "points-de.csv",
         BOM + points(";", end="\r\n", decimal=","), MIXTURE, refused=("--decimal comma",),
         reads=["--decimal", "comma"], then=TWO, like="points.csv"),
    Case("R, `write.csv2()` without names: `1,5;2,25`", "points-csv2.csv",
         points(";", None, decimal=","), MIXTURE, refused=("--separator", "--decimal"),
         reads=["--separator", "semicolon", "--decimal", "comma"], then=TWO, like="points.csv"),
    Case("R, `write.csv()`: names of rows", "points-rows.csv",
         numbered_points('"","x","y"', 1, quote='"'), MIXTURE, refused=("--drop-columns 1",),
         reads=["--drop-columns", "1"], then=TWO, like="points.csv"),
    Case("R, `write.table()`: a header that is one field short", "points-table.txt",
         numbered_points('"x" "y"', 1, " ", '"'), MIXTURE, refused=("--drop-columns 1",),
         reads=["--drop-columns", "1"], then=TWO, like="points.csv"),
    Case("pandas, `to_csv()`: a saved index", "points-index.csv", numbered_points(",x,y"), MIXTURE,
         refused=("--drop-columns 1",), reads=["--drop-columns", "1"], then=TWO,
         like="points.csv"),
    Case("pandas, `to_csv(sep=\"\\t\")`: a saved index", "points-index.tsv",
         numbered_points("\tx\ty", separator="\t"), MIXTURE, refused=("--drop-columns 1",),
         reads=["--drop-columns", "1"], then=TWO, like="points.csv"),
    Case("pandas, `to_csv(header=False)`: an index", "points-bare-index.csv",
         numbered_points(None), MIXTURE, refused=("--drop-columns 1", "counts"),
         reads=["--drop-columns", "1"], then=TWO, like="points.csv"),
    Case("a first column that counts and is meant", "time.csv", numbered_points("t,x,y"), MIXTURE,
         refused=("--drop-columns none",), reads=["--drop-columns", "none"],
         then={"input.records": 6, "input.dim": 3}),
    Case("pandas, columns without names: `0,1`", "points-numbers.csv", points(header="0,1"),
         MIXTURE, refused=("--header yes",), reads=["--header", "yes"], then=TWO,
         like="points.csv"),
    Case("pandas, columns called by years", "years.csv", points(header="x,2020"), MIXTURE,
         refused=("--header yes", ":1"), reads=["--header", "yes"], then=TWO, like="points.csv"),
    Case("scikit-learn's iris: a column of text", "iris.csv",
         text("x,y,species", *(f"{x},{y},setosa" for x, y in POINTS)), MIXTURE,
         refused=("--drop-columns 3", "setosa"), reads=["--drop-columns", "species"], then=TWO,
         like="points.csv"),
    Case("old Macintosh: CR alone", "mac.csv", points(end="\r"), MIXTURE, refused=("CR", "LF")),
    Case("R, a missing value: `NA`", "na.csv", points().replace(b"-1.5", b"NA"), MIXTURE,
         refused=("NA", "not a number", ":4")),
]

# ---- documents ----

TOPICS = ["topics", "-k", "1", "--top", "3"]
TEXTS = ["red apple, green apple", "green pear and red pear", "a red apple and a pear",
         "green apple juice", "pear juice and red juice"]
IDS = ["d1", "d2", "d3", "d4", "d5"]
FIVE = {"input.documents": 5, "input.words": 6}
COUNTS = [{1: 1, 2: 2}, {1: 1, 3: 2}, {2: 1, 4: 1}, {3: 3, 4: 2}]  # words from 1 to 4
NUMBERS = {"input.documents": 4, "input.words": 4}
VOCAB = {"vocab.txt": text("apple", "pear", "fig", "plum")}


def table(separator=",", header="id{0}text", end="\n", texts=TEXTS):
    rows = [f'{name}{separator}"{words}"' for name, words in zip(IDS, texts)]
    return text(*([header.format(separator)] if header else []), *rows, end=end)


def entries(first=1, value="{}"):
    return [f"{n + first} {w - 1 + first} {value.format(c)}" for n, document in enumerate(COUNTS)
            for w, c in document.items()]


def pairs(front, first, value="{}"):
    return text(*(" ".join([front(document)] + [f"{w - 1 + first}:{value.format(c)}"
                                                for w, c in document.items()])
                  for document in COUNTS))


def svmlight(first, value="{}"):
    return pairs(lambda _: "0", first, value)


def lda_c(first=0):
    return pairs(lambda document: str(len(document)), first)


BY_TEXT = [*TOPICS, "--text-column", "text"]
VOCABULARY = [*TOPICS, "--vocab", "vocab.txt"]
SAME_WORDS = {"vocab.txt": ["apple", "pear", "fig", "plum"]}

DOCUMENTS = [
    Case("text, one document a line", "plain.txt", text(*TEXTS), TOPICS, FIVE),
    Case("Windows Notepad: byte-order mark, CRLF", "notepad.txt", BOM + text(*TEXTS, end="\r\n"),
         TOPICS, FIVE, like="plain.txt"),
    Case("pandas, `to_csv(index=False)`: columns", "documents.csv", table(), TOPICS,
         refused=("--text-column",), reads=["--text-column", "text", "--id-column", "id"],
         then=FIVE, lines={"documents.txt": IDS}, like="plain.txt"),
    Case("Excel in German: semicolons, byte-order mark, CRLF", "documents-de.csv",
         BOM + table(";", end="\r\n"), BY_TEXT, FIVE, like="plain.txt"),
    Case("pandas, `to_csv(sep=\"\\t\")`", "documents.tsv", table("\t"), BY_TEXT, FIVE,
         like="plain.txt"),
    Case("pandas, texts with line breaks and quotes", "breaks.csv",
         table(texts=["red apple,\r\ngreen apple", 'green ""pear"" and\n\nred pear'] + TEXTS[2:]),
         BY_TEXT, FIVE, like="plain.txt"),
    Case("the same without a header", "no-header.csv", table(header=None),
         [*TOPICS, "--text-column", "2"], refused=("--header",), reads=["--header", "no"],
         then=FIVE, like="plain.txt"),
    Case("the number of the column, with a header", "numbered.csv", table(),
         [*TOPICS, "--text-column", "2"], refused=("--header",), reads=["--header", "yes"],
         then=FIVE, like="plain.txt"),
    Case("a column that is not there", "other.csv", table(header="id,body"), BY_TEXT,
         refused=("--text-column", "text")),
    Case("a quote that is never closed", "open.csv", table().replace(b'juice"', b"juice"), BY_TEXT,
         refused=("quote", ":5")),
    Case("gensim, `LowCorpus`: the first line counts the documents", "low.txt",
         text("5", *TEXTS), TOPICS, refused=("--header yes",), reads=["--header", "yes"],
         then=FIVE, like="plain.txt"),
    Case("UCI, `docword.txt`", "docword.txt", text("4", "4", "8", *entries()), VOCABULARY, NUMBERS,
         also=VOCAB, lines=SAME_WORDS),
    Case("gensim, `UciCorpus`: padded header", "docword.uci.txt",
         text(*(f"{n:<20}" for n in (4, 4, 8)), *entries()), VOCABULARY, NUMBERS, also=VOCAB,
         lines=SAME_WORDS, like="docword.txt"),
    Case("numbers from 0 in a `docword` file", "docword.zero.txt",
         text("4", "4", "8", *entries(0)), VOCABULARY, refused=("--index-base 0",), also=VOCAB,
         reads=["--index-base", "0"], then=NUMBERS, lines=SAME_WORDS, like="docword.txt"),
    Case("gensim, `MmCorpus`", "corpus.mm",
         text("%%MatrixMarket matrix coordinate real general", "4 4 8" + " " * 40, *entries()),
         VOCABULARY, NUMBERS, also=VOCAB, lines=SAME_WORDS, like="docword.txt"),
    Case("SciPy, `mmwrite()` of a `CountVectorizer` matrix", "counts.mtx",
         text("%%MatrixMarket matrix coordinate integer general", "%", "4 4 8", *entries()),
         VOCABULARY, NUMBERS, also=VOCAB, lines=SAME_WORDS, like="docword.txt"),
    Case("SciPy, `mmwrite()` of floats", "floats.mtx",
         text("%%MatrixMarket matrix coordinate real general", "%", "4 4 8",
              *entries(value="{}.0000000000000000e+00")), VOCABULARY, NUMBERS, also=VOCAB,
         lines=SAME_WORDS, like="docword.txt"),
    Case("scikit-learn, `TfidfVectorizer`: weights, not counts", "tfidf.mtx",
         text("%%MatrixMarket matrix coordinate real general", "%", "4 4 8",
              *entries(value="0.{}5")), VOCABULARY, also=VOCAB, refused=("count", "whole")),
    Case("gensim, `SvmLightCorpus`: numbers from 1", "corpus.svmlight", svmlight(1, "{}.0"),
         VOCABULARY, NUMBERS, also=VOCAB, lines=SAME_WORDS, like="docword.txt"),
    Case("scikit-learn, `dump_svmlight_file()`: numbers from 0", "sklearn.svmlight", svmlight(0),
         VOCABULARY, also=VOCAB, refused=("--index-base 0", ":1"), reads=["--index-base", "0"],
         then=NUMBERS, lines=SAME_WORDS, like="docword.txt"),
    Case("the same where no document has word 0: the vocabulary is too large", "shifted.svmlight",
         text("0 1:2 2:1", "0 2:2 3:2", "0 1:1 3:1"), VOCABULARY, also=VOCAB,
         refused=("--vocab", "--index-base 0"), reads=["--index-base", "0"],
         then={"input.documents": 3, "input.words": 4}, lines=SAME_WORDS),
    Case("gensim, `BleiCorpus`: LDA-C, numbers from 0", "corpus.ldac", lda_c(), VOCABULARY, NUMBERS,
         also=VOCAB, lines=SAME_WORDS, like="docword.txt"),
    Case("LDA-C with numbers from 1", "one.ldac", lda_c(1), VOCABULARY, also=VOCAB,
         refused=("vocabulary", "--index-base 1"), reads=["--index-base", "1"], then=NUMBERS,
         lines=SAME_WORDS, like="docword.txt"),
    Case("LDA-C, a vocabulary that is too small", "small.ldac", lda_c(), VOCABULARY,
         also={"vocab.txt": text("apple", "pear")}, refused=("vocabulary", "small.ldac")),
    Case("MatrixMarket, a vocabulary of another size", "other.mtx",
         text("%%MatrixMarket matrix coordinate integer general", "4 4 8", *entries()), VOCABULARY,
         also={"vocab.txt": text("apple", "pear", "fig", "plum", "yew")}, refused=("--vocab",)),
    Case("gensim, `Dictionary.save_as_text()` for a vocabulary", "dictionary.ldac", lda_c(),
         VOCABULARY, also={"vocab.txt": text("4", "0\tapple\t2", "1\tpear\t2")},
         refused=("vocab.txt", "tab", "one word a line")),
    Case("numbers without a vocabulary, `--min-df 2`: words keep their numbers", "rare.ldac",
         text("2 0:1 4:2", "2 4:1 7:1", "3 2:1 4:1 7:2", "2 2:1 7:1"), [*TOPICS, "--min-df", "2"],
         {"input.documents": 4, "input.words": 3}, lines={"vocab.txt": ["#2", "#4", "#7"]}),
    Case("R or Excel on Windows: Latin-1", "latin1.txt",
         text(*TEXTS).replace(b"juice", b"cr\xe8me"), TOPICS, refused=("UTF-8", "--format text"),
         reads=["--format", "text"], then={"input.documents": 5}),
    Case("text in UTF-16", "utf16-documents.txt", text(*TEXTS).decode().encode("utf-16"), TOPICS,
         refused=("UTF-16", "UTF-8")),
]

# ---- the same in private runs: nothing is guessed ----

PRIVATE = ["--epsilon", "1", "--delta", "1e-6"]
PRIVATE_TOPICS = ["topics", "-k", "1", *PRIVATE, "--insecure-seed", "1", "--vocab", "vocab.txt"]
FRUIT = {"vocab.txt": text("red", "green", "apple", "pear", "juice")}
HIDDEN = "cannot be read"

MANY = {"input.documents": 2000}


def many(separator=","):
    rows = [f'{n}{separator}"{TEXTS[n % len(TEXTS)]}"' for n in range(2000)]
    return text(f"id{separator}text", *rows)


PRIVATE_FILES = [
    Case("documents in columns", "private.csv", many(), PRIVATE_TOPICS,
         also=FRUIT, refused=("--text-column",), reads=["--text-column", "text"],
         then=MANY),
    Case("documents in columns, by number", "private-number.csv", many(),
         [*PRIVATE_TOPICS, "--text-column", "2"], also=FRUIT, refused=("--header",),
         reads=["--header", "yes"],
         then=MANY),
    Case("semicolons between the columns", "private-semicolon.csv", many(";"),
         [*PRIVATE_TOPICS, "--text-column", "text"], also=FRUIT, refused=("--text-column",),
         reads=["--separator", "semicolon"], then=MANY),
    Case("names of documents are not released", "private-ids.csv", many(),
         [*PRIVATE_TOPICS, "--text-column", "text", "--id-column", "id"],
         also=FRUIT, refused=("--id-column", "--epsilon")),
    Case("numbers from 0: the line is not named", "private.svmlight", svmlight(0),
         PRIVATE_TOPICS, also=VOCAB, refused=(HIDDEN,),
         reads=["--index-base", "0"], then={"input.documents": 4}),
    Case("ratings with semicolons and decimal commas", "private-de.csv",
         ratings(";", decimal=","),
         ["complete", "--rank", "1", "--range", "1:5", "--epsilon", "5", "--insecure-seed", "1",
          "--separator", "semicolon"], refused=(HIDDEN,), reads=["--decimal", "comma"],
         then={"input.entries": 6}),
    Case("ratings with a column for each item: nothing is said about records", "private-wide.csv",
         text("user,tea,rye,fig", "ann,4.5,2,", "bob,3.5,,1"),
         ["complete", "--rank", "1", "--range", "1:5", "--epsilon", "5", "--insecure-seed", "1"],
         refused=("--columns",)),
    Case("the same with a header that was declared", "private-wide-2.csv",
         text("user,tea,rye,fig", "ann,4.5,2,", "bob,3.5,,1"),
         ["complete", "--rank", "1", "--range", "1:5", "--epsilon", "5", "--insecure-seed", "1",
          "--header", "yes"],
         refused=("--columns", "wide table", "user,item,value")),
    Case("the same with many items", "private-wide-40.csv",
         text("user," + ",".join(f"i{n}" for n in range(40)), "ann,4.5" + "," * 39),
         ["complete", "--rank", "1", "--range", "1:5", "--epsilon", "5", "--insecure-seed", "1"],
         refused=(HIDDEN,)),
    Case("the same with many items and a header that was declared", "private-wide-41.csv",
         text("user," + ",".join(f"i{n}" for n in range(40)), "ann,4.5" + "," * 39),
         ["complete", "--rank", "1", "--range", "1:5", "--epsilon", "5", "--insecure-seed", "1",
          "--header", "yes"],
         refused=("--columns", "41 fields", "wide table")),
    Case("points from a pipe", "private-piped.npy",
         npy_bytes([x for row in POINTS for x in row], (6, 2)),
         ["mixture", "-k", "1", "--epsilon", "1", "--delta", "1e-6", "--max-norm", "9",
          "--insecure-seed", "1"], {"input.records": 6, "input.dim": 2}, pipe=True),
    Case("points with a saved index", "private-points.csv", numbered_points(",x,y"),
         ["mixture", "-k", "1", "--epsilon", "1", "--delta", "1e-6", "--max-norm", "9",
          "--insecure-seed", "1", "--header", "yes", "--drop-columns", "1"],
         {"input.records": 6, "input.dim": 2}),
]

KINDS = [("Ratings: `sotto complete`", RATINGS), ("Tensors: `sotto decompose`", TENSORS),
         ("Points: `sotto mixture`, `sotto stream`", POINT_FILES),
         ("Documents: `sotto topics`", DOCUMENTS), ("Private runs", PRIVATE_FILES)]
CASES = [case for _, cases in KINDS for case in cases]


def number_at(result, path):
    for key in path.split("."):
        result = result[key]
    return result


class DialectTest(ProgramTest):
    maxDiff = None
    plain = {}  # the arrays of the files that others are compared with, by the file's name

    def run_case(self, case, *more):
        """The folder of the result."""
        for name, data in {case.name: case.data, **case.also}.items():
            self.write(name, data)
        out = self.folder / f"out {case.name}"
        arguments = [case.command[0], "-" if case.pipe else case.name, *case.command[1:], *more]
        with open(self.folder / case.name, "rb") as data:
            source = subprocess.Popen(["cat"], stdin=data, stdout=subprocess.PIPE)
            done = subprocess.run([PROGRAM, *arguments, "--out", str(out), "--json"],
                                  capture_output=True, text=True, cwd=self.folder,
                                  stdin=source.stdout, timeout=300)
            source.stdout.close()
            source.wait()
        self.assertIn(done.returncode, (0, 3), done.stderr)
        return out

    def check_read(self, case, expected, *more):
        out = self.run_case(case, *more)
        result = json.loads((out / "result.json").read_text())
        for path, value in expected.items():
            self.assertEqual(number_at(result, path), value, path)
        for name, lines in (case.lines or {}).items():
            self.assertEqual((out / name).read_text().split("\n")[:-1], lines, name)
        if case.like:
            for name, array in self.arrays_of(case.like).items():
                self.assertEqual(read_npy(out / name), array, name)

    def arrays_of(self, name):
        if name not in self.plain:
            out = self.run_case(next(case for case in CASES if case.name == name))
            self.plain[name] = {path.name: read_npy(path) for path in sorted(out.glob("*.npy"))}
            self.assertTrue(self.plain[name])
        return self.plain[name]

    def check_refused(self, case):
        for name, data in {case.name: case.data, **case.also}.items():
            self.write(name, data)
        self.refuse(case.command[0], case.name, *case.command[1:], "--out", "nothing",
                    says=case.refused)
        if case.reads:
            self.check_read(case, case.then, *case.reads)

    def test_every_file_is_read_rightly_or_refused(self):
        for case in CASES:
            with self.subTest(case.name):
                if case.refused:
                    self.check_refused(case)
                else:
                    self.check_read(case, case.read)

    def test_new_data_may_be_of_another_dialect(self):
        by_name = {case.name: case for case in CASES}

        def apply(learnt, new, *options):
            model = self.run_case(by_name[learnt])
            for name, data in {new: by_name[new].data, **by_name[new].also}.items():
                self.write(name, data)
            out = self.folder / "applied"
            self.succeed("apply", model, new, "--out", out, "--force", *options)
            self.assertEqual(read_npy(out / "proportions.npy"),
                             read_npy(model / "proportions.npy"), new)
            return out

        out = apply("plain.txt", "documents.csv", "--text-column", "text", "--id-column", "id")
        self.assertEqual((out / "documents.txt").read_text().split(), IDS)
        apply("documents-de.csv", "documents.tsv")  # the column of the training run
        apply("docword.txt", "sklearn.svmlight", "--index-base", "0")
        apply("rare.ldac", "rare.ldac")  # words without names, some left out
        apply("points.csv", "points-index.csv", "--drop-columns", "1")
        apply("points.csv", "points-de.csv", "--decimal", "comma")
        self.refuse("apply", self.folder / "out points.csv", "points-index.csv", "--out", "nothing",
                    says="--drop-columns 1")

    def test_there_are_many_and_none_twice(self):
        self.assertGreaterEqual(len(CASES), 60)
        self.assertEqual(len({case.name for case in CASES}), len(CASES))
        for case in CASES:
            self.assertEqual(bool(case.refused), case.read is None, case.name)

    def test_the_table_is_current(self):
        self.assertEqual(TABLE.read_text(), document(), "run: python3 tests/e2e/test_dialects.py "
                         "build/release/sotto --write")


# ---- the document ----

INTRODUCTION = """# Input as people have it

This page shows what happens to files as other programs write them. A file is read correctly, or it
is refused in one line, with exit code 2, and that line names the option that reads it. The test
that runs every one of these files writes the table (`tests/e2e/test_dialects.py`).

These rules hold for every text:

- A byte-order mark is left out, and lines may end in LF or CRLF.
- A quoted field may hold separators, doubled quotes and line breaks.
- A header never becomes data. If a first line may be either, `--header` decides.
- A saved index is recognised by its empty name, or because it counts the lines. It is refused:
  `--columns` or `--drop-columns` leaves it out.
- `--separator` and `--decimal comma` read other separators and decimal commas. A separator is
  recognised by the first line; a decimal comma is not.
- `--index-base` says whether a sparse file counts from 0 or from 1.
- ISO dates are a time, for `--time-mode`. They never become a mode that nobody asked for.

**A private run recognises nothing by what is in its records.** Format, separator, header, columns
and the first index come from options, from the name of the file, or from a header that names the
value of ratings. No message quotes a record. A quoted field of ratings must end on its own line.
"""


def cell(words):
    return words.replace("|", "\\|")


def outcome(case):
    if not case.refused:
        return "read"
    if not case.reads:
        return "refused; the line says what to change"
    return f"refused; read with `{cell(' '.join(case.reads))}`"


def document():
    parts = [INTRODUCTION]
    for title, cases in KINDS:
        parts.append(f"\n## {title}\n\n| file | made by | what happens |\n|---|---|---|\n")
        for case in cases:
            said = " ".join(case.command[1:]) if case.command not in (
                COMPLETE, CP, MIXTURE, TOPICS, VOCABULARY, PRIVATE_TOPICS) else ""
            for usual in (COMPLETE, TOPICS, PRIVATE_TOPICS):
                if case.command[:len(usual)] == usual:
                    said = " ".join(case.command[len(usual):])
            given = f", with `{cell(said)}`" if said and case.command not in (VOCABULARY,) else ""
            parts.append(f"| `{case.name}` | {cell(case.made_by)}{given} | {outcome(case)} |\n")
    read = sum(not case.refused for case in CASES)
    helped = sum(bool(case.refused and case.reads) for case in CASES)
    parts.append(f"\nOf {len(CASES)} files, {read} are read as they are, {helped} are refused with "
                 f"the option that reads them,\nand {len(CASES) - read - helped} are refused "
                 "because they have to be changed.\n")
    return "".join(parts)


if __name__ == "__main__":
    if "--write" in sys.argv:
        TABLE.write_text(document())
    else:
        unittest.main(argv=sys.argv[:1])
