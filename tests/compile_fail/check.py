"""Checks that in these files exactly the lines that end in `// error: TEXT` do not compile, each with an
error that matches TEXT.

    check.py SOURCE.. -- COMPILER [FLAGS]

This notices a line that has begun to compile, and one that fails for another reason. The files are
compiled as one, so that the headers are read once: functions in them must differ in their parameters.
"""
import pathlib
import re
import subprocess
import sys

EXPECTED = re.compile(r"// error: (.*)$")
ERROR = re.compile(r"^(.*?):(\d+):(?:\d+:)? (?:fatal )?error: (.*)$")
CAUSE = re.compile(r"^(.*?):(\d+):(?:\d+:)? +required from here$")


def errors_by_line(sources, compile_command):
    """{(source, line): texts of the errors it causes, those in headers included}."""
    done = subprocess.run([*compile_command, "-fsyntax-only", "-x", "c++", "-"], capture_output=True,
                          text=True, input="".join(f'#include "{source}"\n' for source in sources),
                          env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"})
    found, cause = {}, ("before all lines", 0)
    for line in done.stderr.splitlines():
        match = CAUSE.match(line) or ERROR.match(line)
        if match and match[1] in sources:
            cause = match[1], int(match[2])
        if match := ERROR.match(line):
            found.setdefault(cause, []).append(match[3])
    return found


def complaints(sources, compile_command):
    found = errors_by_line(sources, compile_command)
    expected = {}
    for source in sources:
        lines = enumerate(pathlib.Path(source).read_text().splitlines(), 1)
        here = {(source, number): match[1] for number, line in lines
                if (match := EXPECTED.search(line))}
        if not here:
            yield f"{source} expects no error"
        expected |= here
    for (source, number), text in expected.items():
        errors = found.get((source, number), [])
        if not errors:
            yield f"{source}:{number} compiles"
        elif not any(re.search(text, error) for error in errors):
            yield f"{source}:{number} fails with {errors}"
    for source, number in found.keys() - expected.keys():
        yield f"{source}:{number} fails, too, with {found[source, number]}"


if __name__ == "__main__":
    end = sys.argv.index("--")
    said = list(complaints(sys.argv[1:end], sys.argv[end + 1:]))
    print("\n".join(said))
    sys.exit(1 if said else 0)
