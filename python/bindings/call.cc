#include "python/bindings/call.h"

#include <algorithm>
#include <new>

#include "sotto/base/error.h"

namespace sotto::python {
namespace {

constexpr auto kBetweenReports = std::chrono::milliseconds(50);

// Options that the estimators call otherwise, as scikit-learn does.
const std::map<std::string, std::string> kPythonNames = {
    {"batch", "batch_size"},    {"components", "n_components"}, {"epochs", "max_iter"},
    {"iterations", "max_iter"}, {"people", "n_people"},         {"seed", "random_state"},
    {"starts", "n_starts"},     {"tolerance", "tol"},           {"topics", "n_components"},
    {"users", "n_users"}};

std::string python_name(std::string option) {
  const auto found = kPythonNames.find(option);
  if (found != kPythonNames.end()) return found->second;
  std::replace(option.begin(), option.end(), '-', '_');
  return option;
}

// "`max-norm` must be positive" -> "max_norm must be positive".
std::string with_python_names(const std::string& text) {
  std::string result;
  std::size_t at = 0;
  while (true) {
    const std::size_t open = text.find('`', at);
    const std::size_t close = open == std::string::npos ? open : text.find('`', open + 1);
    if (close == std::string::npos) return result + text.substr(at);
    result += text.substr(at, open - at) + python_name(text.substr(open + 1, close - open - 1));
    at = close + 1;
  }
}

nb::handle refused, not_reserved, stopped;  // exception types, which their module keeps

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const NotReserved& error) {
    PyErr_SetString(not_reserved.ptr(), with_python_names(error.what()).c_str());
  } catch (const Error& error) {
    const std::string text = with_python_names(error.what());
    switch (error.fault()) {
      case Fault::input:
      case Fault::unopened:
        return PyErr_SetString(refused.ptr(), text.c_str());
      case Fault::stopped:
        return PyErr_SetString(stopped.ptr(), text.c_str());
      case Fault::system:
        return PyErr_SetString(PyExc_OSError, text.c_str());
    }
  } catch (const nb::builtin_exception&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {
    // The texts of other libraries mean nothing to a user, and may quote the data.
    PyErr_SetString(PyExc_RuntimeError, "an internal fault of sotto; please report it");
  }
}

}  // namespace

void set_options(OptionTable table, const OptionTexts& options) {
  for (const auto& [name, text] : options) table.set(name, text);
}

bool CallProgress::report(const ProgressReport& now) {
  const Clock::time_point time = Clock::now();
  if (time - last_ < kBetweenReports && now.done != now.total) return true;
  last_ = time;
  const nb::gil_scoped_acquire lock;
  try {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (function_.is_none()) return true;
    return !function_(now.stage, now.done, now.total).is(nb::bool_(false));
  } catch (...) {
    raised_ = std::current_exception();
    return false;
  }
}

void take_errors() {
  const nb::module_ errors = nb::module_::import_("sotto.errors");
  refused = errors.attr("Refused");
  not_reserved = errors.attr("NotReserved");
  stopped = errors.attr("Stopped");
  nb::register_exception_translator(translate);
}

}  // namespace sotto::python
