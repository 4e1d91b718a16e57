// The parts of the extension module. module.cc puts them together.
#pragma once

#include <nanobind/nanobind.h>

namespace sotto::python {

void bind_tasks(nanobind::module_& module);
void bind_partitions(nanobind::module_& module);
void bind_solvers(nanobind::module_& module);
void bind_accountant(nanobind::module_& module);

}  // namespace sotto::python
