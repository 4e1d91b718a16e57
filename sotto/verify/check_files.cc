#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "sotto/base/digest.h"
#include "sotto/base/error.h"
#include "sotto/verify/checks.h"

namespace sotto::verify {
namespace {

namespace fs = std::filesystem;

constexpr const char* kResult = "result.json";
constexpr const char* kSignature = "result.json.sig";

// The files that result.json lists, and the page, which every folder has.
std::set<std::string> listed(const Json& result) {
  std::set<std::string> names{"report.html"};
  for (const Json& name : find(result, "files")) names.insert(words(name));
  return names;
}

std::set<std::string> present(const std::string& folder) {
  std::set<std::string> names;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    names.insert(entry.path().filename().string());
  }
  if (failed) throw Error("cannot be read", folder, Fault::system);
  return names;
}

// Empty: the file is as it was written.
std::string fault_of(const Folder& folder, const std::string& name) {
  if (name.empty() || name.find('/') != std::string::npos)
    return "does not name a file in the folder";
  const std::string path = folder.file(name);
  std::error_code failed;
  if (fs::symlink_status(path, failed).type() != fs::file_type::regular) return "is missing";
  const Json& digests = find(folder.result, "digests");
  if (!digests.is_object() || !digests.contains(name)) return "has no digest in result.json";
  const FileDigest found = digest_of_file(path);
  const Json& said = digests.at(name);
  if (find(said, "bytes") != found.bytes) return "does not have the size that result.json states";
  if (find(said, "blake2b") != found.blake2b) return "was changed: its digest differs";
  return "";
}

// A file that shows data without protection has no digest, by which a guess could be tested.
bool is_exposed(const Json& result, const std::string& name) {
  return name == "inferred.npy" && find(result, "exposes").is_string() &&
         !find(result, "digests").contains(name);
}

}  // namespace

void check_files(const Folder& folder, Findings& findings) {
  if (!findings.require(find(folder.result, "digests").is_object(), "result.json has digests",
                        "result.json has no digests: its files cannot be checked")) {
    return;
  }
  std::set<std::string> names = listed(folder.result);
  std::size_t good = 0, bad = 0;
  for (const std::string& name : names) {
    if (is_exposed(folder.result, name)) {
      findings.unchecked(
          fmt::format("{} has no digest, since it shows data without protection", name));
      continue;
    }
    const std::string fault = fault_of(folder, name);
    ++(fault.empty() ? good : bad);
    if (!fault.empty()) findings.fails(fmt::format("{} {}", name, fault));
  }
  if (bad == 0)
    findings.holds(fmt::format("{} files have the sizes and digests of result.json", good));
  names.insert({kResult, kSignature});
  bool alone = true;
  for (const std::string& name : present(folder.path)) {
    if (names.contains(name)) continue;
    alone = false;
    findings.fails(fmt::format("{} is in the folder but is not part of the result", name));
  }
  if (alone) findings.holds("nothing else is in the folder");
}

void check_seal(const Folder& folder, Findings& findings) {
  constexpr std::string_view kSeal = "  \"seal\": \"";
  const std::size_t line = folder.text.rfind(kSeal);
  const std::string said = words(find(folder.result, "seal"));
  const bool whole = line != std::string::npos &&
                     folder.text.substr(line) == fmt::format("{}{}\"\n}}\n", kSeal, said) &&
                     digest_of(std::string_view(folder.text).substr(0, line)) == said;
  findings.require(whole, "result.json is as it was written: its seal fits",
                   "result.json was changed: its seal does not fit, or is missing");
}

void check_signature(const Folder& folder, const std::optional<PublicKey>& key,
                     Findings& findings) {
  const std::optional<std::string> signature = bytes_of(folder.file(kSignature));
  if (!key) {
    findings.unchecked(signature ? "the folder is signed: name the public key to check by whom"
                                 : "the folder is not signed: nothing shows who made it");
    return;
  }
  if (!signature) return findings.fails("the folder is not signed");
  findings.require(key->verifies(folder.text, *signature), "the signature is of this key",
                   "the signature is of another key, or of another result");
}

}  // namespace sotto::verify
