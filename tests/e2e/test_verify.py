"""sotto verify, sotto keys and --sign: what was changed, added, swapped or forged is found.

A folder is checked by somebody who has nothing but the folder. Forgers here compute the seal and the
digests anew, so that only what they say is left to find.
"""
import hashlib
import json
import os
import re
import shutil
import stat
import subprocess
import unittest

from sotto_cli import PROGRAM, ProgramTest, main

WORDS = ("--protects", "one patient", "--contact", "data office, room 4 <x@y>", "--purpose",
         "a *study*")


def digest(data):
    return hashlib.blake2b(data, digest_size=32).hexdigest()


def seal(text):
    head = text[:text.rindex('  "seal": "')]
    return f'{head}  "seal": "{digest(head.encode())}"\n}}\n'


class VerifyTest(ProgramTest):
    def mixture(self, out, *more, seed=1, epsilon=1):
        points = self.folder / f"p{seed}"
        if not points.exists():
            self.generate("points", "-d", 3, "-k", 2, "-n", 4000, "--seed", seed, out=points.name)
        done = self.sotto("mixture", points / "points.npy", "-k", 2, "--max-norm", 4, "--epsilon",
                          epsilon, "--delta", 1e-7, "--out", out, *more)
        self.assertIn(done.returncode, (0, 3), done.stderr)
        return self.folder / out

    def verify(self, folder, *more, code=0):
        return json.loads(self.succeed("verify", folder, "--json", *more, code=code))

    def fails(self, folder, says, *more):
        found = self.verify(folder, *more, code=1)
        self.assertFalse(found["verified"])
        self.assertTrue(any(says in line for line in found["fails"]), found["fails"])
        return found["fails"]

    def edit(self, folder, change, forge=True):
        """result.json with change(text) in it; a forger seals it again."""
        path = folder / "result.json"
        text = path.read_text()
        changed = change(text)
        self.assertNotEqual(changed, text)
        path.write_text(seal(changed) if forge else changed)

    def edit_json(self, folder, change):
        """The same for a change of values; numbers keep their digits."""
        path = folder / "result.json"
        result = json.loads(path.read_text())
        change(result)
        result.pop("seal")
        text = json.dumps(result, indent=2)[:-2] + ',\n  "seal": ""\n}\n'
        path.write_text(seal(text))


