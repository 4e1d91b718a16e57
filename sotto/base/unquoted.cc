#include "sotto/base/unquoted.h"

namespace sotto {

void refuse_records(const Error& error, const std::string& name, const std::string& released) {
  if (error.fault() != Fault::input || error.names_an_option()) throw error;
  throw Error(
      "has a record that cannot be read in this format; what is wrong with it is not shown in a "
      "private run" +
          released,
      name);
}

}  // namespace sotto
