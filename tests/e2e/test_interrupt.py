"""Ctrl-C: every command ends at its next safe point with exit code 130 and leaves nothing."""
import fcntl
import os
import signal
import subprocess
import sys
import termios
import time

from sotto_cli import NOTHING, PROGRAM, ProgramTest, main

STARTS = "-L", 4
PRIVATE = "--epsilon", 1, "--delta", "1e-6"


def unread(pipe):
    """How many bytes the reader of a pipe has left in it."""
    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)


class Interrupt(ProgramTest):
    def interrupted(self, *arguments):
        """Sends Ctrl-C once the run is ready for it; returns exit code and standard error."""
        run = subprocess.Popen([PROGRAM, *map(str, arguments)], cwd=self.folder,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(run.kill)
        deadline = time.monotonic() + 60
        while not self.catches_interrupt(run.pid):
            self.assertIsNone(run.poll(), "the run ended before it could be interrupted")
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.001)
        run.send_signal(signal.SIGINT)
        out, error = run.communicate(timeout=120)
        self.assertRegex(out, NOTHING)
        return run.returncode, error

    @staticmethod
    def catches_interrupt(pid):
        with open(f"/proc/{pid}/status") as status:
            caught = next(line for line in status if line.startswith("SigCgt"))
        return int(caught.split()[1], 16) & 1 << signal.SIGINT - 1 != 0

    def ends(self, *arguments):
        before = sorted(os.listdir(self.folder))
        self.assertEqual(self.interrupted(*arguments, "--out", "out"),
                         (130, "sotto: stopped; nothing was written\n"), arguments)
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def test_decompose(self):
        self.succeed("generate", "tensor", "-d", 30, "-k", 3, "--out", "t")
        tensor = "t/tensor.npy"
        never = "-k", 3, "-R", 1000000, "--tolerance", 0, *STARTS
        self.ends("decompose", tensor, *never)
        self.ends("decompose", tensor, *never, "--method", "simultaneous")
        self.ends("decompose", tensor, *never, "--method", "alternating")

    def test_mixture(self):
        self.succeed("generate", "points", "-d", 5, "-k", 2, "-n", 2000, "--out", "p")
        self.ends("mixture", "p/points.npy", "-k", 2, "--refine", 10000)

    def test_topics(self):
        self.succeed("generate", "corpus", "-V", 40, "-k", 2, "-n", 300, "--out", "c")
        self.ends("topics", "c/docword.txt", "-k", 2, "--refine", 100000)

    def test_complete(self):
        self.succeed("generate", "ratings", "--model", "cp", "--out", "r")
        self.ends("complete", "r/ratings.csv", "--epochs", 1000000, "--tolerance", 0)

    def test_stream(self):
        self.succeed("generate", "points", "-d", 5, "-k", 2, "-n", 100000, "--out", "p")
        long = "stream", "p/points.npy", "-k", 2, "-R", 10000, "--batch", 4, *STARTS
        self.ends(*long)
        code, error = self.interrupted(*long, *PRIVATE, "--max-norm", 1)
        self.assertEqual((code, error), (130, "sotto: stopped; nothing left this run\n"))

    def test_a_second_one_ends_the_run_at_once(self):
        run = subprocess.Popen([PROGRAM, "stream", "-", "-k", "1", "-R", "1", "--batch", "10",
                                "--dim", "1", "--dtype", "f8"], stdin=subprocess.PIPE,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(run.kill)
        run.stdin.write(bytes(8))
        run.stdin.flush()
        # Until the run waits for the rest of the first batch.
        while not self.catches_interrupt(run.pid) or unread(run.stdin):
            time.sleep(0.001)
        run.send_signal(signal.SIGINT)
        while self.catches_interrupt(run.pid):
            time.sleep(0.001)
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.wait(timeout=30), -signal.SIGINT)
        run.stdin.close()

    def test_the_exit_code_is_documented(self):
        self.assertIn("130 stopped by Ctrl-C", self.succeed("--help"))
        self.assertIn("130 stopped by Ctrl-C", self.succeed("--manual"))


if __name__ == "__main__":
    main()