class Honest(VerifyTest):
    def test_every_private_command_is_verified(self):
        claim = "--epsilon", 1, "--delta", 1e-7
        corpus = self.generate("corpus", "-V", 30, "-k", 2, "-n", 500, out="c")
        tensor = self.generate("tensor", "-d", 6, "-k", 2, out="t")
        visits = self.generate("visits", "-n", 200, out="v")
        ratings = self.generate("ratings", "--model", "cp", out="r") / "ratings.csv"
        items = self.write("items.txt", "".join(f"{i}\n" for i in range(1, 21)))
        points = self.generate("points", "-d", 3, "-k", 2, "-n", 4000, out="p") / "points.npy"
        completion = "complete", ratings, "--range", "1:5"
        commands = {
            "document": ("topics", corpus / "docword.txt", "--vocab", corpus / "vocab.txt", "-k", 2),
            "record": ("stream", points, "-k", 2, "--max-norm", 4),
            "record, found norm": ("mixture", points, "-k", 2, "--norm-range", "0.1:10"),
            "record, stream with a found norm": ("stream", points, "-k", 2, "--norm-range", "0.1:10"),
            "entry": ("decompose", tensor / "tensor.npy", "-k", 2, "--anyway"),
            "person": ("decompose", visits / "visits.tns", "-k", 2, "--unit", "person"),
            "rating": completion,
            "rating, sampled": (*completion, "--mechanism", "sgd"),
            "user": (*completion, "--unit", "user", "--items", items)}
        for name, command in commands.items():
            done = self.sotto(*command, *claim, "--out", "out", "--force")
            self.assertIn(done.returncode, (0, 3), (name, done.stderr))
            found = self.verify("out", "--unit", name.partition(",")[0])
            self.assertEqual(found["fails"], [], name)
            shutil.rmtree(self.folder / "out")

    def test_what_could_not_be_checked_is_said(self):
        folder = self.mixture("out", *WORDS)
        text = self.succeed("verify", folder)
        self.assertIn("not signed", text)
        self.assertIn("what else was published from the same data", text)
        self.assertTrue(text.splitlines()[-1].startswith("verified: epsilon "), text)
        result = json.loads((folder / "result.json").read_text())
        self.assertEqual(set(result["statement"].values()), set(WORDS[1::2]))
        self.assertEqual(result["day"], "2026-01-01")
        self.assertFalse({"protects", "contact", "purpose", "sign"} & set(result["options"]))

    def test_other_programs_find_the_same_digests(self):
        folder = self.mixture("out")
        result = json.loads((folder / "result.json").read_text())
        self.assertEqual(set(result["digests"]), set(result["files"]) | {"report.html"})
        for name, said in result["digests"].items():
            data = (folder / name).read_bytes()
            self.assertEqual((said["bytes"], said["blake2b"]), (len(data), digest(data)), name)
        lines = (folder / "result.json").read_bytes().splitlines(keepends=True)
        self.assertEqual(result["seal"], digest(b"".join(lines[:-2])))
        notes = subprocess.run(["readelf", "-n", PROGRAM], capture_output=True, text=True).stdout
        self.assertIn(result["build"], notes)

    def test_the_page_and_the_certificate_say_it_in_plain_words(self):
        folder = self.mixture("out", *WORDS)
        meaning = json.loads((folder / "result.json").read_text())["privacy"]["meaning"]
        self.assertAlmostEqual(meaning["odds"], 2.7183, delta=0.02)
        self.assertLess(meaning["largest_power"], 0.1)
        self.assertGreater(meaning["except_with_probability"], 1e-7)
        page = (folder / "report.html").read_text()
        certificate = (folder / "certificate.md").read_text()
        for text in ("What the numbers mean", "What is not protected", "Are such numbers usual?",
                     "after seeing the result", "of 100 true cases", "Five together", "US Census Bureau"):
            self.assertIn(text, page)
            self.assertIn(text, certificate)
        self.assertIn("a \\*study\\*", certificate)
        self.assertIn("room 4 \\<x@y\\>", certificate)
        self.assertIn("room 4 &lt;x@y&gt;", page)
        self.assertEqual(certificate.count("accounted by"), 1)

    def test_a_result_that_promises_nothing_is_not_verified(self):
        self.generate("points", "-d", 3, "-k", 2, "-n", 400, out="p")
        self.sotto("mixture", "p/points.npy", "-k", 2, "--out", "open")
        self.fails("open", "not private")
        self.fails(self.mixture("seeded", "--insecure-seed", 1), "insecure seed")
        self.assertFalse((self.folder / "open" / "certificate.md").exists())

    def test_a_file_that_shows_data_has_no_digest(self):
        points = self.generate("points", "-d", 3, "-k", 2, "-n", 30, out="new") / "points.npy"
        folder = self.mixture("out", "--infer", points)
        result = json.loads((folder / "result.json").read_text())
        self.assertIn("inferred.npy", result["files"])
        self.assertNotIn("inferred.npy", result["digests"])
        found = self.verify(folder)
        self.assertTrue(any("inferred.npy" in line for line in found["not_checked"]))

    def test_a_ledger_is_quoted_by_what_was_asked(self):
        self.succeed("ledger", "init", "runs.ledger", "--data", "visits", "--epsilon", 3, "--delta",
                     1e-5, "--unit", "one patient")
        ledger = "--ledger", "runs.ledger"
        self.mixture("first", *ledger)
        folder = self.mixture("second", *ledger)
        statement = json.loads((folder / "result.json").read_text())["statement"]
        self.assertEqual(statement["protects"], "one patient")
        self.assertEqual(statement["ledger"], {"unit": "one patient", "epsilon": 3.0, "delta": 1e-5,
                                               "runs": 2, "asked_epsilon": 2.0, "asked_delta": 2e-7})
        self.assertIn("2 runs, which asked for epsilon 2 in all",
                      (folder / "certificate.md").read_text())
        self.assertTrue(any("ledger" in line for line in self.verify(folder)["not_checked"]))
        # A run that broke off does not show in later folders but by what it asked for.
        broken = self.write("broken.npy", "no array")
        self.sotto("mixture", broken, "-k", 2, "--max-norm", 4, "--epsilon", 0.1, "--delta", 1e-7,
                   *ledger)
        late = json.loads((self.mixture("third", *ledger, epsilon=0.1) / "result.json")
                          .read_text())["statement"]["ledger"]
        self.assertEqual((late["runs"], round(late["asked_epsilon"], 9)), (4, 2.2))

    def test_the_day_is_that_of_the_clock_or_of_source_date_epoch(self):
        environment = {**os.environ, "SOURCE_DATE_EPOCH": "86399"}
        run = [PROGRAM, "generate", "points", "-d", "2", "-k", "2", "-n", "9", "--json", "--out", "x"]
        done = subprocess.run(run, cwd=self.folder, env=environment, capture_output=True, check=True)
        self.assertEqual(json.loads(done.stdout)["day"], "1970-01-01")
        for bad in ("tomorrow", "-1", ""):
            environment["SOURCE_DATE_EPOCH"] = bad
            done = subprocess.run(run, cwd=self.folder, env=environment, capture_output=True,
                                  check=True)
            self.assertRegex(json.loads(done.stdout)["day"], r"^20\d\d-\d\d-\d\d$")


