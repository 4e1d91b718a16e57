#!/usr/bin/env python3
"""The manual as a man page: docs/cli.md in roff.

usage: man_page.py VERSION < docs/cli.md > sotto.1

docs/cli.md has headings, paragraphs, `code` and tables of options. Anything else stops the script,
so that a page with holes cannot be made.
"""
import re
import sys

ROW = re.compile(r"^\| `(.*?)` \| (.*?) \| (.*?) \|$")


def roff(text):
    """Text in roff, with `code` in bold."""
    text = text.replace("\\|", "|").replace("\\", "\\e").replace("-", "\\-")
    text = re.sub(r"`([^`]*)`", r"\\fB\1\\fR", text)
    return "\\&" + text if text.startswith((".", "'")) else text


def option(row):
    names, meaning, limits = row.groups()
    limits = f" ({limits})" if limits else ""
    return [".TP", roff(f"`{names}`"), roff(meaning + limits)]


def man_page(markdown, version):
    lines = [f'.TH SOTTO 1 "" "sotto {version}" "User Commands"', ".SH NAME",
             "sotto \\- differentially private tensor decomposition", ".SH SYNOPSIS",
             "\\fBsotto\\fR \\fICOMMAND\\fR [\\fIoptions\\fR]", ".SH DESCRIPTION"]
    goes_on = False  # the line before belongs to the same paragraph
    for line in markdown.splitlines():
        row = ROW.match(line)
        begins, goes_on = not goes_on, False
        if row:
            lines += option(row)
        elif line.startswith("## "):
            lines.append(f".SH {roff(line[3:]).upper()}")
        elif line.startswith(("# ", "| option |", "|---")):
            continue
        elif line.startswith(("|", "#", "```", "- ", "* ")):
            sys.exit(f"man_page.py: cannot turn this into roff: {line}")
        elif line:
            lines += [".PP", roff(line)] if begins else [roff(line)]
            goes_on = True
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(man_page(sys.stdin.read(), sys.argv[1]))
