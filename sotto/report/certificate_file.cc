#include "sotto/report/certificate_file.h"

#include <fmt/format.h>

#include "sotto/base/json.h"
#include "sotto/base/program.h"
#include "sotto/base/version.h"
#include "sotto/report/certificate_section.h"
#include "sotto/report/markdown.h"
#include "sotto/report/plain_words.h"

namespace sotto {
namespace {

// What the numbers are, with all their digits, and how to check them.
PageSection check_section(const ResultDocument& document) {
  const Json facts = json_of(document);
  const Json& privacy = facts["privacy"];
  PageSection section{"How to check this"};
  section.paragraphs = {
      {"The command sotto verify FOLDER computes epsilon again from the releases that result.json "
       "lists, and "
       "compares every file of the folder with its digest there."}};
  section.facts = {{"Epsilon", json_text(privacy["epsilon"])},
                   {"Delta", json_text(privacy["delta"])},
                   {"Guarantee", privacy["guarantee"].get<std::string>()},
                   {"Made by", fmt::format("sotto {} {}, build {}", SOTTO_VERSION,
                                           document.command(), facts["build"].get<std::string>())},
                   {"Day", facts["day"].get<std::string>()}};
  return section;
}

std::string words(const char* name, const std::string& text) {
  return text.empty() ? "" : fmt::format("- {}: {}\n", name, markdown_text(text));
}

}  // namespace

std::string certificate_file(const ResultDocument& document) {
  const Certificate& certificate = *document.certificate();
  const RunStatement& stated = document.statement();
  Page page;
  say_private(certificate, page);
  std::string text = "# Privacy certificate\n\n";
  for (const Cell& cell : page.notice) text += markdown_text(cell.text);
  text += "\n\n";
  const std::string said = words("Protected", stated.protects) + words("Purpose", stated.purpose) +
                           words("Contact", stated.contact);
  if (!said.empty()) text += said + "\n";
  for (const PageSection& section : plain_words(document)) text += markdown_of(section);
  for (const std::string& sentence : document.exposures()) text += markdown_text(sentence) + "\n\n";
  PageSection formal = certificate_section(certificate);
  formal.heading = "In the words of the field";
  text += markdown_of(formal) + markdown_of(check_section(document));
  return text +
         fmt::format("Epsilon was accounted by: {}.\n", markdown_text(certificate.accountant));
}

}  // namespace sotto
