"""Makes the Debian package, unpacks it into an empty root, and uses it as a user and as another
project would: runs the command, and builds programs against it, by CMake and pkg-config, with the
static and with the shared libraries.

usage: test_package.py BUILD_FOLDER COMPILER
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BUILD, COMPILER = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
import public_headers  # noqa: E402
FOUND = "2.500000 1.000000\n`epsilon`\n"


def run(*command, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command}\n{done.stdout}\n{done.stderr}")
    return done.stdout


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        work = pathlib.Path(cls.folder.name)
        run("cpack", "--config", BUILD / "CPackConfig.cmake", "-B", work / "deb", "-D",
            "CPACK_DEBIAN_COMPRESSION_TYPE=zstd", cwd=work)  # the fastest
        (cls.package,) = (work / "deb").glob("sotto_*.deb")
        run("dpkg", "-x", cls.package, work / "root")
        cls.prefix = work / "root" / "usr"
        cls.lib = next(cls.prefix.rglob("libsotto.a")).parent
        # An installed system's loader finds them by itself.
        cls.environment = dict(os.environ, LD_LIBRARY_PATH=str(cls.lib),
                               PKG_CONFIG_PATH=str(cls.lib / "pkgconfig"))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_the_package_names_what_it_depends_on(self):
        fields = run("dpkg-deb", "-f", self.package)
        self.assertIn("Package: sotto\n", fields)
        for library in "libsodium", "libfmt", "zlib1g", "libgomp1", "libsqlite3-0":
            self.assertRegex(fields, f"Depends: .*{library}")
        self.assertIn("libeigen3-dev", fields)

    def test_command_and_manual(self):
        self.assertIn("sotto 0.2", run(self.prefix / "bin" / "sotto", "--version"))
        page = next(self.prefix.rglob("man1/sotto.1*"))
        self.assertIn("SOTTO COMPLETE", page.read_text())
        self.assertTrue(list(self.prefix.rglob("doc/sotto/docs/api.md")))
        for name in "completions/sotto", "site-functions/_sotto", "vendor_completions.d/sotto.fish":
            (found,) = self.prefix.rglob(name)
            self.assertIn("--insecure-seed" if "fish" not in name else "insecure-seed",
                          found.read_text())

    def test_cmake_and_pkg_config(self):
        build = pathlib.Path(self.folder.name, "consumer")
        run("cmake", "-S", HERE, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={self.prefix}",
            f"-DREPORT_EXAMPLE={ROOT / 'examples' / 'report.cc'}",
            f"-DCMAKE_CXX_COMPILER={COMPILER}", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON")
        run("cmake", "--build", build)
        for library in "sotto", "sotto_shared":
            program = build / f"consumer_{library}"
            self.assertEqual(run(program, env=self.environment), FOUND)
            # A program without reports carries no page.
            self.assertNotIn(b"</html>", program.read_bytes())
        for library in "report", "report_shared":
            with tempfile.TemporaryDirectory() as folder:
                run(build / f"consumer_{library}", cwd=folder, env=self.environment)
                self.assertIn("</html>", pathlib.Path(folder, "found/report.html").read_text())
        self.check_pkg_config(build)

    def check_pkg_config(self, build):
        """What CMake has compiled is linked again: with the same definitions, on which the layout of
        vectors depends, compiling again would give the same."""
        (main,) = build.rglob("main.cc.o")
        program = pathlib.Path(self.folder.name, "program")
        run(COMPILER, main, "-o", program,
            *run("pkg-config", "--libs", "sotto", env=self.environment).split())
        self.assertEqual(run(program, env=self.environment), FOUND)
        flags = run("pkg-config", "--cflags", "sotto", env=self.environment).split()
        for header in "sotto/sotto.h", "Eigen/Core":
            run(COMPILER, *flags, "-fsyntax-only", "-x", "c++", "-",
                input=f"#if !__has_include(<{header}>)\n#error\n#endif\n")
        (by_cmake,) = {line["command"] for line in
                       json.loads((build / "compile_commands.json").read_text())
                       if line["file"].endswith("main.cc")}
        definitions = lambda words: {word for word in words if word.startswith("-DEIGEN")}
        self.assertTrue(definitions(flags))
        self.assertEqual(definitions(flags), definitions(by_cmake.split()))
        for package, options in ("sotto_report", []), ("sotto", ["--static"]):
            libraries = run("pkg-config", *options, "--libs", package, env=self.environment)
            self.assertIn("-lsodium" if options else "-lsotto_report", libraries)

    def test_shared_libraries_show_what_the_public_headers_declare(self):
        for name, shown in ("sotto", "sotto::run(sotto::Input<sotto::SymmetricTensor>"), \
                ("sotto_report", "sotto::write_result("):
            library = (self.lib / f"lib{name}.so").resolve()
            self.assertIn(f"Library soname: [lib{name}.so.0.2]", run("readelf", "-d", library))
            symbols = run("nm", "-DC", "--defined-only", library)
            self.assertIn(shown, symbols)
            for inner in "sotto::PrivateRun::", "sotto::leading_eigenpairs", "sotto::render", "ReleaseAccess":
                self.assertNotIn(inner, symbols)

    def test_public_headers_are_installed_and_no_others(self):
        include = self.prefix / "include"
        installed = {path.relative_to(include).as_posix() for path in include.rglob("*.h")}
        self.assertEqual(installed, set(public_headers.by_installed_name()))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
