// The extension module: the tasks, the solvers and the accountant, and the command line itself, so
// that a wheel has one copy of the library.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "cli/main.h"
#include "python/bindings/bind.h"
#include "python/bindings/call.h"
#include "sotto/base/version.h"

namespace nb = nanobind;

NB_MODULE(SOTTO_MODULE, m) {
  nb::set_leak_warnings(false);  // an exception kept at the end of a program is no leak
  sotto::python::take_errors();
  sotto::python::bind_tasks(m);
  sotto::python::bind_partitions(m);
  sotto::python::bind_solvers(m);
  sotto::python::bind_accountant(m);
  m.attr("version") = SOTTO_VERSION;
  m.def("command_line", [](const std::vector<std::string>& arguments) {
    const nb::gil_scoped_release free;
    return sotto::cli::run_program(arguments);
  });
}
