// What may be said about private records that cannot be read: where they stand, and no more.
#pragma once

#include <string>

#include "sotto/base/error.h"

namespace sotto {

// Throws in place of an error that a reader raised: those about the text of the records quote it,
// and what they say must not leave a private run. Errors about options, about a file that cannot be
// opened and about the machine stay. `released` says what has left by then.
[[noreturn]] void refuse_records(
    const Error& error, const std::string& name,
    const std::string& released = ", and nothing was released by this run");

}  // namespace sotto
