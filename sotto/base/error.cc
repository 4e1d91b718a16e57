#include "sotto/base/error.h"

namespace sotto {

Error::Error(const std::string& message, std::string place, Fault fault, std::string condition,
             std::string raised_at)
    : std::runtime_error(place.empty() ? message : place + ": " + message),
      message_(message),
      place_(std::move(place)),
      fault_(fault),
      condition_(std::move(condition)),
      raised_at_(std::move(raised_at)) {}

void throw_error(const FailedRequirement& failed, std::string place, fmt::string_view format,
                 fmt::format_args values) {
  throw Error(fmt::vformat(format, values), std::move(place), Fault::input, failed.condition,
              fmt::format("{}:{}", failed.file, failed.line));
}

}  // namespace sotto