class Changed(VerifyTest):
    def setUp(self):
        super().setUp()
        self.out = self.mixture("out")
        self.assertEqual(self.verify(self.out)["fails"], [])

    def test_one_changed_digit_in_a_release(self):
        noise = re.search(r'"noise": (\d+\.\d+)', (self.out / "result.json").read_text())[1]
        # The last digit of eight or so that matter, of which a reader sees four.
        changed = noise[:7] + ("1" if noise[7] != "1" else "2") + noise[8:]
        change = lambda text: text.replace(f'"noise": {noise}', f'"noise": {changed}', 1)  # noqa: E731
        self.edit(self.out, change, forge=False)
        self.fails(self.out, "seal does not fit")
        self.edit(self.out, lambda text: seal(text))
        found = self.fails(self.out, "does not follow from its sensitivity and noise")
        self.assertFalse([line for line in found if "seal" in line])

    def test_a_cheaper_epsilon_by_a_forger(self):
        def lie(result):
            result["privacy"]["epsilon"] = 0.5
        self.edit_json(self.out, lie)
        found = self.fails(self.out, "the certificate says 0.5")
        self.assertTrue(any("states another epsilon" in line for line in found))

    def test_more_noise_than_there_was_by_a_forger(self):
        def lie(result):
            for release in result["privacy"]["releases"]:
                release["noise"] *= 2
                release["cost"]["mu"] /= 2
        self.edit_json(self.out, lie)
        self.fails(self.out, "the releases cost epsilon")

    def test_a_release_that_was_left_out(self):
        self.edit_json(self.out, lambda result: result["privacy"]["releases"].pop())
        self.fails(self.out, "the releases cost epsilon")

    def test_better_odds_by_a_forger(self):
        def lie(result):
            result["privacy"]["meaning"]["odds"] = 1.01
        self.edit_json(self.out, lie)
        self.fails(self.out, "odds, power")

    def test_one_flipped_byte_in_an_array(self):
        path = self.out / "means.npy"
        data = bytearray(path.read_bytes())
        data[-3] ^= 1
        path.write_bytes(data)
        self.fails(self.out, "means.npy was changed")

        def forge(result):
            result["digests"]["means.npy"]["blake2b"] = digest(bytes(data))
        self.edit_json(self.out, forge)
        self.fails(self.out, "other numbers than means.npy")

    def test_an_added_a_missing_and_a_linked_file(self):
        (self.out / "records.csv").write_text("1,2\n")
        self.fails(self.out, "records.csv is in the folder")
        (self.out / "records.csv").unlink()
        (self.out / ".hidden").mkdir()
        self.fails(self.out, ".hidden")
        (self.out / ".hidden").rmdir()
        (self.out / "weights.npy").rename(self.folder / "weights.npy")
        self.fails(self.out, "weights.npy is missing")
        (self.out / "weights.npy").symlink_to(self.folder / "weights.npy")
        self.fails(self.out, "weights.npy is missing")

    def test_a_name_that_leads_out_of_the_folder(self):
        self.edit_json(self.out, lambda result: result["files"].append("../p1/points.npy"))
        self.fails(self.out, "../p1/points.npy does not name")

    def test_a_certificate_from_another_folder(self):
        other = self.mixture("other", seed=2, epsilon=2)
        for name, says in (("result.json", "means.npy was changed"),
                           ("certificate.md", "certificate.md does not have the size")):
            mine = (self.out / name).read_bytes()
            shutil.copy(other / name, self.out / name)
            self.fails(self.out, says)
            (self.out / name).write_bytes(mine)
        self.assertEqual(self.verify(self.out)["fails"], [])

    def test_a_wrong_unit(self):
        self.fails(self.out, "does not protect user", "--unit", "user")
        self.edit_json(self.out, lambda result: result["privacy"].update(unit="one user"))
        self.fails(self.out, "'one user', but such a result protects one record")

    def test_a_public_fact_that_does_not_fit(self):
        def lie(result):
            facts = result["privacy"]["public"]
            facts[0] = facts[0].replace("4000", "40000")
        self.edit_json(self.out, lie)
        self.fails(self.out, "does not fit the input")

    def test_texts_that_are_no_certificate_end_in_a_finding_or_a_line(self):
        def lie(result):
            result["privacy"]["releases"][0] = 7
        self.edit_json(self.out, lie)
        self.fails(self.out, "a release has no")
        for bad in (-1, "x", None, [], 1.5):
            self.edit_json(self.out, lambda r, b=bad: r["privacy"].update(
                releases=[{**r["privacy"]["releases"][1], "count": b}]))
            self.fails(self.out, "a release has no usable count")
            shutil.rmtree(self.out)
            self.mixture("out")
        (self.out / "means.npy").write_bytes(b"\x93NUMPY\x01\x00\xff\xff")
        self.fails(self.out, "means.npy is not a readable array")
        for text in ("", "[]", "{}", '{"command": 1}', "{" * 5000):
            (self.out / "result.json").write_text(text)
            self.refuse("verify", self.out, says="result.json")
        (self.out / "result.json").unlink()
        self.refuse("verify", self.out, says="no result.json")
        self.refuse("verify", "missing", says="not a folder")


