// The one exception of the library.
//
// It is thrown when a caller asks for something that cannot be done: bad input, impossible
// parameters, a file that cannot be written. Not converging is never an exception; it is a status
// in the result. `what()` is one line that a user can act on. It names options between backquotes,
// as in the option tables; the front end that shows the line spells them as its users type them
// (with_dashes in base/options.h for the command line). Results are stored, so their sentences name
// no options.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

#include "sotto/base/export.h"

namespace SOTTO_API sotto {

// Who has to act: the caller (bad usage or bad input; a file that cannot be opened, of which
// nothing has been read) or the machine (disk full, no randomness). `stopped`: nobody, the caller
// asked the run to stop.
enum class Fault { input, unopened, system, stopped };

class Error : public std::runtime_error {
 public:
  // `place` says where in the user's world the fault lies ("ratings.csv:17", "`starts`");
  // `condition` and `raised_at` say which requirement of the code failed, for the developer.
  Error(const std::string& message, std::string place, Fault fault = Fault::input,
        std::string condition = {}, std::string raised_at = {});

  const std::string& message() const { return message_; }
  const std::string& place() const { return place_; }
  // Whether the fault lies in an option, which is then the place: "`starts`".
  bool names_an_option() const { return place_.starts_with('`'); }
  Fault fault() const { return fault_; }
  const std::string& condition() const { return condition_; }
  const std::string& raised_at() const { return raised_at_; }

 private:
  std::string message_;
  std::string place_;
  Fault fault_;
  std::string condition_;
  std::string raised_at_;
};

// A requirement of the code that does not hold.
struct FailedRequirement {
  const char* condition;
  const char* file;
  int line;
};

[[noreturn]] void throw_error(const FailedRequirement& failed, std::string place,
                              fmt::string_view format, fmt::format_args values);

// Never inlined: there are hundreds of requirements, and none may weigh on the code it guards.
template <class... Values>
[[noreturn, gnu::cold, gnu::noinline]] void fail(const FailedRequirement& failed, std::string place,
                                                 fmt::format_string<const Values&...> format,
                                                 const Values&... values) {
  throw_error(failed, std::move(place), format, fmt::make_format_args(values...));
}

}  // namespace sotto

// SOTTO_REQUIRE(k <= d, "k must be at most the dimension {}, got {}", d, k)
// throws Error when the condition does not hold (also when it is a comparison with NaN).
#define SOTTO_REQUIRE(condition, ...) SOTTO_REQUIRE_AT(condition, ::std::string{}, __VA_ARGS__)

// The same with the place in the user's world: SOTTO_REQUIRE_AT(ok, "a.tns:3", "...").
#define SOTTO_REQUIRE_AT(condition, place, ...)                                              \
  do {                                                                                       \
    if (!(condition)) ::sotto::fail({#condition, __FILE__, __LINE__}, (place), __VA_ARGS__); \
  } while (false)
