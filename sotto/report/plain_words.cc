#include "sotto/report/plain_words.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "sotto/base/rounded_up.h"
#include "sotto/privacy/meaning.h"
#include "sotto/report/json_parts.h"

namespace sotto {
namespace {

// A bound for reading: rounded up to three digits.
Cell at_most(double number) { return {number, rounded_up(number, 3)}; }

// 0.076 -> 7.6; as a number of the result it stays 0.076.
Cell of_hundred(double share) { return {share, rounded_up(100 * share, 3)}; }

const Json& privacy_of(const ResultDocument& document) {
  for (const ResultElement& element : document.elements()) {
    if (element.shown == Shown::certificate) return element.value;
  }
  static const Json none;
  return none;
}

double number_at(const Json& object, const char* key) { return at(object, key).get<double>(); }

void say_whom(const ResultDocument& document, PageSection& section) {
  const PrivacyStatement& statement = document.certificate()->statement;
  const std::string& words = document.statement().protects;
  Line what{"Protected: "};
  if (!words.empty()) {
    what.insert(what.end(),
                {words, ", in the words of whoever ran the program. The proof is about "});
  }
  what.insert(what.end(), {statement.unit, " (", statement.neighbours, ")."});
  section.paragraphs.push_back(std::move(what));
  section.paragraphs.push_back(
      {"From whom: from everybody who sees this folder, whatever else they know and however much "
       "they compute. Not from those who hold the data or run the program."});
}

void say_odds(const Json& meaning, PageSection& section) {
  const double except = number_at(meaning, "except_with_probability");
  Line odds{
      "As odds: somebody who knows everything else about the data, and holds two versions of "
      "this one unit to be equally likely, 1:1, ends at most at ",
      at_most(number_at(meaning, "odds")), ":1 after seeing the result"};
  if (except > 0) odds.insert(odds.end(), {", except with probability ", at_most(except)});
  odds.push_back(".");
  section.paragraphs.push_back(std::move(odds));
}

void say_power(const Json& meaning, PageSection& section) {
  section.paragraphs.push_back({"As a test: any test with 5 false alarms in 100 detects at most ",
                                of_hundred(number_at(meaning, "largest_power")),
                                " of 100 true cases. Guessing detects 5 of 100."});
}

void say_group(const Json& meaning, PageSection& section) {
  const double delta = number_at(meaning, "group_delta");
  if (delta >= 1) {
    section.paragraphs.push_back(
        {"Five together (a family; one person with five such units): the "
         "numbers promise nothing to them as a group."});
    return;
  }
  Line line{"Five together (a family; one person with five such units) have epsilon ",
            at_most(number_at(meaning, "group_epsilon")), " at delta ", at_most(delta)};
  if (meaning.contains("group_odds")) {
    const double except = number_at(meaning, "group_except_with_probability");
    line.insert(line.end(),
                {": odds of 1:1 become at most ", at_most(number_at(meaning, "group_odds")), ":1"});
    if (except > 0) line.insert(line.end(), {", except with probability ", at_most(except)});
  }
  line.push_back(".");
  section.paragraphs.push_back(std::move(line));
}

PageSection meaning_section(const ResultDocument& document) {
  PageSection section{"What the numbers mean"};
  say_whom(document, section);
  const Json& meaning = at(privacy_of(document), "meaning");
  if (meaning.is_null()) {
    section.paragraphs.push_back(
        {document.certificate()->proved
             ? "An epsilon as large as this one cannot be expressed as odds: it promises next to "
               "nothing."
             : "There is no guarantee, so there is nothing to put in numbers."});
    return section;
  }
  say_odds(meaning, section);
  say_power(meaning, section);
  say_group(meaning, section);
  return section;
}

PageSection limits_section(const ResultDocument& document) {
  PageSection section{"What is not protected"};
  section.paragraphs = {
      {"What is true of everybody: if the result shows that two things go together, that can be "
       "applied to a person whether or not the person is in the data."},
      {"What was treated as public (it is listed in the certificate), and what others publish "
       "about "
       "the same people."},
      {"People with more than one such unit, beyond what is said above about groups."},
      {"The time that the run took, and the computer on which the data is."}};
  if (!document.statement().ledger) {
    section.paragraphs.push_back(
        {"Other results from the same data: their epsilons add to this one. This run was counted "
         "in "
         "no ledger, so nothing here says how many there were."});
  }
  return section;
}

PageSection ledger_section(const LedgerStanding& ledger) {
  PageSection section{"Spent so far"};
  const char* counted =
      "This run was counted in a ledger over all runs on the same data. Together they keep to "
      "epsilon ";
  const char* together =
      " in all. Runs with Gaussian noise cost less together than the sum of what they ask for; "
      "what is guaranteed is the limit.";
  section.paragraphs = {{counted, Cell(ledger.limit.epsilon, rounded_up(ledger.limit.epsilon)),
                         " at delta ", Cell(ledger.limit.delta, rounded_up(ledger.limit.delta)),
                         " for ", ledger.unit,
                         ", however they are chosen. With this run there were ", Cell(ledger.runs),
                         ledger.runs == 1 ? " run" : " runs", ", which asked for epsilon ",
                         Cell(ledger.asked.epsilon, rounded_up(ledger.asked.epsilon)), together}};
  return section;
}

struct Deployment {
  const char *who, *what, *unit, *epsilon, *source;
};

// Only numbers that their publishers state.
constexpr std::array<Deployment, 4> kDeployments = {
    {{"US Census Bureau", "redistricting data of the 2020 census", "one person",
      "17.14 (and 2.47 for housing units), delta 1e-10",
      "announcement of 9 June 2021; Abowd et al. 2022, doi 10.1162/99608f92.529e3cb9"},
     {"Google", "community mobility reports, 2020", "one user, each day", "2.64",
      "Aktay et al. 2020, arXiv 2004.04145"},
     {"LinkedIn", "audience engagements API", "one member, each month and analyst",
      "34.9, delta 7e-9", "Rogers et al. 2020, arXiv 2002.05839"},
     {"Apple", "popular emoji (noise on the device)", "one user, each day", "4",
      "Apple, Differential Privacy Overview; Learning with Privacy at Scale, 2017"}}};

PageSection usual_section() {
  PageSection section{"Are such numbers usual?"};
  section.paragraphs = {
      {"As a rule of thumb, an epsilon of up to 1 is called strong and one above 10 weak. What "
       "organisations have "
       "published is below. Epsilons can only be compared for the same unit: one for a whole "
       "person "
       "over all time promises more than the same one for a day, a record or a rating."}};
  PageTable table{"", {"Who", "What", "Protected unit", "Epsilon", "Source"}, {}};
  for (const Deployment& one : kDeployments) {
    table.rows.push_back({one.who, one.what, one.unit, one.epsilon, one.source});
  }
  section.tables.push_back(std::move(table));
  section.folded = true;
  return section;
}

}  // namespace

std::vector<PageSection> plain_words(const ResultDocument& document) {
  if (!document.is_private()) return {};
  std::vector<PageSection> sections{meaning_section(document), limits_section(document)};
  if (document.statement().ledger) sections.push_back(ledger_section(*document.statement().ledger));
  sections.push_back(usual_section());
  return sections;
}

}  // namespace sotto
