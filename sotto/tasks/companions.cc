#include "sotto/tasks/companions.h"

#include "sotto/base/error.h"
#include "sotto/io/same_file.h"

namespace sotto {

void require_public(const Companions& companions, const std::string& protected_path) {
  for (const Companion& companion : companions) {
    SOTTO_REQUIRE_AT(companion.path.empty() || !same_file(companion.path, protected_path),
                     fmt::format("`{}`", companion.option),
                     "must be a public file; {} is the file that this run protects",
                     companion.path);
  }
}

std::vector<std::string> paths_of(const Companions& companions) {
  std::vector<std::string> paths;
  for (const Companion& companion : companions) {
    if (!companion.path.empty()) paths.push_back(companion.path);
  }
  return paths;
}

void name_companions(PrivacyStatement& statement, const Companions& companions) {
  for (const Companion& companion : companions) {
    if (companion.path.empty()) continue;
    statement.public_facts.push_back(fmt::format("{}, {}", companion.what, companion.path));
  }
}

}  // namespace sotto
