"""The types of the package hold, with the stub of the extension module as it is built."""
import pathlib
import subprocess
import sys

import sotto

PYTHON = pathlib.Path(__file__).parent.parent


def test_types(tmp_path):
    package = tmp_path / "sotto"
    package.mkdir()
    for source in (PYTHON / "sotto").glob("*.py"):
        (package / source.name).write_text(source.read_text())
    core = sotto._core.__name__
    subprocess.run([sys.executable, "-m", "nanobind.stubgen", "-q", "-m", core, "-o",
                    package / "_core.pyi"], check=True)
    found = subprocess.run([sys.executable, "-m", "mypy", "--config-file", PYTHON / "mypy.ini",
                            "sotto"], cwd=tmp_path, capture_output=True, text=True)
    assert found.returncode == 0, found.stdout
