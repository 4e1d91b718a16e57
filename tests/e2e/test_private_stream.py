"""sotto stream --epsilon, as a user sees it."""
import gzip
import json
import math
import signal
import struct
import subprocess
import time

from sotto_cli import PROGRAM, ProgramTest, main, npy_bytes, read_npy

DIM, COMPONENTS, RECORDS = 12, 2, 60000
PRIVATE = ["--epsilon", 2, "--delta", "1e-6", "--max-norm", 1]
SEARCHED = ["--epsilon", 2, "--delta", "1e-6", "--norm-range", "0.001:1000"]
ORDER_FACT = "that the order of the records does not depend on what is in them"


def phi(x):
    return math.erfc(-x / math.sqrt(2)) / 2


def gdp_epsilon(mu, delta):
    low, high = 0.0, 100.0
    for _ in range(200):
        middle = (low + high) / 2
        d = phi(mu / 2 - middle / mu) - math.exp(middle) * phi(-mu / 2 - middle / mu)
        low, high = (low, middle) if d <= delta else (middle, high)
    return high


def replaced(options, name, value):
    """The options with another value for one of them."""
    options = list(options)
    options[options.index(name) + 1] = value
    return options


class PrivateStream(ProgramTest):
    def setUp(self):
        super().setUp()
        self.made = self.generate("points", "-d", DIM, "-k", COMPONENTS, "-n", RECORDS, "--max-norm",
                                  1, out="made")
        self.points = self.made / "points.npy"

    def test_finds_the_components_and_certifies(self):
        out = self.folder / "found"
        result = self.result("stream", self.points, "-k", COMPONENTS, *PRIVATE, "--out", out)
        _, truth = read_npy(self.made / "vectors.npy")
        _, vectors = read_npy(out / "vectors.npy")
        for m in range(COMPONENTS):
            cosines = [abs(sum(truth[COMPONENTS * i + m] * vectors[COMPONENTS * i + j]
                               for i in range(DIM))) for j in range(COMPONENTS)]
            self.assertGreater(max(cosines), 0.95)
        privacy = result["privacy"]
        self.assertEqual(privacy["guarantee"], "proved", privacy["why"])
        self.assertLessEqual(privacy["epsilon"], 2)
        self.assertEqual(privacy["unit"], "one record")
        # Chosen without reading the records: all components at once, 6 iterations and the weights.
        self.assertEqual(result["options"]["method"], "simultaneous")
        self.assertEqual(len(privacy["releases"]), result["options"]["iterations"] + 1)
        self.assertEqual({release["parallel"] for release in privacy["releases"]}, {1})
        self.assertNotIn("residuals", result["diagnostics"])

    def test_epsilon_follows_from_the_releases(self):
        privacy = self.result("stream", self.points, "-k", COMPONENTS, *PRIVATE)["privacy"]
        mu = max(release["cost"]["mu"] for release in privacy["releases"])
        for release in privacy["releases"]:
            self.assertAlmostEqual(release["cost"]["mu"] * release["noise"],
                                   release["sensitivity"], delta=1e-12 * release["sensitivity"])
        charge = max(release["precision"]["epsilon"] for release in privacy["releases"])
        epsilon = gdp_epsilon(mu, privacy["delta"]) + charge
        self.assertAlmostEqual(privacy["epsilon"], epsilon, delta=1e-7)

    def test_an_insecure_seed_repeats_and_certifies_nothing(self):
        runs = [self.result("stream", self.points, "-k", COMPONENTS, *PRIVATE, "--insecure-seed", 7)
                for _ in range(2)]
        self.assertEqual(runs[0]["weights"], runs[1]["weights"])
        self.assertEqual(runs[0]["privacy"]["guarantee"], "none")
        fresh = [self.result("stream", self.points, "-k", COMPONENTS, *PRIVATE)["weights"]
                 for _ in range(2)]
        self.assertNotEqual(fresh[0], fresh[1])

    def test_neighbours_leave_results_of_the_same_form(self):
        data = self.points.read_bytes()
        head = len(data) - 8 * DIM * RECORDS
        # One record becomes zero: in the chunk for the bound, in the first batch, and at the end.
        for options, place in (PRIVATE, 0), (PRIVATE, 59990), (SEARCHED, 0), (SEARCHED, 2000), \
                (SEARCHED, 59990):
            start = head + 8 * DIM * place
            other = self.write("other.npy", data[:start] + bytes(8 * DIM) + data[start + 8 * DIM:])
            forms = []
            for path in self.points, other:
                out = self.folder / f"{path.stem}{place}{len(options[-2])}"
                result = self.result("stream", path, "-k", COMPONENTS, *options, "--insecure-seed",
                                     7, "--out", out)
                diagnostics = result["diagnostics"]
                forms.append((sorted(result), sorted(diagnostics), diagnostics["iterations"],
                              diagnostics["points_read"], diagnostics["batch"],
                              [(r["what"], r["values"], r["mechanism"])
                               for r in result["privacy"]["releases"]],
                              sorted(f.name for f in out.iterdir()),
                              (out / "vectors.npy").stat().st_size))
            self.assertEqual(forms[0], forms[1])

    def test_a_bound_is_found_in_a_range(self):
        result = self.result("stream", self.points, "-k", COMPONENTS, *SEARCHED)
        self.assertGreater(result["diagnostics"]["max_norm"], 0.9)
        self.assertLess(result["diagnostics"]["max_norm"], 1.1)
        privacy = result["privacy"]
        self.assertEqual(privacy["guarantee"], "proved", privacy["why"])
        self.assertLessEqual(privacy["epsilon"], 2)
        self.assertEqual(privacy["releases"][0]["mechanism"], "exponential")
        self.assertLessEqual(privacy["releases"][0]["cost"]["epsilon"], 2)
        self.assertEqual({release["parallel"] for release in privacy["releases"]}, {1})
        self.assertIn("that records are clipped to a norm between 0.001 and 1000",
                      privacy["public"])
        # The larger of the two accounts, not their sum.
        mu = max(r["cost"]["mu"] for r in privacy["releases"][1:])
        self.assertAlmostEqual(privacy["epsilon"], gdp_epsilon(mu, 1e-6), delta=1e-6)
        text = self.succeed("stream", self.points, "-k", COMPONENTS, *SEARCHED)
        for count in r"\d+ (records|points)[^.;\n]* clipped", r"\d% [^.;\n]*clipped", "quantile":
            self.assertNotRegex(text, count)

    def test_a_plan_opens_no_file(self):
        public = ["--plan", "--dim", 50, "--records", 1000000, "--json"]
        plan = json.loads(self.succeed("stream", "missing.npy", "-k", 3, *PRIVATE, *public))
        settings, forecasts = plan["settings"], plan["forecasts"]
        self.assertEqual(settings["batch"], 1000000 // settings["answers"])
        self.assertNotIn("records_for_bound", settings)
        # 2/(n mu) times the spread of the block, at most the root of its number of columns.
        one = 2 * forecasts["noise_multiplier"] / settings["batch"]
        self.assertGreater(forecasts["noise"], one)
        self.assertLess(forecasts["noise"], one * math.sqrt(3 * settings["starts"]))
        searched = json.loads(self.succeed("stream", "-", "-k", 3, *SEARCHED, *public))
        self.assertEqual(searched["settings"]["records_for_bound"], 2000)
        given = json.loads(self.succeed("stream", "x", "-k", 3, *PRIVATE, *public, "-L", 9, "-R", 5,
                                        "--method", "power", "--batch", 1000))
        self.assertEqual([given["settings"][name] for name in
                          ("method", "starts", "iterations", "answers", "batch")],
                         ["power", 9, 5, 18, 1000])
        strong = json.loads(self.succeed("stream", "x", "-k", 3, *PRIVATE, *public, "--weight",
                                         forecasts["weight"]))
        self.assertAlmostEqual(strong["forecasts"]["epsilon"], 2, delta=0.001)
        self.refuse("stream", "missing.npy", "-k", 3, *PRIVATE, "--plan", says="missing.npy")
        text = self.write("points.csv", "0.1,0.2\n" * 10)
        self.refuse("stream", text, "-k", 1, *PRIVATE, "--plan", says="--records")

    def test_a_plan_reads_a_header_and_says_what_the_run_does(self):
        data = self.points.read_bytes()
        size = 8 * DIM * RECORDS
        bare = self.write("bare.npy", data[:-size] + b"\xff" * size)
        whole = self.succeed("stream", self.points, "-k", COMPONENTS, *SEARCHED, "--plan")
        # Records that a reader would refuse are not read.
        self.assertEqual(self.succeed("stream", bare, "-k", COMPONENTS, *SEARCHED, "--plan"),
                         whole)
        plan = json.loads(self.succeed("stream", bare, "-k", COMPONENTS, *SEARCHED, "--plan",
                                       "--json"))
        result = self.result("stream", self.points, "-k", COMPONENTS, *SEARCHED)
        settings = plan["settings"]
        self.assertEqual(settings["records"], result["diagnostics"]["points_read"])
        self.assertEqual(settings["batch"], result["diagnostics"]["batch"])
        self.assertEqual(settings["answers"], result["diagnostics"]["answers"])
        for name in "method", "starts", "iterations":
            self.assertEqual(settings[name], result["options"][name])
        made = [r["what"] for r in result["privacy"]["releases"]]
        self.assertEqual({what: made.count(what) for what in made},
                         {r["what"]: r["count"] for r in plan["releases"]})

    def killed_run(self, data, answers, columns, options):
        """Feeds part of the data, waits until this many answers are stored, and kills the run."""
        run = subprocess.Popen([PROGRAM, "stream", "-", *map(str, options)], cwd=self.folder,
                               stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        self.addCleanup(run.kill)
        run.stdin.write(data)
        run.stdin.flush()
        self.wait_for_answers(answers, columns)
        run.kill()
        run.wait()
        run.stdin.close()

    def wait_for_answers(self, answers, columns):
        checkpoint = self.folder / "run.ckpt"
        block = 8 * DIM * columns + 96 + 16  # one answer: d x L numbers, their head, the frame
        deadline = time.monotonic() + 120
        while not checkpoint.exists() or checkpoint.stat().st_size < answers * block:
            self.assertLess(time.monotonic(), deadline, "no checkpoint came")
            time.sleep(0.01)

    def pipe(self, data, *options):
        return subprocess.run([PROGRAM, "stream", "-", *map(str, options)], input=data,
                              capture_output=True, cwd=self.folder, timeout=300)

    def test_a_killed_run_goes_on_and_certifies_the_same(self):
        data = self.points.read_bytes()[-8 * DIM * RECORDS:]
        options = ["-k", COMPONENTS, "-R", 9, "-L", 4, "--batch", 3000, "--dim", DIM, "--dtype",
                   "f8", *SEARCHED, "--checkpoint", "run.ckpt"]
        seeded = [*options, "--insecure-seed", 3]
        whole = self.pipe(data, *seeded, "--json")
        self.assertEqual(whole.stderr, b"")
        whole = json.loads(whole.stdout)
        self.assertFalse((self.folder / "run.ckpt").exists())
        row = 8 * DIM
        # Killed after some answers, then again after more, then with a torn last record.
        self.killed_run(data[:row * (1500 + 3500 * 3)], 2, 8, seeded)
        self.killed_run(data[:row * (1500 + 3500 * 6)], 4, 8, seeded)
        stored = (self.folder / "run.ckpt").read_bytes()
        self.assertEqual((self.folder / "run.ckpt").stat().st_mode & 0o777, 0o600)
        self.write("run.ckpt", stored[:-7])
        for change, says in (["--insecure-seed", 4], b"insecure-seed"), \
                (["--epsilon", 3], b"noise multiplier"), (["--norm-range", "0.01:10"], b"norm-range"):
            other = self.pipe(data, *replaced(seeded, *change))
            self.assertEqual(other.returncode, 2)
            self.assertIn(b"checkpoint of another run", other.stderr)
            self.assertIn(says, other.stderr)
        done = self.pipe(data, *seeded, "--json")
        self.assertEqual(done.stderr, b"")
        found = json.loads(done.stdout)
        self.assertGreaterEqual(found["diagnostics"]["answers_from_checkpoint"], 3)
        self.assertEqual(found["weights"], whole["weights"])
        self.assertEqual(found["diagnostics"]["history"], whole["diagnostics"]["history"])
        self.assertEqual(found["diagnostics"]["max_norm"], whole["diagnostics"]["max_norm"])
        self.assertEqual(found["privacy"], whole["privacy"])
        self.assertFalse((self.folder / "run.ckpt").exists())

    def test_a_killed_run_with_secret_noise_is_proved_and_keeps_its_answers(self):
        data = self.points.read_bytes()[-8 * DIM * RECORDS:]
        options = ["-k", COMPONENTS, "-R", 9, "-L", 4, "--batch", 3000, "--dim", DIM, "--dtype",
                   "f8", *PRIVATE, "--checkpoint", "run.ckpt"]
        self.killed_run(data[:8 * DIM * 3000 * 7], 5, 8, options)
        stored = (self.folder / "run.ckpt").read_bytes()
        kept = self.folder / "kept"
        kept.write_bytes(stored)
        results = []
        for _ in range(2):
            (self.folder / "run.ckpt").write_bytes(kept.read_bytes())
            done = self.pipe(data, *options, "--json")
            self.assertEqual(done.stderr, b"")
            results.append(json.loads(done.stdout))
        for result in results:
            privacy = result["privacy"]
            self.assertEqual(privacy["guarantee"], "proved", privacy["why"])
            self.assertLessEqual(privacy["epsilon"], 2)
            self.assertEqual(len(privacy["releases"]), 10)
        # The stored answers are given again, so the paths agree until they end; then noise is new.
        given = results[0]["diagnostics"]["answers_from_checkpoint"]
        moved = [result["diagnostics"]["history"]["change"] for result in results]
        self.assertEqual(moved[0][:given], moved[1][:given])
        self.assertNotEqual(moved[0][given:], moved[1][given:])

    # Runs over raw numbers from a pipe: 7 answers from 3000 records each, after 1000 for the
    # bound; 4 starts of 2 components.
    PIPED = ["-k", COMPONENTS, "-R", 6, "-L", 4, "--batch", 3000, "--dim", DIM, "--dtype", "f8",
             *SEARCHED, "--checkpoint", "run.ckpt"]
    ROW = 8 * DIM

    def raw(self):
        return self.points.read_bytes()[-8 * DIM * RECORDS:]

    def stored_run(self, answers=4, options=PIPED):
        """The checkpoint of a run that was killed after this many answers."""
        searched = json.loads(self.succeed("stream", "-", *options[:-2], "--plan", "--json"))
        records = searched["settings"]["records_for_bound"] + 3000 * answers + 1500
        self.killed_run(self.raw()[:self.ROW * records], answers, 8, options)
        return (self.folder / "run.ckpt").read_bytes()

    def test_a_checkpoint_goes_on_over_its_own_records_only(self):
        stored = self.stored_run()
        data = self.raw()
        row = self.ROW
        last = data[row * 13000:row * 13001]
        for other in (data[row:row * 9000] + data[:row] + data[row * 9000:],  # the first moved back
                      last + data[row:],  # one record replaced
                      data[:row * 12000] + data[row * 30000:] + data[row * 12000:row * 30000],
                      data[::-1]):
            done = self.pipe(other, *self.PIPED, "--json")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertEqual(done.stdout, b"")
            self.assertEqual(done.stderr.count(b"\n"), 1)
            for words in b"records are not those that the answers in the checkpoint were made from", \
                    b"nothing was released by this run", b"the answers in it are spent":
                self.assertIn(words, done.stderr)
            self.assertEqual((self.folder / "run.ckpt").read_bytes(), stored)
        done = self.pipe(data, *self.PIPED, "--json")
        self.assertEqual(done.stderr, b"")
        self.assertEqual(json.loads(done.stdout)["privacy"]["guarantee"], "proved")

    def test_a_checkpoint_is_tied_to_how_the_input_is_read(self):
        self.stored_run()
        data = self.raw()
        for options in replaced(self.PIPED, "--dtype", "f4"), [*self.PIPED, "--format", "raw"]:
            done = self.pipe(data, *options)
            self.assertEqual(done.returncode, 2)
            self.assertIn(b"is the checkpoint of another run", done.stderr)

    def test_a_damaged_checkpoint_is_refused_and_left_alone(self):
        stored = self.stored_run()
        answer = 8 * DIM * 8 + 96 + 16
        places = {"its description": 120, "answer 2": len(stored) - 3 * answer + 200,
                  "answer 3": len(stored) - 2 * answer, "answer 4": len(stored) - 1}
        for what, place in places.items():
            damaged = bytearray(stored)
            damaged[place] ^= 4
            self.write("run.ckpt", bytes(damaged))
            done = self.pipe(self.raw(), *self.PIPED)
            self.assertEqual(done.returncode, 2, what)
            self.assertIn(f"run.ckpt: {what} is damaged".encode(), done.stderr)
            self.assertIn(b"spent", done.stderr)
            self.assertEqual((self.folder / "run.ckpt").read_bytes(), bytes(damaged))

    def test_the_checkpoint_stays_until_the_result_has_arrived(self):
        seeded = [*self.PIPED, "--insecure-seed", 3, "--json"]
        whole = json.loads(self.pipe(self.raw(), *seeded).stdout)
        for form in seeded, seeded[:-1]:  # as JSON, as a table
            with open("/dev/full", "w") as full:
                done = subprocess.run([PROGRAM, "stream", "-", *map(str, form)], input=self.raw(),
                                      stdout=full, stderr=subprocess.PIPE, cwd=self.folder,
                                      timeout=300)
            self.assertEqual(done.returncode, 1)
            self.assertEqual(done.stderr, b"sotto: cannot write to standard output; the checkpoint "
                             b"run.ckpt is kept, run again\n")
            self.assertTrue((self.folder / "run.ckpt").exists())
        found = json.loads(self.pipe(self.raw(), *seeded).stdout)
        self.assertEqual(found["diagnostics"]["answers_from_checkpoint"], 7)
        self.assertEqual(found["weights"], whole["weights"])
        self.assertEqual(found["privacy"], whole["privacy"])
        self.assertFalse((self.folder / "run.ckpt").exists())

    def test_only_its_owner_can_read_a_checkpoint_that_was_there_before(self):
        target = self.write("target", b"")
        target.chmod(0o666)
        (self.folder / "run.ckpt").symlink_to(target)
        self.stored_run()
        self.assertEqual(target.stat().st_mode & 0o777, 0o600)
        target.chmod(0o644)
        done = self.pipe(self.raw(), *self.PIPED)
        self.assertEqual(done.returncode, 0)
        self.assertFalse(target.exists())

    def test_ctrl_c_asks_for_nothing_more_and_the_run_goes_on(self):
        data = self.raw()
        for method in "simultaneous", "power":
            options = [*self.PIPED, "--method", method, "--insecure-seed", 3]
            columns = 8 if method == "simultaneous" else 4
            whole = json.loads(self.pipe(data, *options, "--json").stdout)
            stops = (1, 4) if method == "simultaneous" else (2, 8)
            for answers in stops:
                run = subprocess.Popen([PROGRAM, "stream", "-", *map(str, options)],
                                       cwd=self.folder, stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                self.addCleanup(run.kill)
                bound = whole["diagnostics"]["points_read"] % 3000
                fed = self.ROW * (bound + 3000 * answers + 1500)
                run.stdin.write(data[:fed])
                run.stdin.flush()
                self.wait_for_answers(answers, columns)
                run.send_signal(signal.SIGINT)
                out, error = run.communicate(data[fed:], timeout=120)
                self.assertEqual(out, b"")
                self.assertEqual(error, b"sotto: stopped; the checkpoint run.ckpt is kept to "
                                 b"resume from, the answers in it are spent\n")
                self.assertEqual(run.returncode, 130)
                done = self.pipe(data, *options, "--json")
                self.assertEqual(done.stderr, b"")
                found = json.loads(done.stdout)
                self.assertIn(found["diagnostics"]["answers_from_checkpoint"],
                              (answers, answers + 1))
                for name in "weights", "privacy":
                    self.assertEqual(found[name], whole[name])
                self.assertEqual(found["diagnostics"]["history"], whole["diagnostics"]["history"])

    def test_what_is_said_of_a_bad_record_is_true(self):
        data = self.raw()
        place = self.ROW * 17000
        bad = data[:place] + struct.pack("=d", math.nan) + data[place + 8:]
        done = self.pipe(bad, *self.PIPED[:-2])
        self.assertEqual(done.returncode, 2)
        self.assertTrue(done.stderr.endswith(b"private run; nothing left this run\n"), done.stderr)
        done = self.pipe(bad, *self.PIPED)
        self.assertEqual(done.returncode, 2)
        self.assertTrue(done.stderr.endswith(b"private run; the checkpoint run.ckpt is kept to "
                                             b"resume from, the answers in it are spent\n"),
                        done.stderr)
        self.assertNotIn(b"nothing was released", done.stderr)
        done = self.pipe(bad, *self.PIPED)
        self.assertIn(b"nothing was released by this run; the checkpoint", done.stderr)
        # The record comes after those that were used: once it is corrected, the run continues.
        done = self.pipe(data, *self.PIPED, "--json")
        self.assertEqual(done.stderr, b"")
        self.assertGreaterEqual(json.loads(done.stdout)["diagnostics"]["answers_from_checkpoint"], 4)

    def test_the_certificate_says_what_it_takes_of_the_order(self):
        privacy = self.result("stream", self.points, "-k", COMPONENTS, *PRIVATE)["privacy"]
        self.assertIn("in its place", privacy["neighbours"])
        self.assertIn(ORDER_FACT, privacy["public"])
        privacy = self.result("stream", self.points, "-k", COMPONENTS, *PRIVATE,
                              "--shuffle")["privacy"]
        self.assertEqual(privacy["guarantee"], "proved")
        self.assertIn("in any order", privacy["neighbours"])
        self.assertNotIn(ORDER_FACT, privacy["public"])
        self.assertIn(f"the number of records in all, {RECORDS}, from which those read are drawn in "
                      "a secret order",
                      privacy["public"])

    def test_a_sorted_file_is_shuffled(self):
        data = self.raw()
        rows = sorted(data[n:n + self.ROW] for n in range(0, len(data), self.ROW))
        head = self.points.read_bytes()[:-len(data)]
        first = self.write("sorted.npy", head + b"".join(rows))
        # The neighbour has one record replaced and is sorted again, so that every batch has moved.
        second = self.write("other.npy", head + b"".join(sorted([b"\xff" * 7 + b"\x3f" +
                                                                 bytes(self.ROW - 8), *rows[1:]])))
        options = ["-k", COMPONENTS, *PRIVATE, "--shuffle", "--insecure-seed", 5]
        results = [self.result("stream", path, *options) for path in (first, second, first)]
        self.assertEqual(results[0]["weights"], results[2]["weights"])
        self.assertEqual(results[0]["privacy"]["guarantee"], "none")
        for name in "neighbours", "public", "why":
            self.assertEqual(results[0]["privacy"][name], results[1]["privacy"][name])
        # Its last digits follow from the questions, which earlier answers decide.
        self.assertAlmostEqual(results[0]["privacy"]["epsilon"], results[1]["privacy"]["epsilon"],
                               delta=1e-12)
        # The order is secret: without a seed it differs each time.
        plain = ["-k", COMPONENTS, "-R", 3]
        orders = [self.result("stream", first, *plain, *more)["weights"] for more in
                  ([], ["--shuffle"], ["--shuffle"], ["--shuffle", "--seed", 1])]
        self.assertNotEqual(orders[0], orders[1])
        self.assertEqual(orders[1], orders[2])
        # Shuffled, the batches of a sorted file are alike, and the components are found.
        out = self.folder / "found"
        self.succeed("stream", first, "-k", COMPONENTS, "--shuffle", "--out", out)
        _, truth = read_npy(self.made / "vectors.npy")
        _, vectors = read_npy(out / "vectors.npy")
        for m in range(COMPONENTS):
            self.assertGreater(max(abs(sum(truth[COMPONENTS * i + m] * vectors[COMPONENTS * i + j]
                                           for i in range(DIM))) for j in range(COMPONENTS)), 0.95)

    def test_a_shuffled_run_goes_on_in_its_own_order(self):
        raw = self.write("points.raw", self.raw())
        options = [raw, "-k", COMPONENTS, "-R", 6, "-L", 4, "--batch", 3000, "--dim", DIM, "--dtype",
                   "f8", *PRIVATE, "--shuffle", "--checkpoint", "run.ckpt"]
        whole = self.folder / "whole"
        with open("/dev/full", "w") as full:  # all answers are in the checkpoint, the result is lost
            subprocess.run([PROGRAM, "stream", *map(str, options), "--out", whole], stdout=full,
                           stderr=subprocess.DEVNULL, cwd=self.folder, timeout=300)
        stored = (self.folder / "run.ckpt").read_bytes()
        answer = 8 * DIM * 8 + 96 + 16
        histories = []
        for _ in range(2):
            self.write("run.ckpt", stored[:-answer * 3])  # whole answers, the values and a torn one
            done = self.sotto("stream", *options, "--json")
            self.assertEqual(done.stderr, "")  # the records were read in the same order
            found = json.loads(done.stdout)
            self.assertEqual(found["privacy"]["guarantee"], "proved")
            self.assertEqual(found["diagnostics"]["answers_from_checkpoint"], 3)
            histories.append(found["diagnostics"]["history"]["change"])
        self.assertEqual(histories[0][:3], histories[1][:3])
        self.assertNotEqual(histories[0][3:], histories[1][3:])
        self.write("run.ckpt", stored)
        self.refuse("stream", *[o for o in options if o != "--shuffle"],
                    says="it has 'shuffle true', this run has 'shuffle false'")

    def test_a_shuffle_needs_a_file_that_allows_it(self):
        text = self.write("points.csv", "0.1,0.2\n" * 100)
        packed = self.write("points.npy.gz", gzip.compress(npy_bytes([0.1] * 400, (100, 4))))
        bare = ["--batch", 10, "--header", "no", "--dim", 2]
        for path, more in (text, bare), (packed, []):
            for private in [], PRIVATE:
                self.refuse("stream", path, "-k", 1, "-R", 2, *more, *private, "--shuffle",
                            "--checkpoint", "run.ckpt", says=("--shuffle: needs a plain .npy file",
                                                              str(path)))
        done = self.pipe(self.points.read_bytes(), "-k", 1, *PRIVATE, "--shuffle")
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"--shuffle: needs a plain .npy file", done.stderr)

    def test_refusals(self):
        for options, says in (
                ([*PRIVATE, "--passes", 2], "--passes"),
                (["--epsilon", 1, "--delta", "1e-6"], "--max-norm"),
                ([*PRIVATE, "--norm-range", "0.1:10"], "--norm-range"),
                (["--norm-range", "0.1:10"], "--epsilon"),
                *(([*SEARCHED[:-1], text], "--norm-range")
                  for text in ("1", "1:", ":1", "2:1", "0:1", "-1:1", "a:b", "1:2:3", "1:inf", "nan:1",
                               "1 :2")),
                ([*PRIVATE, "--records", 10], "--plan"), ([*PRIVATE, "--weight", 0.1], "--plan"),
                (["--plan"], "--epsilon"),
                (["--epsilon", 1, "--max-norm", 1], "--delta"),
                (["--delta", "1e-6"], "--epsilon"), (["--max-norm", 1], "--epsilon"),
                (["--insecure-seed", 1], "--epsilon"),
                ([*PRIVATE, "--method", "power", "-R", 8, "--batch", RECORDS],
                 f"needs {18 * RECORDS} records")):
            self.refuse("stream", self.points, "-k", COMPONENTS, *options, says=says)
        svm = self.write("a.svm", "1 1:0.5 3:0.25\n" * 100)
        self.refuse("stream", svm, "-k", 1, "--format", "svmlight", *PRIVATE, says="--dim")

    def test_an_unreadable_record_is_refused_without_a_word_about_it(self):
        good = "0.1,0.2\n" * 40
        for text in "0.1,secret\n" + good, good + "0.1,secret\n", good + "0.1\n", good + "nan,1\n":
            path = self.write("bad.csv", text)
            done = self.sotto("stream", path, "-k", 1, "-R", 2, "--batch", 14, "--header", "no",
                              "--dim", 2, *PRIVATE)
            self.assertEqual(done.returncode, 2)
            self.assertEqual(done.stdout, "")
            self.assertRegex(done.stderr, "nothing was released by this run|nothing left this run")
            for word in "secret", "41", "csv:", "NaN":
                self.assertNotIn(word, done.stderr.replace(str(path), ""))
        self.refuse("stream", "missing.csv", "-k", 1, *PRIVATE, says="missing.csv: cannot be opened")

    def test_a_record_with_nan_stops_the_run_before_anything_leaves(self):
        values = [0.1] * (30 * 4)
        values[-1] = math.nan
        path = self.write("nan.npy", npy_bytes(values, (30, 4)))
        self.refuse("stream", path, "-k", 1, "-R", 2, *PRIVATE, "--out", self.folder / "out")


if __name__ == "__main__":
    main()
