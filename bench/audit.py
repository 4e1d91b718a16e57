#!/usr/bin/env python3
"""The tables of docs/audit.md: audits every mechanism and every command, honest and with planted faults.

    bench/audit.py BUILD_FOLDER [RUNS_OF_MECHANISMS]    writes the tables into docs/audit.md

BUILD_FOLDER has sotto, sotto_faulty and audit_mechanisms (`make test` builds them).
"""
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(sys.argv[1]).resolve()
MECHANISM_RUNS = sys.argv[2] if len(sys.argv) > 2 else "20000"
sys.path.insert(0, str(ROOT / "tests" / "e2e"))
sys.argv[1:] = [str(BUILD / "sotto")]
from audit_cases import CASES, FAULTS, audit, canary_cases

CANARIES = 64


def number(x):
    return "none" if x is None else "0" if abs(x) < 1e-9 else f"{x:.3g}"


def row(name, found):
    worst, power = found["worst"], found["power"]
    seen = "none" if power["epsilon"] is None else f"{100 * power['noise']:.0f}%"
    reach = max((r["share"] for r in found["reach"]), default=None)
    reached = "not known" if reach is None else f"{100 * reach:.0f}%"
    return (f"| {name} | {number(found['claimed']['epsilon'])} at {found['claimed']['delta']:.0e} | "
            f"{number(found['at_delta']['exceeded'])} | {number(worst['claimed'])} at "
            f"{worst['delta']:g} | {number(worst['exceeded'])} | {found['runs']} | {reached} | "
            f"{seen} |")


HEAD = ("| audited | claimed epsilon at delta | disproved there | claimed where most was found | "
        "disproved there | runs | reach | noise that would be found |\n" + "|---" * 8 + "|")


def verdict(found):
    return f"found: {number(found['worst']['exceeded'])}" if found["exceeds"] else "not found"


def mechanisms():
    done = subprocess.run([BUILD / "audit_mechanisms", MECHANISM_RUNS], capture_output=True, text=True,
                          check=True)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    yield "mechanisms", [HEAD, *(row(r["mechanism"], r) for r in rows if r["fault"] == "none")]
    names = dict.fromkeys(r["mechanism"] for r in rows)
    faults = [*FAULTS.values(), "stream reused"]
    table = [f"| mechanism | {' | '.join(faults)} |", "|---" * (len(faults) + 1) + "|"]
    for name in names:
        by_fault = {r["fault"]: r for r in rows if r["mechanism"] == name}
        cells = [verdict(by_fault[f]) if f in by_fault else "-" for f in faults]
        table.append(f"| {name} | {' | '.join(cells)} |")
    yield "mechanism faults", table


def commands():
    honest, faulty = [HEAD], [f"| command | {' | '.join(FAULTS.values())} |",
                              "|---" * (len(FAULTS) + 1) + "|"]
    for case in CASES:
        with tempfile.TemporaryDirectory(dir="/dev/shm") as name:
            folder = pathlib.Path(name)
            honest.append(row(case.name, case.audit(str(BUILD / "sotto"), folder)[1]))
            cells = [verdict(case.audit(str(BUILD / "sotto_faulty"), folder, fault)[1])
                     if fault in case.faults else case.without[fault] for fault in FAULTS]
        faulty.append(f"| {case.name} | {' | '.join(cells)} |")
        print(honest[-1], faulty[-1], sep="\n", flush=True)
    yield "commands", honest
    yield "command faults", faulty


def canaries():
    table = ["| command | claimed epsilon at delta | disproved | right guesses | largest epsilon that "
             "could be proved | with a thousandth of the noise |", "|---|---|---|---|---|---|"]
    for name, words, file, content, public in canary_cases():
        with tempfile.TemporaryDirectory(dir="/dev/shm") as made:
            folder = pathlib.Path(made)
            for path, text in {**public, file: content}.items():
                (folder / path).write_bytes(text)
            asked = [*map(str, words), "--canaries", str(CANARIES)]
            found = audit(str(BUILD / "sotto"), folder, asked)[1]
            faulty = audit(str(BUILD / "sotto_faulty"), folder, asked, "quiet")[1]
        claim = found["claimed"]
        table.append(f"| {name} | {number(claim['epsilon'])} at {claim['delta']:.0e} | "
                     f"{number(found['exceeded'])} | {found['right']} of {found['guesses']} | "
                     f"{number(found['power']['most'])} | {number(faulty['exceeded'])} |")
    yield "canaries", table


def main():
    page = ROOT / "docs" / "audit.md"
    text = page.read_text()
    for makes in mechanisms, canaries, commands:
        for name, table in makes():
            begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
            before, rest = text.split(begin)
            after = rest.split(end)[1]
            text = before + begin + "\n".join(table) + "\n" + end + after
        page.write_text(text)


if __name__ == "__main__":
    main()
