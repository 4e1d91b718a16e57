// Random bytes of the operating system, for keys.
//
// libsodium ends the program where the system refuses; here that is an Error with Fault::system.
#pragma once

#include <cstdint>
#include <span>

namespace sotto {

void fill_from_system(std::span<std::uint8_t> bytes);

// For everything that uses libsodium, before it does.
void start_sodium();

}  // namespace sotto
