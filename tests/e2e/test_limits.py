"""docs/limits.md: what is taken at each limit and refused beyond it, and that its tests exist."""
import gzip
import os
import pathlib
import re
import unittest

from sotto_cli import ProgramTest, limit_memory, limit_processor, main, npy_bytes

ROOT = pathlib.Path(__file__).resolve().parents[2]
SLOW = os.environ.get("SOTTO_SLOW") == "1"


class Limits(ProgramTest):
    def takes(self, *arguments):
        done = self.sotto(*arguments)
        self.assertIn(done.returncode, (0, 3), (arguments, done.stderr))

    def takes_little(self, *arguments):
        """Takes it in 1 GB and some seconds of processor time, whatever else the machine does."""
        def limit():
            limit_memory(1 << 30)
            limit_processor(20)
        done = self.sotto(*arguments, "--threads", 1, before=limit)
        self.assertIn(done.returncode, (0, 3), (arguments, done.stderr))

    def array(self, shape, name="a.npy"):
        count = 1
        for rows in shape:
            count *= rows
        return self.write(name, npy_bytes([1 + (n * 7 % 11) for n in range(count)], shape))

    def test_order_of_a_tensor(self):
        self.takes("decompose", self.array([2] * 8), "-k", 1, "--method", "cp")
        self.refuse("decompose", self.array([2] * 9), "-k", 1, says="1 to 8 dimensions, got 9")
        self.refuse("decompose", self.array([2] * 5), "-k", 1, "--method", "power", says="order")

    def test_order_of_ratings(self):
        def entries(order):
            return "".join(" ".join(str(1 + (n >> bit) % 2) for bit in range(order)) +
                           f" {1 + n % 5}\n" for n in range(2 ** order))
        self.takes("complete", self.write("r.tns", entries(5)), "-r", 1)
        self.refuse("complete", self.write("r.tns", entries(6)), "-r", 1, says="r.tns")

    def test_number_of_a_row(self):
        self.takes("complete", self.write("r.tns", "1 2147483647 2\n2 5 1\n2 2147483647 3\n"), "-r", 1)
        self.refuse("complete", self.write("r.tns", "1 2147483648 2\n2 5 1\n"), "-r", 1,
                    says="index 2147483648 is not between")
        self.refuse("topics", self.write("c.txt", "2147483648\n4\n1\n1 1 1\n"), "-k", 1,
                    says="number of documents 2147483648 is not between")
        self.refuse("topics", self.write("c.txt", "4\n2147483648\n1\n1 1 1\n"), "-k", 1,
                    says="2147483648 is not between")

    def test_rows_that_are_only_claimed(self):
        packed = self.folder / "c.txt.gz"
        for documents, is_taken in (2 ** 15 + 4, True), (2 ** 15 + 5, False):
            packed.write_bytes(gzip.compress(f"{documents}\n4\n1\n1 1 3\n".encode()))
            done = self.sotto("topics", packed, "-k", 1)
            self.assertEqual("is the header right" not in done.stderr, is_taken, done.stderr)

    def test_public_numbers(self):
        for number, is_taken in ("9.99e74", True), ("-9.99e74", True), ("1e75", False), \
                ("-1e75", False):
            points = self.write("p.csv", f"{number},1\n2,3\n4,6\n1,1\n")
            done = self.sotto("mixture", points, "-k", 1)
            self.assertEqual(done.returncode == 0, is_taken, (number, done.stderr))

    def test_line_of_ratings(self):
        for length, is_taken in (2 ** 20 - 1, True), (2 ** 20, False):
            ratings = self.write("r.csv", "user,item,rating\n" + "a" * (length - 4) + ",x,1\nb,y,2\n"
                                 "b,x,3\n")
            done = self.sotto("complete", ratings, "-r", 1)
            self.assertEqual(done.returncode in (0, 3), is_taken, (length, done.stderr[:300]))

    def test_fields_of_a_line_of_ratings(self):
        for more, is_taken in (13, True), (14, False):
            rows = [["user", "item", "rating"] + ["more"] * more] + [
                [user, item, str(n + 1)] + ["0"] * more
                for n, (user, item) in enumerate([("a", "x"), ("a", "y"), ("b", "x")])]
            ratings = self.write("r.csv", "".join(",".join(row) + "\n" for row in rows))
            done = self.sotto("complete", ratings, "-r", 1, "--columns",
                              ",".join(["user", "item", "value"] + ["-"] * more))
            self.assertEqual(done.returncode in (0, 3), is_taken, (more, done.stderr))

    def test_dimension_of_points_with_moments(self):
        dim = 2 ** 15 + 1
        points = self.write("p.txt", f"{dim + 1}\n{dim}\n{dim + 1}\n" + "".join(
            f"{record} {1 + record % dim} 1\n" for record in range(1, dim + 2)))
        # A covariance of 8 GB is never made: a sparse file takes what is in it.
        self.takes_little("mixture", points, "-k", 1, "--format", "uci")
        self.refuse("mixture", points, "-k", 1, "--format", "uci", "--epsilon", 1, "--delta", "1e-6",
                    "--max-norm", 1,
                    says="has 32769 dimensions; second moments are released up to 32768")
        # What has fewer points than dimensions is refused before its moments are taken.
        self.refuse("mixture", self.write("p.csv", f"{','.join('1' * dim)}\n" * 3), "-k", 1,
                    says="too few points")

    def test_wide_sparse_points(self):
        """100 KB whose covariance would have 64 million numbers."""
        dim = 8000
        points = self.write("p.svm", "".join(
            f"0 {1 + record % 2}:9 {3 + record % (dim - 2)}:1\n" for record in range(dim + 100)))
        for options in ((), ("--covariance", "spherical", "--refine", 3),
                        ("--covariance", "diagonal", "--refine", 3)):
            self.takes_little("mixture", points, "-k", 2, *options)
        self.refuse("mixture", points, "-k", 2, "--covariance", "full",
                    says="full covariances are found in up to 1024 dimensions, the points have 8000")

    def test_rows_and_items_of_a_private_completion(self):
        private = "--range", "1:5", "--epsilon", 1, "--delta", "1e-6"
        ratings = self.write("r.tns", f"sptensor\n2\n9 {2 ** 24 + 1}\n2\n1 1 1\n2 1 1\n")
        self.refuse("complete", ratings, *private, says="16777217 rows")
        if SLOW:
            users = self.write("u.csv", "user,item,rating\na,1,2\nb,2,3\n")
            items = self.write("items.txt", "".join(f"{n}\n" for n in range(2 ** 22 + 1)))
            self.refuse("complete", users, "--unit", "user", "--items", items, *private,
                        says="1 to 4194304 items are allowed, got 4194305")

    def test_rank(self):
        ratings = self.write("r.csv", "user,item,rating\na,x,1\nb,y,2\nb,x,3\n")
        self.takes("complete", ratings, "-r", 64)
        self.refuse("complete", ratings, "-r", 65, says="rank")

    def test_threads(self):
        points = self.write("p.csv", "2,3\n4,6\n1,1\n")
        self.refuse("mixture", points, "-k", 1, "--threads", 4097, says="threads")
        self.takes("mixture", points, "-k", 1, "--threads", 4096 if SLOW else 64)

    @unittest.skipUnless(SLOW, "reads five gigabytes")
    def test_a_file_of_more_than_four_gigabytes(self):
        path = self.folder / "hole.f8"  # most of which takes no room
        records, dim = 5 * 2 ** 20, 128
        with open(path, "wb") as file:
            file.truncate(8 * dim * records)
            file.seek(8 * dim * (records - 3))
            file.write(npy_bytes([1.0] * 3 * dim, (3, dim))[-3 * 8 * dim:])
        found = self.result("stream", path, "-k", 1, "--dim", dim, "--dtype", "f8", "-R", 1, "-L", 1,
                            "--batch", records // 2)
        self.assertEqual(found["diagnostics"]["points_read"], records)
        self.assertGreater(found["weights"][0], 0)


class Documented(unittest.TestCase):
    def test_every_limit_names_a_test_that_there_is(self):
        table = (ROOT / "docs" / "limits.md").read_text().split("\n\n")
        (rows,) = [part.splitlines()[2:] for part in table if part.startswith("| what | limit |")]
        self.assertGreater(len(rows), 15)
        for row in rows:
            tests = re.findall(r"`([^`]+)`", row.rstrip("| ").rsplit("|", 1)[1])
            self.assertTrue(tests or "| none: " in row, row)
            for test in tests:
                self.assertTrue(self.exists(test), (row, test))

    @staticmethod
    def exists(test):
        if test.startswith("test_"):  # test_faults.runs_into_one_folder_do_not_mix
            file, method = test.split(".")
            text = (ROOT / "tests" / "e2e" / f"{file}.py").read_text()
            return f"def test_{method}(" in text
        suite, name = test.split(".")  # Npy.reads_fortran_order
        wanted = re.compile(rf"TEST(_F)?\({suite}, {name}\)")
        return any(wanted.search(path.read_text()) for path in (ROOT / "sotto").rglob("*_test.cc"))


if __name__ == "__main__":
    main()
