"""Checks that a file compiles, and that with SHOULD_NOT_COMPILE exactly the lines that end in
`// error: TEXT` fail, each with an error that matches TEXT.

    check.py SOURCE COMPILER [FLAGS]

This notices a line that has begun to compile, and one that fails for another reason.
"""
import pathlib
import re
import subprocess
import sys

EXPECTED = re.compile(r"// error: (.*)$")
ERROR = re.compile(r"^(.*?):(\d+):(?:\d+:)? (?:fatal )?error: (.*)$")
CAUSE = re.compile(r"^(.*?):(\d+):(?:\d+:)? +required from here$")


def errors_by_line(source, compile_command):
    """{line of the source: texts of the errors it causes, those in headers included}."""
    done = subprocess.run([*compile_command, source, "-DSHOULD_NOT_COMPILE"], capture_output=True,
                          text=True, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"})
    found, cause = {}, 0
    for line in done.stderr.splitlines():
        match = CAUSE.match(line) or ERROR.match(line)
        if match and match[1] == source:
            cause = int(match[2])
        if match := ERROR.match(line):
            found.setdefault(cause, []).append(match[3])
    return found


def complaints(source, compile_command):
    if subprocess.run([*compile_command, source]).returncode != 0:
        yield f"{source} does not compile as it is"
    found = errors_by_line(source, compile_command)
    lines = pathlib.Path(source).read_text().splitlines()
    expected = {number: match[1] for number, line in enumerate(lines, 1)
                if (match := EXPECTED.search(line))}
    if not expected:
        yield f"{source} expects no error"
    for number, text in expected.items():
        if number not in found:
            yield f"{source}:{number} compiles"
        elif not any(re.search(text, error) for error in found[number]):
            yield f"{source}:{number} fails with {found[number]}"
    for number in found.keys() - expected.keys():
        yield f"{source}:{number} fails, too, with {found[number]}"


if __name__ == "__main__":
    said = list(complaints(sys.argv[1], [*sys.argv[2:], "-fsyntax-only"]))
    print("\n".join(said))
    sys.exit(1 if said else 0)
