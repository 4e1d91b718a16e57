#!/usr/bin/env python3
"""Makes docs/api.md from examples/ and the list of public headers, and the snippet of README.md.

usage: api_docs.py [--check]

An example is a program that opens with a comment (its title, a colon, what it shows) and ends with
one that begins "Prints:", which tests/examples/run_example.py compares with what it prints. With
--check nothing is written, and the exit status says whether everything is current.
"""
import pathlib
import re
import sys
import textwrap

import public_headers

ROOT = pathlib.Path(__file__).resolve().parent.parent
# In the order of the page. The first one is in README.md.
EXAMPLES = ["decompose", "private_decompose", "plan", "private_stream", "topics", "private_topics",
            "mixture", "private_complete", "report"]
SNIPPET = re.compile(r"(?<=```cpp\n).*?(?=```\n)", re.S)

INTRODUCTION = """# The library

Made by `scripts/api_docs.py` from `examples/` and the public headers; a test keeps it current.

`#include "sotto/sotto.h"` gives everything: five tasks, each with a `plan` and a `run`, the types
they take and return, readers and `save`. A task takes an `Input`: data that is sensitive, or was
declared public. Sensitive data needs an epsilon; public data takes none. A private result carries a
certificate. Errors are thrown as `sotto::Error`, whose message names the field between backquotes.

With CMake, after `make install` or from the Debian package of `make deb`:

```cmake
find_package(sotto 0.2 REQUIRED)
target_link_libraries(program PRIVATE sotto::sotto)  # or sotto::sotto_shared
# sotto::report (sotto::report_shared): result.json and report.html as well
```

With pkg-config: `c++ -std=c++20 program.cc $(pkg-config --cflags --libs sotto)`, or `sotto_report`.
"""


def comment_text(lines):
    """The lines of a comment without their slashes."""
    return [line[2:].removeprefix(" ") for line in lines]


def wrapped(text, indent=""):
    """Prose in lines of at most 100 characters."""
    return textwrap.fill(text, 100, subsequent_indent=indent, break_long_words=False,
                         break_on_hyphens=False)


def parts(name):
    """Title, prose, code and output of an example."""
    lines = (ROOT / "examples" / f"{name}.cc").read_text().splitlines()
    code_at = next(n for n, line in enumerate(lines) if not line.startswith("//"))
    prints_at = lines.index("// Prints:")
    title, _, prose = " ".join(comment_text(lines[:code_at])).partition(": ")
    code = "\n".join(lines[code_at:prints_at]).strip()
    output = "\n".join(line.removeprefix("  ") for line in comment_text(lines[prints_at + 1:]))
    return title, prose, code, output


def first_sentence(header):
    """Of the comment that a header opens with."""
    path = ROOT / header
    text = path.read_text() if path.exists() else "// The version."
    opening = []
    for line in text.splitlines():
        if not line.startswith("// "):
            break
        opening.append(line[3:])
    first = re.split(r"(?<=[a-z)]\.) (?=[A-Z`])|:$", " ".join(opening))[0]
    return first.rstrip(":").removesuffix(".") + "."


def api():
    text = INTRODUCTION
    for name in EXAMPLES:
        title, prose, code, output = parts(name)
        text += f"\n## {title}\n\n{wrapped(prose[:1].upper() + prose[1:])}\n\n"
        text += f"```cpp\n{code}\n```\n\nprints (`examples/{name}.cc`):\n\n```\n{output}\n```\n"
    text += "\n## Public headers\n\nEverything else is internal and not installed.\n"
    for installed, made_of in public_headers.by_installed_name().items():
        text += f"\n`{installed}`\n\n"
        text += "".join(wrapped(f"- {first_sentence(header)}", "  ") + "\n" for header in made_of)
    return text


def main():
    listed, found = set(EXAMPLES), {path.stem for path in (ROOT / "examples").glob("*.cc")}
    if listed != found:
        sys.exit(f"examples that are not in the list of api_docs.py, or not there: {listed ^ found}")
    readme = (ROOT / "README.md").read_text()
    made = {"docs/api.md": api(),
            "README.md": SNIPPET.sub(lambda _: parts(EXAMPLES[0])[2] + "\n", readme, count=1)}
    stale = [path for path, text in made.items()
             if not (ROOT / path).exists() or (ROOT / path).read_text() != text]
    if "--check" in sys.argv:
        if stale:
            print(f"not current: {', '.join(stale)}; run scripts/api_docs.py")
        return 1 if stale else 0
    for path in stale:
        (ROOT / path).write_text(made[path])
    return 0


if __name__ == "__main__":
    sys.exit(main())
