"""The script that checks the include arrows finds planted violations and passes a clean tree."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent.parent / "scripts" / "check_includes.py"
sys.path.insert(0, str(SCRIPT.parent))
from check_includes import violations


def check(files, as_program=False):
    """(exit code, output) of the script over a tree with these files."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        if as_program:
            run = subprocess.run([sys.executable, SCRIPT, folder], capture_output=True, text=True)
            return run.returncode, run.stdout
        found = violations(pathlib.Path(folder).resolve())
        return (1 if found else 0), "".join(f"{line}\n" for line in found)


class CheckIncludes(unittest.TestCase):
    def test_passes_an_include_along_the_arrows(self):
        for as_program in False, True:
            self.assertEqual(check({"sotto/release/a.h": '#include "sotto/linalg/matrix.h"\n'},
                                   as_program), (0, ""))

    def test_catches_a_solver_that_sees_noise(self):
        for as_program in False, True:
            code, text = check({"sotto/decompose/a.cc": '\n#include "sotto/privacy/gaussian.h"\n'},
                               as_program)
            self.assertEqual(code, 1)
            self.assertIn("sotto/decompose/a.cc:2: decompose/ may not include privacy/", text)

    def test_catches_privacy_that_sees_a_tensor(self):
        code, _ = check({"sotto/privacy/a.h": '#include "sotto/tensor/oracle.h"\n'})
        self.assertEqual(code, 1)

    def test_catches_a_kernel_that_sees_a_fit(self):
        upward = '#include "sotto/complete/private/sums.h"\n'
        for room in "kernels", "fit":
            code, text = check({f"sotto/complete/{room}/a.h": upward})
            self.assertEqual(code, 1)
            self.assertIn(f"complete/{room}/ may not include private/", text)
        downward = '#include "sotto/complete/kernels/packs.h"\n'
        self.assertEqual(check({"sotto/complete/private/a.h": downward}), (0, ""))

    def test_catches_the_library_including_the_program(self):
        code, _ = check({"sotto/base/a.h": '#include "cli/command.h"\n'})
        self.assertEqual(code, 1)

    def test_catches_an_observer_outside_of_the_audit(self):
        handed = "options.observer = watcher;\n"
        for name in "cli/topics.cc", "sotto/tasks/topics.cc", "python/bindings/module.cc":
            code, text = check({name: handed})
            self.assertEqual(code, 1, name)
            self.assertIn("only an audit looks at the releases of a run", text)
        self.assertEqual(check({"sotto/release/private_run.cc": handed}), (0, ""))

    def test_catches_a_second_door(self):
        code, text = check({"sotto/models/a.h": "struct ReleaseAccess {\n};\n"})
        self.assertEqual(code, 1)
        self.assertIn("ReleaseAccess may be defined in release/ only", text)

    def test_catches_a_second_door_in_the_program(self):
        code, text = check({"cli/a.cc": "struct ReleaseAccess {\n};\n"})
        self.assertEqual(code, 1)
        self.assertIn("ReleaseAccess may be defined in release/ only", text)

    def test_the_door_is_used_in_release_alone(self):
        door = '#include "sotto/release/access.h"\n'
        for place in ("sotto/complete/a.cc", "sotto/models/a_test.cc", "cli/a.cc", "bench/a.cc",
                      "tests/integration/a_test.cc"):
            code, text = check({place: door})
            self.assertEqual(code, 1, place)
            self.assertIn(f"{place}:1: sotto/release/access.h may be included in release/", text)
        for place in "sotto/release/a.cc", "sotto/release/a_test.cc":
            self.assertEqual(check({place: door}), (0, ""))

    def test_no_header_hands_on_the_door(self):
        door = '#include "sotto/release/access.h"\n'
        for place in "sotto/release/a.h", "sotto/release/testing/a.h":
            code, text = check({place: door})
            self.assertEqual(code, 1, place)
            self.assertIn(f"{place}: sotto/release/access.h may be included in the sources", text)

    def test_noise_is_drawn_by_the_run_alone(self):
        for line in ("mechanism.release(x, key.open_stream(), x);\n", "  Ledger ledger(words);\n"):
            for place in "sotto/release/a.cc", "sotto/complete/a.h", "cli/a.cc":
                code, text = check({place: line})
                self.assertEqual(code, 1, place)
                self.assertIn(f"{place}:1: noise is drawn and recorded by", text)
            for place in ("sotto/privacy/a.cc", "sotto/release/private_run.h",
                          "sotto/release/a_test.cc"):
                self.assertEqual(check({place: line}), (0, ""), place)

    def program(self, *headers):
        """Findings about a command that includes these, without those on unneeded entries."""
        _, text = check({"cli/a.cc": "".join(f'#include "{header}"\n' for header in headers)})
        return [line for line in text.splitlines() if "strike it off" not in line]

    def test_the_program_sees_tasks_and_results(self):
        self.assertEqual(self.program("cli/command.h", "sotto/tasks/topics.h",
                                      "sotto/report/document.h", "sotto/io/read_corpus.h"), [])

    def test_the_program_sees_neither_mechanisms_nor_parts_of_a_task(self):
        for header in ("sotto/privacy/gaussian.h", "sotto/release/private_run.h",
                       "sotto/release/private_documents.h", "sotto/models/shrinkage.h",
                       "sotto/moments/document_moments.h", "sotto/complete/kernels/packs.h"):
            self.assertEqual(self.program(header), [f"cli/a.cc: cli may not include {header}"])

    def test_the_python_module_makes_data_but_no_mechanism(self):
        for header in "sotto/tensor/corpus.h", "sotto/tasks/topics.h", "sotto/decompose/power.h":
            found = check({"python/bindings/a.cc": f'#include "{header}"\n'})[1]
            self.assertNotIn("may not include", found)
        for header in "sotto/privacy/gaussian.h", "sotto/release/private_run.h":
            self.assertIn(f"python/bindings may not include {header}",
                          check({"python/bindings/a.cc": f'#include "{header}"\n'})[1])

    def test_an_exception_that_is_not_needed_is_struck_off(self):
        header = "sotto/privacy/accountant.h"
        line = f"cli includes {header} no more: strike it off"
        self.assertIn(line, check({"cli/a.cc": '#include "sotto/tasks/topics.h"\n'})[1])
        self.assertNotIn(line, check({"cli/a.cc": f'#include "{header}"\n'})[1])

    def test_catches_a_folder_that_is_not_in_the_picture(self):
        code, text = check({"sotto/util/a.h": "\n"})
        self.assertEqual(code, 1)
        self.assertIn("not in the picture", text)


if __name__ == "__main__":
    unittest.main()
