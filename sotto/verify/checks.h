// The checks of a verification, each with the findings it adds.
#pragma once

#include <string>

#include "sotto/verify/verification.h"

namespace sotto::verify {

// A folder as it lies there.
struct Folder {
  std::string path;
  std::string text;  // of result.json
  Json result;

  std::string file(const std::string& name) const { return path + "/" + name; }
};

// The files against `files` and `digests`; nothing else in the folder.
void check_files(const Folder& folder, Findings& findings);
void check_seal(const Folder& folder, Findings& findings);
void check_signature(const Folder& folder, const std::optional<PublicKey>& key, Findings& findings);

// Epsilon from the releases, and what it means.
void check_guarantee(const Json& result, Findings& findings);

// The unit against the command, its options and the files; `wanted` may be empty.
void check_unit(const Json& result, const std::string& wanted, Findings& findings);
// Numbers of result.json against each other and against the arrays.
void check_facts(const Folder& folder, Findings& findings);
// The pages beside result.json say the same epsilon.
void check_pages(const Folder& folder, Findings& findings);

std::optional<double> number(const Json& value);  // finite
std::string words(const Json& value);             // empty where it is no text

// The bytes of a file; none where it cannot be read or is no plain file.
std::optional<std::string> bytes_of(const std::string& path);

}  // namespace sotto::verify
