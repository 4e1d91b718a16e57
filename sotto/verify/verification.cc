#include "sotto/verify/verification.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "sotto/base/error.h"
#include "sotto/base/rounded_up.h"
#include "sotto/verify/checks.h"

namespace sotto::verify {
namespace {

Folder read_folder(const std::string& path) {
  std::error_code failed;
  SOTTO_REQUIRE_AT(std::filesystem::is_directory(path, failed), path, "is not a folder");
  Folder folder{path, "", {}};
  const std::optional<std::string> text = bytes_of(folder.file("result.json"));
  SOTTO_REQUIRE_AT(text, path, "is not the folder of a result: it has no result.json");
  folder.text = *text;
  folder.result = parse_json(*text);
  SOTTO_REQUIRE_AT(folder.result.is_object() && find(folder.result, "command").is_string() &&
                       find(folder.result, "files").is_array(),
                   folder.file("result.json"), "is not that of a result, or is damaged");
  return folder;
}

void say_what_cannot_be_seen(const Json& result, Findings& findings) {
  findings.unchecked(
      fmt::format("whether build {} of sotto {} made it, and drew the noise that it lists",
                  words(find(result, "build")), words(find(result, "version"))));
  findings.unchecked(
      "whether the data was as the certificate assumes, and what is called public is");
  findings.unchecked("what else was published from the same data");
  if (!find(result, "statement/ledger").is_null()) {
    findings.unchecked("what the certificate says about the ledger, which only its keeper has");
  }
}

// Names and words of a folder could hold control characters for a terminal.
std::string printable(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
  return text;
}

const char* name_of_check(Check check) {
  switch (check) {
    case Check::holds:
      return "holds";
    case Check::fails:
      return "FAILS";
    case Check::unchecked:
      return "not checked";
  }
  return "";
}

std::string verdict_of(const Json& result, std::int64_t failures) {
  if (failures > 0) {
    return fmt::format("not verified: {} check{}", failures, failures == 1 ? " fails" : "s fail");
  }
  const Json& privacy = find(result, "privacy");
  return fmt::format("verified: epsilon {} and delta {} for {}",
                     rounded_up(privacy["epsilon"].get<double>()),
                     rounded_up(privacy["delta"].get<double>()), words(privacy["unit"]));
}

}  // namespace

bool Findings::require(bool condition, const std::string& holds_when,
                       const std::string& otherwise) {
  list_.push_back({condition ? Check::holds : Check::fails, condition ? holds_when : otherwise});
  return condition;
}

std::int64_t Findings::failures() const {
  return std::count_if(list_.begin(), list_.end(),
                       [](const Finding& one) { return one.check == Check::fails; });
}

Verification verify_folder(const std::string& path, const VerifyOptions& options) {
  const Folder folder = read_folder(path);
  Findings findings;
  check_seal(folder, findings);
  check_files(folder, findings);
  check_signature(folder, options.key, findings);
  check_guarantee(folder.result, findings);
  check_unit(folder.result, options.unit, findings);
  check_facts(folder, findings);
  check_pages(folder, findings);
  say_what_cannot_be_seen(folder.result, findings);
  const std::int64_t failures = findings.failures();
  return {findings.list(), verdict_of(folder.result, failures), failures == 0};
}

std::string Verification::to_text() const {
  std::string text;
  for (const Check kind : {Check::holds, Check::fails, Check::unchecked}) {
    for (const Finding& finding : findings) {
      if (finding.check != kind) continue;
      text += fmt::format("{:<12} {}\n", name_of_check(kind), printable(finding.what));
    }
  }
  return text + printable(verdict) + "\n";
}

Json Verification::to_json() const {
  Json json{{"verified", verified}, {"verdict", verdict}};
  for (const Check kind : {Check::holds, Check::fails, Check::unchecked}) {
    const char* key = kind == Check::holds   ? "holds"
                      : kind == Check::fails ? "fails"
                                             : "not_checked";
    json[key] = Json::array();
    for (const Finding& finding : findings) {
      if (finding.check == kind) json[key].push_back(finding.what);
    }
  }
  return json;
}

}  // namespace sotto::verify
