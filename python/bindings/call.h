// How Python calls a task: options by name, progress and Ctrl-C, errors as exceptions.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>

#include <chrono>
#include <exception>
#include <map>
#include <string>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/base/options.h"
#include "sotto/base/progress.h"

namespace sotto::python {

namespace nb = nanobind;

// A fit for which its ledger has no place: nothing was read, and nothing is spent.
struct NotReserved : Error {
  explicit NotReserved(const Error& error) : Error(error) {}
};

// The options of a task as its table names them, each with the text that a command line would have.
using OptionTexts = std::map<std::string, std::string>;
void set_options(OptionTable table, const OptionTexts& options);

// Tells a Python function how far a run is, a few times a second: function(stage, done, total). The
// run ends where the function returns False or raises, and where the user presses Ctrl-C.
class CallProgress {
 public:
  explicit CallProgress(nb::object function) : function_(std::move(function)) {}

  // Runs work(callback) without holding Python's lock, and raises what the function has raised.
  template <class Work>
  auto run(Work work) {
    try {
      const nb::gil_scoped_release free;
      return work(ProgressCallback([this](const ProgressReport& now) { return report(now); }));
    } catch (...) {
      if (raised_) std::rethrow_exception(raised_);
      throw;
    }
  }

 private:
  using Clock = std::chrono::steady_clock;
  bool report(const ProgressReport& now);

  nb::object function_;
  std::exception_ptr raised_;
  Clock::time_point last_{};
};

// From here on errors of the library become the exceptions of sotto/errors.py.
void take_errors();

}  // namespace sotto::python
