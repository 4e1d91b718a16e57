// What may be said about private records that cannot be read: which file they are in, and no more.
#pragma once

#include <string>

#include "sotto/base/error.h"

namespace sotto {

// Throws in place of an error that a reader raised. Errors about the text of the records quote it,
// which must not leave a private run. Errors about options, about a file that cannot be opened and
// about the machine are thrown again as they are. `released` says what has been released so far.
[[noreturn]] void refuse_records(
    const Error& error, const std::string& name,
    const std::string& released = ", and nothing was released by this run");

}  // namespace sotto
