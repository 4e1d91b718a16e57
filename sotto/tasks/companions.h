// The files that a task reads beside its input: a vocabulary, a truth, documents to infer.
#pragma once

#include <string>
#include <vector>

#include "sotto/privacy/certificate.h"

namespace sotto {

// In a private run a companion is taken as public.
struct Companion {
  std::string option;  // "vocab", for errors
  std::string what;    // "the vocabulary file", for certificates
  std::string path;    // empty: not given
};
using Companions = std::vector<Companion>;

// Refuses a companion that is the protected file itself, under whatever name.
void require_public(const Companions& companions, const std::string& protected_path);

std::vector<std::string> paths_of(const Companions& companions);

// Adds the companions to what the certificate takes as public.
void name_companions(PrivacyStatement& statement, const Companions& companions);

}  // namespace sotto
