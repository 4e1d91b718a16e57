// The edges of a run: what it may read beside its input, what it may say about the records, and
// that it says first when nothing is protected.
#pragma once

#include <string>
#include <vector>

#include "cli/not_private.h"
#include "sotto/base/error.h"
#include "sotto/base/unquoted.h"
#include "sotto/privacy/certificate.h"

namespace sotto::cli {

// A file that a run reads beside its input. In a private run it is taken as public.
struct Companion {
  std::string option;
  std::string path;  // empty: not given
};
using Companions = std::vector<Companion>;

// Refuses a companion that is the protected file itself, under whatever name.
void require_public(const Companions& companions, const std::string& protected_path);

// Names the companions among what the certificate takes as public.
void name_companions(Certificate& certificate, const Companions& companions);

// Runs a reader of private records. What it says about their file is not passed on: it may quote
// them.
template <class Read>
auto read_unquoted(const std::string& path, Read read) {
  try {
    return read();
  } catch (const Error& error) {
    refuse_records(error, path == "-" ? "standard input" : path);
  }
}

}  // namespace sotto::cli
