#!/usr/bin/env python3
"""All benchmarks, printed as ratios measured in one run.

usage: run.py BUILD_FOLDER [--quick]

Kernel rates stand against the best dgemm rate this machine shows, over OpenBLAS (told to use each
of several kernels, because it does not recognise every processor) and this library's own product.
Peers run in a virtual environment that is made under the build folder; without a package index that
part is skipped and says so.
"""
import os
import pathlib
import subprocess
import sys
import venv

HERE = pathlib.Path(__file__).resolve().parent


def rates(program, **environment):
    text = subprocess.run([program], env=dict(os.environ, **environment), check=True,
                          capture_output=True, text=True).stdout
    return {name: float(value) for name, value in (line.split() for line in text.splitlines())}


def best_dgemm(build):
    best = {}
    for core in None, "SkylakeX", "Haswell", "Zen":
        environment = {} if core is None else {"OPENBLAS_CORETYPE": core}
        for name, value in rates(build / "bench_dgemm", **environment).items():
            best[name] = max(best.get(name, 0), value)
    return best


def kernel_section(build):
    dgemm = best_dgemm(build)
    peak = max(dgemm.values())
    print("dgemm of this machine (GF/s)")
    for name, value in sorted(dgemm.items()):
        print(f"  {name:<28}{value:8.1f}   {value / peak:5.2f} of the best")
    print("block contraction: 2 d^p L / time (GF/s)")
    for name, value in rates(build / "bench_kernel").items():
        print(f"  {name:<28}{value:8.1f}   {value / peak:5.2f} x the best dgemm")


def peer_python(build):
    folder = build / "peers"
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
    packages = (HERE / "peers.txt").read_text().split()
    done = subprocess.run([python, "-m", "pip", "install", "-q", *packages], capture_output=True,
                          text=True)
    if done.returncode != 0:
        print("peers skipped: " + (done.stderr.strip().splitlines() or ["pip failed"])[-1])
        return None
    return python


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    quick = "--quick" in sys.argv[2:]
    kernel_section(build)
    python = peer_python(build)
    if python is not None:
        subprocess.run([python, HERE / "tensorly_peer.py", build / "sotto"]
                       + (["--quick"] if quick else []), check=True)


if __name__ == "__main__":
    main()
