"""The program itself: help, version, manual, unknown commands."""
import os
import pathlib
import re
import shlex
import subprocess
import time

from sotto_cli import PROGRAM, ProgramTest, main

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Program(ProgramTest):
    def test_version_and_help(self):
        self.assertRegex(self.succeed("--version"), r"^sotto \d+\.\d+\.\d+\n$")
        overview = self.succeed("--help")
        for command in "decompose", "generate tensor", "account compare":
            self.assertIn(command, overview)
        self.assertIn("--starts", self.succeed("decompose", "--help"))
        tour = self.succeed()
        self.assertIn("sotto generate corpus", tour)
        self.assertIn("sotto --help", tour)

    def test_help_fits_a_screen_and_the_rest_is_named(self):
        for command in "decompose", "stream", "topics", "mixture", "complete", "apply":
            short, whole = self.succeed(command, "--help"), self.succeed(command, "--help-all")
            self.assertLessEqual(short.count("\n"), 42, command)
            self.assertIn("--force", whole)
            shown = set(re.findall(r"^ +(?:-\w, )?--([\w-]+)", short, re.M))
            all_ = set(re.findall(r"^ +(?:-\w, )?--([\w-]+)", whole, re.M))
            self.assertLessEqual(shown, all_)
            if shown != all_:
                self.assertIn(f"{len(all_ - shown)} more options: sotto {command} --help-all", short)

    def test_the_example_of_every_command_runs(self):
        self.generate("visits", "-n", 2000, "--codes", 30, "--drugs", 20, "-k", 2, out="made")
        (self.folder / "made" / "visits.tns").rename(self.folder / "visits.tns")
        self.generate("points", "--model", "mixture", "-d", 6, "-k", 3, "-n", 30000, out="points")
        (self.folder / "points" / "points.npy").rename(self.folder / "points.npy")
        self.generate("ratings", "--users", 200, "--items", 80, "-n", 4000, out="rated")
        (self.folder / "rated" / "ratings.csv").rename(self.folder / "ratings.csv")
        records = [f"{i % 7 / 10},{i % 5 / 10 - 0.3},{i % 3 / 10}" for i in range(300)]
        self.write("points.csv", "\n".join(records) + "\n")
        self.write("other.csv", "\n".join(["0.9,0,0", *records[1:]]) + "\n")
        titles = "\n".join(" ".join(f"word{(i * 7 + j * (i % 5 + 1)) % 40}" for j in range(8))
                           for i in range(3000)) + "\n"
        self.write("titles.txt", titles)
        self.write("new.txt", titles[:1000])
        listed = re.findall(r"^  (\w+(?: \w+)?) {2,}\S", self.succeed("--help"), re.M)
        listed.sort(key=lambda name: name == "apply")
        for name in listed:
            help_text = self.succeed(*name.split(), "--help")
            (example,) = re.findall(r"^example: sotto (.*)$", help_text, re.M)
            if name == "reproduce":  # minutes
                self.assertTrue(example.startswith(name))
                continue
            words = shlex.split(example)
            if "found" in words and name not in ("topics", "apply", "verify"):  # these need the topics
                words[words.index("found")] = f"{name} found"
            done = self.sotto(*words, *(["--runs", 100] if name == "audit" else []))
            self.assertIn(done.returncode, (0, 3), f"{example}\n{done.stderr}")

    def waiting(self, **environment):
        """What the program, waiting for its input, has in its environment."""
        kept = {name: value for name, value in os.environ.items()
                if name not in ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "OMP_NUM_THREADS")}
        process = subprocess.Popen([PROGRAM, "mixture", "-", "-k", "2"], stdin=subprocess.PIPE,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   env={**kept, **environment})
        process.stdin.write(b"1,")  # taken once it reads
        process.stdin.flush()
        try:
            for _ in range(200):
                variables = pathlib.Path(f"/proc/{process.pid}/environ").read_bytes().split(b"\0")
                if b"GOMP_SPINCOUNT=3000" in variables:
                    return True
                time.sleep(0.005)
            return False
        finally:
            process.kill()
            process.communicate()

    def test_threads_do_not_wait_busily_unless_asked_to(self):
        self.assertTrue(self.waiting(OMP_NUM_THREADS="2"))
        self.assertFalse(self.waiting(OMP_NUM_THREADS="2", OMP_WAIT_POLICY="active"))
        self.assertFalse(self.waiting(OMP_NUM_THREADS="1"))

    def test_bash_completes_commands_options_and_values(self):
        script = self.succeed("--completion", "bash")

        def complete(*words):
            line = " ".join(shlex.quote(w) for w in ("sotto", *words))
            asked = (f"{script}\nCOMP_WORDS=({line}); COMP_CWORD={len(words)}\n"
                     "compopt() { :; }\n_sotto; printf '%s\\n' \"${COMPREPLY[@]}\"")
            done = subprocess.run(["bash", "-c", asked], capture_output=True, text=True,
                                  cwd=self.folder)
            self.assertEqual(done.stderr, "")
            return done.stdout.split()
        self.assertEqual(complete("to"), ["topics"])
        self.assertEqual(complete("generate", "v"), ["visits"])
        self.assertEqual(complete("topics", "--eps"), ["--epsilon"])
        self.assertEqual(complete("topics", "--model", ""), ["lda", "single"])
        self.assertEqual(complete("generate", "points", "--model", "m"), ["mixture"])
        self.write("titles.txt", "")
        self.assertEqual(complete("topics", "tit"), ["titles.txt"])
        for shell in "zsh", "fish":
            self.assertIn("insecure-seed", self.succeed("--completion", shell))
        self.refuse("--completion", "powershell", says="bash, zsh and fish")
        self.refuse("--completion", says="--completion")

    def test_help_is_found_wherever_one_looks_for_it(self):
        topics = self.succeed("topics", "--help")
        for words in ["help", "topics"], ["--help", "topics"], ["-h", "topics"]:
            self.assertEqual(self.succeed(*words), topics)
        self.assertEqual(self.succeed("help"), self.succeed("--help"))
        tensor = self.succeed("generate", "tensor", "--help")
        self.assertEqual(self.succeed("help", "generate", "tensor"), tensor)
        for words in ["account", "--help"], ["account", "help"], ["help", "account"]:
            listed = self.succeed(*words)
            self.assertIn("account calibrate", listed)
            self.assertNotIn("generate", listed)

    def test_a_run_that_protects_nothing_says_so_first(self):
        self.succeed("generate", "tensor", "-d", 10, "-k", 2, "--out", "tensor")
        self.succeed("generate", "points", "-d", 5, "-k", 2, "-n", 4000, "--out", "points")
        self.succeed("generate", "points", "--model", "mixture", "-d", 4, "-k", 2, "-n", 2000,
                     "--out", "mixture")
        self.succeed("generate", "corpus", "-n", 500, "-V", 30, "-k", 2, "--out", "corpus")
        self.succeed("generate", "ratings", "--users", 100, "--items", 60, "-n", 2500, "--out", "ratings")
        for command in (["decompose", "tensor/tensor.npy", "-k", 2],
                        ["stream", "points/points.npy", "-k", 2],
                        ["topics", "corpus/docword.txt", "-k", 2],
                        ["mixture", "mixture/points.npy", "-k", 2],
                        ["complete", "ratings/ratings.csv", "-r", 2, "--epochs", 2]):
            text = self.succeed(*command)
            self.assertTrue(text.startswith("not private: the "), text)
            self.assertEqual(text.count("not private"), 1)

    def test_no_text_of_another_library_reaches_the_user(self):
        self.write("points.csv", "1,2\n3,4\n")
        for command in (["mixture", "points.csv", "-k", 1, "--epsilon", 1, "--delta", "1e-6",
                         "--norm-range", "1:2", "--format", "csv"],
                        ["topics", "points.csv", "-k", "99999999999999999999"],
                        ["complete", "points.csv", "--range", "1e999:2", "--epsilon", 1]):
            done = self.sotto(*command)
            self.assertNotIn(done.returncode, (1, -6, -11), done.stderr)
            for word in "std::", "bad_", "optional", "vector", "basic_string", "what():":
                self.assertNotIn(word, done.stderr)

    def test_every_line_of_help_fits_a_terminal(self):
        for command in ["decompose"], ["stream"], ["topics"], ["generate", "tensor"]:
            for line in self.succeed(*command, "--help").splitlines():
                self.assertLessEqual(len(line), 100, line)

    def test_unknown_commands_are_refused(self):
        self.refuse("nonsense", says="nonsense")
        self.refuse("generate", says="generate")
        self.refuse("generate", "nonsense", says="generate")

    def test_a_letter_has_one_meaning_over_all_commands(self):
        # Names for one thing: the number of components to find, the number of units in the data.
        one_thing = {"k": {"components", "topics", "phenotypes"},
                     "n": {"records", "documents", "ratings", "people"}}
        names, letters_of_epsilon = {}, []
        for line in self.succeed("--manual").splitlines():
            option = re.match(r"\| `(?:-(\w), )?--([\w-]+)", line)
            if not option:
                continue
            letter, name = option.groups()
            if letter:
                names.setdefault(letter, set()).add(name)
            if name == "epsilon":
                letters_of_epsilon.append(letter)
        for letter, found in names.items():
            self.assertTrue(len(found) == 1 or found == one_thing.get(letter), (letter, found))
        self.assertEqual(letters_of_epsilon, ["e"] * 10)

    def test_the_manual_is_current(self):
        self.assertEqual((ROOT / "docs" / "cli.md").read_text(), self.succeed("--manual"),
                         "run: build/release/sotto --manual > docs/cli.md")


if __name__ == "__main__":
    main()
