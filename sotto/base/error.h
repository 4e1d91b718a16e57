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
        std::string condition = {}, std::string raised_at = {})
      : std::runtime_error(place.empty() ? message : place + ": " + message),
        message_(message),
        place_(std::move(place)),
        fault_(fault),
        condition_(std::move(condition)),
        raised_at_(std::move(raised_at)) {}

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

}  // namespace sotto

// SOTTO_REQUIRE(k <= d, "k must be at most the dimension {}, got {}", d, k)
// throws Error when the condition does not hold (also when it is a comparison with NaN).
#define SOTTO_REQUIRE(condition, ...) SOTTO_REQUIRE_AT(condition, ::std::string{}, __VA_ARGS__)

// The same with the place in the user's world: SOTTO_REQUIRE_AT(ok, "a.tns:3", "...").
#define SOTTO_REQUIRE_AT(condition, place, ...)                                                    \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      throw ::sotto::Error(::fmt::format(__VA_ARGS__), (place), ::sotto::Fault::input, #condition, \
                           ::fmt::format("{}:{}", __FILE__, __LINE__));                            \
    }                                                                                              \
  } while (false)