class Keys(VerifyTest):
    def setUp(self):
        super().setUp()
        for name in ("office.key", "other.key"):
            self.succeed("keys", "new", name)

    def test_a_signature_is_checked_and_that_of_another_key_is_found(self):
        folder = self.mixture("out", "--sign", "office.key")
        self.assertIn("the signature is of this key",
                      self.verify(folder, "--key", "office.key.pub")["holds"])
        self.fails(folder, "another key", "--key", "other.key.pub")
        self.assertTrue(any("name the public key" in line
                            for line in self.verify(folder)["not_checked"]))
        self.edit(folder, lambda text: text.replace('"day": "2026', '"day": "2025'))
        self.fails(folder, "of another key, or of another result", "--key", "office.key.pub")
        self.fails(self.mixture("bare"), "is not signed", "--key", "office.key.pub")
        # A new result takes the place of the signed one, its signature included.
        self.mixture("out")
        self.assertFalse((folder / "result.json.sig").exists())

    @unittest.skipIf(shutil.which("openssl") is None, "needs openssl")
    def test_openssl_reads_the_keys_and_checks_the_signature(self):
        folder = self.mixture("out", "--sign", "office.key")
        check = ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", "office.key.pub", "-rawin",
                 "-in", folder / "result.json", "-sigfile", folder / "result.json.sig"]
        done = subprocess.run(check, cwd=self.folder, capture_output=True, text=True)
        self.assertIn("Verified Successfully", done.stdout + done.stderr)
        subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", "theirs.key"],
                       cwd=self.folder, check=True)
        (self.folder / "theirs.key").chmod(0o600)
        subprocess.run(["openssl", "pkey", "-in", "theirs.key", "-pubout", "-out", "theirs.pub"],
                       cwd=self.folder, check=True)
        self.verify(self.mixture("two", "--sign", "theirs.key"), "--key", "theirs.pub")

    def test_keys_are_secret_new_and_outside_of_results(self):
        key = self.folder / "office.key"
        self.assertEqual(stat.S_IMODE(key.stat().st_mode), 0o600)
        self.refuse("keys", "new", "office.key", says="never replaced")
        (self.folder / "other.key").unlink()
        self.refuse("keys", "new", "other.key", says="other.key.pub")
        folder = self.mixture("out", "--sign", "office.key")
        self.refuse("keys", "new", "out/my.key", says="folder of a result")
        self.refuse("keys", "new", "nowhere/my.key", says="cannot be made")
        secret = key.read_bytes().splitlines()[1]
        for path in folder.iterdir():
            self.assertNotIn(secret, path.read_bytes())
            self.assertNotIn((self.folder / "office.key.pub").read_bytes().splitlines()[1],
                             path.read_bytes())

    def test_bad_keys_are_refused_before_anything_is_read(self):
        points = self.write("broken.npy", "no array")
        run = ["mixture", points, "-k", 2, "--max-norm", 4, "--epsilon", 1, "--delta", 1e-7, "--out",
               "out", "--sign"]
        text = (self.folder / "office.key").read_text()
        bad = {"empty.key": "", "text.key": "a key\n", "short.key": text.replace("A", "", 1),
               "torn.key": text[:-20]}
        for name, content in bad.items():
            self.write(name, content).chmod(0o600)
            self.refuse(*run, name, says=f"{name}: is not a key")
            self.refuse("verify", ".", "--key", name, says=f"{name}: is ")
        self.refuse(*run, "office.key.pub", says="is a public key")
        self.refuse(*run, "missing.key", says="missing.key")
        self.refuse(*run, self.folder, says="is not a file")
        self.refuse("verify", ".", "--key", "office.key", says="secret key")
        (self.folder / "office.key").chmod(0o640)
        self.refuse(*run, "office.key", says="read by others")
        (self.folder / "office.key").chmod(0o600)
        self.refuse(*run[:-3], "--sign", "office.key", says="--sign: needs --out")
        self.refuse("mixture", points, "-k", 2, "--contact", "me", says="--contact: needs --epsilon")
        self.refuse(*run[:-3], "--contact", "two\nlines", says="one line")
        (self.folder / "keys").mkdir()
        self.write("keys/x.key", text).chmod(0o600)
        self.refuse(*run[:-3], "--out", "keys", "--force", "--sign", "keys/x.key", says="keys/x.key")


if __name__ == "__main__":
    main()
