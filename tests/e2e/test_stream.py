"""sotto stream and sotto generate points, as a user sees them."""
import json
import math
import os
import struct
import subprocess
import time

from sotto_cli import PROGRAM, ProgramTest, main, npy_bytes, read_npy

DIM, COMPONENTS, RECORDS = 20, 3, 66000


class Stream(ProgramTest):
    def generate(self, name, *arguments, records=RECORDS):
        out = self.folder / name
        self.succeed("generate", "points", "-d", DIM, "-k", COMPONENTS, "-n", records, "--out", out,
                     "--centred", *arguments)
        return out

    def raw(self, *arguments, records=RECORDS):
        done = subprocess.run([PROGRAM, "generate", "points", "-d", str(DIM), "-k",
                               str(COMPONENTS), "-n", str(records), "--centred", "--raw",
                               *arguments], capture_output=True, check=True)
        self.assertEqual(done.stderr, b"")
        return done.stdout

    def pipe(self, data, *arguments):
        return subprocess.run([PROGRAM, "stream", "-", *map(str, arguments)], input=data,
                              capture_output=True, cwd=self.folder, timeout=300)

    def distance(self, found, truth):
        """The largest |v - v^| over the true vectors, each against the nearest found one."""
        (d, k), a = read_npy(found / "vectors.npy")
        (_, true_k), b = read_npy(truth / "vectors.npy")
        cosines = [[abs(sum(a[k * i + j] * b[true_k * i + m] for i in range(d)))
                    for j in range(k)] for m in range(true_k)]
        return max(math.sqrt(max(0.0, 2 - 2 * max(row))) for row in cosines)

    def test_finds_the_components_of_a_file(self):
        made = self.generate("made")
        truth = json.loads((made / "result.json").read_text())
        self.assertAlmostEqual(sum(truth["weights"]), 1)
        self.assertEqual(read_npy(made / "points.npy")[0], (RECORDS, DIM))
        for method, answers in ("power", 33), ("simultaneous", 11):
            out = self.folder / method
            found = self.result("stream", made / "points.npy", "-k", 3, "-R", 10, "--method",
                                method, "--out", out)
            self.assertEqual(found, json.loads((out / "result.json").read_text()))
            self.assertEqual(found["input"], {"dim": DIM, "records": RECORDS})
            self.assertIsNone(found["privacy"])
            self.assertEqual(found["diagnostics"]["status"], "completed")
            self.assertEqual(found["diagnostics"]["answers"], answers)
            self.assertEqual(found["diagnostics"]["batch"], RECORDS // answers)
            self.assertEqual(found["diagnostics"]["points_read"], RECORDS // answers * answers)
            self.assertLess(self.distance(out, made), 0.1)
            self.check_span(found, out, made)
            for a, b in zip(truth["weights"], found["weights"]):
                self.assertAlmostEqual(a, b, delta=0.15)

    def check_span(self, found, out, made):
        """The share of the squared length that the components span, by normal equations."""
        (d, k), v = read_npy(out / "vectors.npy")
        _, points = read_npy(made / "points.npy")
        columns = []
        for j in range(k):  # an orthonormal basis
            column = [v[k * i + j] for i in range(d)]
            for other in columns:
                inner = sum(a * b for a, b in zip(column, other))
                column = [a - inner * b for a, b in zip(column, other)]
            norm = math.sqrt(sum(a * a for a in column))
            columns.append([a / norm for a in column])
        self.assertEqual(found["diagnostics"]["spanned_records"], RECORDS)
        inside = whole = 0
        for n in range(0, RECORDS, 50):
            x = points[d * n:d * (n + 1)]
            whole += sum(a * a for a in x)
            inside += sum(sum(a * b for a, b in zip(x, c))**2 for c in columns)
        self.assertAlmostEqual(found["spanned"], inside / whole, delta=0.05)
        page = (out / "report.html").read_text()
        self.assertLess(page.index("How well it fits"), page.index("What was computed"))

    def test_names_of_columns_are_shown_and_kept(self):
        self.generate("made")
        _, points = read_npy(self.folder / "made" / "points.npy")
        names = [f"stone {j}" for j in range(DIM)]
        table = self.write("points.csv", "\n".join(
            [",".join(names)] +
            [",".join(map(repr, points[DIM * n:DIM * (n + 1)])) for n in range(2000)]) + "\n")
        out = self.folder / "named"
        found = self.result("stream", table, "-k", 1, "-R", 3, "--batch", 100, "--out", out)
        self.assertEqual((out / "columns.txt").read_text().splitlines(), names)
        entries = found["largest_entries"]["vectors"][0]
        self.assertEqual(entries["label"], [names[i] for i in entries["index"]])
        self.assertIn(entries["label"][0], (out / "report.html").read_text())
        self.succeed("apply", out, table, "--out", "same")
        other = self.write("other.csv", table.read_text().replace("stone 2,", "stone two,", 1))
        self.refuse("apply", out, other, "--out", "no", says=["other.csv", "stone two", "stone 2"])
        # A private run does not publish the words of its file.
        private = self.folder / "private"
        self.succeed("stream", table, "-k", 1, "-R", 3, "--header", "yes", "--batch", 100,
                     "--epsilon", 1, "--delta", 1e-6, "--max-norm", 5, "--out", private)
        self.assertFalse((private / "columns.txt").exists())
        for path in private.iterdir():
            self.assertFalse(b"stone" in path.read_bytes(), path.name)

    def test_a_pipe_a_file_and_text_give_the_same_answer(self):
        made = self.generate("made", records=3300)
        data = self.raw(records=3300)
        values = struct.unpack(f"={3300 * DIM}d", data)
        rows = [values[DIM * i:DIM * (i + 1)] for i in range(3300)]
        csv = "\n".join(",".join(map(repr, row)) for row in rows)
        svm = "\n".join("1 " + " ".join(f"{j + 1}:{x!r}" for j, x in enumerate(row))
                        for row in rows)
        options = "-k", 3, "-R", 10, "--batch", 100
        expected = self.result("stream", made / "points.npy", *options)["weights"]
        raw_options = "--dim", DIM, "--dtype", "f8", *options, "--json"
        for done in (self.pipe(data, *raw_options), self.pipe(csv.encode(), *options, "--json"),
                     self.pipe((made / "points.npy").read_bytes(), *options, "--json")):
            self.assertEqual(done.stderr, b"")
            self.assertEqual(json.loads(done.stdout)["weights"], expected)
        sparse = self.result("stream", self.write("p.svm", svm), *options)
        for a, b in zip(sparse["weights"], expected):
            self.assertAlmostEqual(a, b, places=10)

    def test_float_points(self):
        made = self.generate("made", "--dtype", "f4")
        self.succeed("stream", made / "points.npy", "-k", 3, "--out", self.folder / "out")
        self.assertLess(self.distance(self.folder / "out", made), 0.1)

    def test_same_answer_for_any_number_of_threads(self):
        made = self.generate("made")
        first = self.result("stream", made / "points.npy", "-k", 3, "--threads", 1)
        second = self.result("stream", made / "points.npy", "-k", 3, "--threads", 3)
        self.assertEqual(first["weights"], second["weights"])
        self.assertEqual(first["diagnostics"]["history"], second["diagnostics"]["history"])

    def test_a_stream_that_ends_early_says_what_it_needed(self):
        data = self.raw(records=1000)
        done = self.pipe(data, "-k", 3, "-R", 10, "--batch", 100, "--dim", DIM, "--dtype", "f8",
                         "--out", "out")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr.count(b"\n"), 1)
        for text in (b"standard input: ended after 1000 records", b"needs 3300 records",
                     b"33 answers from 100 each"):
            self.assertIn(text, done.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])
        cut = self.pipe(data[:-3], "-k", 1, "-R", 1, "--batch", 500, "--dim", DIM, "--dtype", "f8")
        self.assertIn(b"ends within record 1000, after 157 of 160 bytes", cut.stderr)

    def test_a_pipe_that_stays_open_does_not_hold_up_the_end(self):
        run = subprocess.Popen([PROGRAM, "stream", "-", "-k", "3", "-R", "10", "--batch", "500",
                                "--dim", str(DIM), "--dtype", "f8"], stdin=subprocess.PIPE,
                               stdout=subprocess.DEVNULL)
        self.addCleanup(run.kill)
        run.stdin.write(self.raw(records=33 * 500))
        run.stdin.flush()
        self.assertEqual(run.wait(timeout=60), 0)
        run.stdin.close()

    def test_passes_read_a_file_again(self):
        made = self.generate("made", records=6000)
        points = made / "points.npy"
        self.refuse("stream", points, "-k", 3, "-R", 10, "--batch", 1000,
                    says=("needs 33000 records", "it has 6000"))
        found = self.result("stream", points, "-k", 3, "-R", 10, "--batch", 1000, "--passes", 6)
        self.assertEqual(found["diagnostics"]["points_read"], 33000)
        whole = self.result("stream", points, "-k", 3, "-R", 10, "--passes", 33)
        self.assertEqual(whole["diagnostics"]["batch"], 6000)
        done = self.pipe(self.raw(records=100), "-k", 1, "--passes", 2, "--batch", 10, "--dim", DIM,
                         "--dtype", "f8")
        self.assertIn(b"--passes: standard input can be read only once", done.stderr)

    def test_refuses_what_cannot_be_done(self):
        points = self.write("p.csv", "1,2\n3,4\n5,6\n")
        self.refuse("stream", points, "-k", 3, says="cannot exceed the dimension 2")
        self.refuse("stream", points, "-k", 1, says="--batch: is needed")
        self.refuse("stream", points, "-k", 1, "--batch", 1, "--dim", 3, says="dimension 2, not 3")
        self.refuse("stream", points, "-k", 1, "--method", "alternating", says="--method")
        self.refuse("stream", "none.csv", "-k", 1, says="none.csv: cannot be opened")
        ragged = self.write("ragged.csv", "1,2\n3\n")
        self.refuse("stream", ragged, "-k", 1, "-R", 1, "--batch", 1, says="ragged.csv:2: has 1")
        nan = self.write("nan.npy", npy_bytes([1, 2, 3, float("nan")], (2, 2)))
        self.refuse("stream", nan, "-k", 1, "-R", 1, "--out", "out", says="nan.npy: record 2")
        self.refuse("generate", "points", says="--out")
        self.refuse("generate", "points", "--raw", "--json", says="--json")
        self.refuse("generate", "points", "-k", 51, "--out", "x", says="--components")

    def killed_run(self, data, answers, *arguments):
        """Feeds part of the data, waits until this many answers are stored, and kills the run."""
        checkpoint = self.folder / "run.ckpt"
        run = subprocess.Popen([PROGRAM, "stream", "-", *map(str, arguments)], cwd=self.folder,
                               stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        self.addCleanup(run.kill)
        run.stdin.write(data)
        run.stdin.flush()
        block = 8 * DIM * 16 + 96 + 16  # one answer: d x L numbers, their head, the frame
        deadline = time.monotonic() + 60
        while not checkpoint.exists() or checkpoint.stat().st_size < answers * block:
            self.assertLess(time.monotonic(), deadline, "no checkpoint came")
            time.sleep(0.01)
        run.kill()
        run.wait()
        run.stdin.close()

    def test_a_killed_run_resumes_to_the_same_answer(self):
        data = self.raw(records=33 * 500)
        options = ("-k", 3, "-R", 10, "-L", 16, "--batch", 500, "--dim", DIM, "--dtype", "f8",
                   "--checkpoint", "run.ckpt")
        self.assertEqual(self.pipe(data, *options, "--out", "whole").returncode, 0)
        self.assertFalse((self.folder / "run.ckpt").exists())
        # Killed after some answers, then again after more, then with a torn last record.
        row = 8 * DIM
        self.killed_run(data[:row * 500 * 10], 5, *options)
        self.killed_run(data[:row * 500 * 22], 15, *options)
        stored = (self.folder / "run.ckpt").read_bytes()
        self.write("run.ckpt", stored[:-7])
        other = self.pipe(data, *options, "--seed", 1)
        self.assertEqual(other.returncode, 2)
        self.assertIn(b"it has 'seed 0', this run has 'seed 1'", other.stderr)
        done = self.pipe(data, *options, "--out", "resumed", "--json")
        self.assertEqual(done.stderr, b"")
        found = json.loads(done.stdout)
        self.assertGreaterEqual(found["diagnostics"]["answers_from_checkpoint"], 13)
        whole = json.loads((self.folder / "whole" / "result.json").read_text())
        self.assertEqual(found["weights"], whole["weights"])
        self.assertEqual(found["diagnostics"]["history"], whole["diagnostics"]["history"])
        self.assertEqual((self.folder / "resumed" / "vectors.npy").read_bytes(),
                         (self.folder / "whole" / "vectors.npy").read_bytes())
        self.assertFalse((self.folder / "run.ckpt").exists())

    def test_memory_does_not_grow_with_the_records(self):
        def peak(records):
            make = subprocess.Popen([PROGRAM, "generate", "points", "-d", "100", "-k", "3", "-n",
                                     str(records), "--noise", "0", "--raw", "--dtype", "f4"],
                                    stdout=subprocess.PIPE)
            code = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True,"
                    "stdout=subprocess.DEVNULL);"
                    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
            done = subprocess.run(["python3", "-c", code, PROGRAM, "stream", "-", "--dim", "100",
                                   "--dtype", "f4", "-k", "1", "-R", "3", "--batch",
                                   str(records // 4)],
                                  stdin=make.stdout, capture_output=True, text=True, check=True,
                                  env=dict(os.environ, ASAN_OPTIONS="quarantine_size_mb=1"))
            make.stdout.close()
            make.wait()
            return int(done.stdout) / 1024
        small, large = peak(20000), peak(400000)
        self.assertLess(large, 150)
        self.assertLess(large, small + 20)  # 400000 records are 160 MB


if __name__ == "__main__":
    main()
