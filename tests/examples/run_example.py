"""Runs an example and compares what it prints with the comment at its end.

usage: run_example.py SOURCE PROGRAM

"..." in the comment stands for anything within a line: noise differs from run to run.
"""
import pathlib
import re
import subprocess
import sys
import tempfile


def expected(source):
    lines = pathlib.Path(source).read_text().splitlines()
    output = lines[lines.index("// Prints:") + 1:]
    assert output and all(line.startswith("//   ") or line == "//" for line in output), source
    return [line[5:] for line in output]


def pattern(line):
    return ".*".join(re.escape(part) for part in line.split("..."))


def main():
    source, program = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([program], cwd=folder, capture_output=True, text=True)
    wanted, got = expected(source), done.stdout.splitlines()
    same = len(wanted) == len(got) and all(
        re.fullmatch(pattern(w), g) for w, g in zip(wanted, got))
    if done.returncode != 0 or not same:
        print(f"exit status {done.returncode}\n{done.stderr}printed:\n{done.stdout}expected:")
        print("\n".join(wanted))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
