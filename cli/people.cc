#include "cli/people.h"

#include <fmt/format.h>

#include "cli/interrupt.h"
#include "cli/not_private.h"
#include "cli/print_plan.h"
#include "sotto/base/error.h"
#include "sotto/base/stopwatch.h"
#include "sotto/report/describe_people.h"
#include "sotto/report/write_result.h"
#include "sotto/tasks/input.h"
#include "sotto/tasks/people_shards.h"

namespace sotto::cli {
namespace {

// Options of `decompose` that a run of unit person does not look at.
const std::vector<std::string> kOfOtherUnits = {
    "starts",    "iterations",   "polish",      "tolerance",   "method",
    "whiten",    "order",        "whiten-with", "symmetrize",  "symmetry-tolerance",
    "mechanism", "as-published", "max-entry",   "plan",        "dim",
    "weight",    "events",       "anyway",      "entry-change"};

}  // namespace

OptionTable PeopleFront::table() {
  return OptionTable()
      .choice("unit", unit_,
              "what is protected: one entry of the tensor, or one person, who is one slice of the "
              "first mode")
      .append(task_.table())
      .notice("alpha0", alpha0_given_)
      .real("events", 0, events_, {1, 1e9},
            "for `plan`, unit person: a guess at the events of a person (none given: 20)");
}

std::vector<std::string> PeopleFront::options() {
  return {"unit", "values", "route", "people", "refine", "core", "alpha0", "events"};
}

void PeopleFront::check_unused() const {
  const std::pair<const char*, bool> given[] = {
      {"`values`", task_.people.values != PeopleValues::counts},
      {"`route`", task_.people.route != PeopleRoute::automatic},
      {"`people`", task_.privacy.people.has_value()},
      {"`refine`", task_.people.refine.has_value()},
      {"`core`", task_.people.core.has_value()},
      {"`alpha0`", alpha0_given_},
      {"`events`", events_.has_value()}};
  for (const auto& [option, is_given] : given) {
    SOTTO_REQUIRE_AT(!is_given, option, "only works with `unit` person");
  }
}

void PeopleFront::check_others(const DecomposeTask& task, bool dim_given) {
  const EntryPrivacyOptions& entries = task.privacy;
  const DecomposeTask::Given& given = task.given;
  const std::pair<const char*, bool> of_entries[] = {
      {"`components` auto", task.components_auto},
      {"`method`", task.method != TensorMethod::automatic},
      {"`ranks`", !task.ranks.empty()},
      {"`missing`", task.missing},
      {"`mask`", !task.mask.empty()},
      {"`sum-repeated`", task.sum_repeated},
      {"`whiten`", task.whiten != WhitenBy::none},
      {"`whiten-with`", !task.whiten_with.empty()},
      {"`order`", task.order.has_value()},
      {"`symmetrize`", task.symmetry.symmetrize},
      {"`starts`", given.starts},
      {"`iterations`", given.iterations},
      {"`polish`", given.polish},
      {"`tolerance`", given.tolerance},
      {"`mechanism`", entries.mechanism != PowerMechanism::automatic},
      {"`as-published`", entries.as_published != Published::no},
      {"`entry-change`", entries.entry_change != 1},
      {"`max-entry`", entries.max_entry.has_value()},
      {"`weight`", entries.weight.has_value()},
      {"`anyway`", entries.anyway},
      {"`dim`", dim_given}};
  for (const auto& [option, is_given] : of_entries) {
    SOTTO_REQUIRE_AT(!is_given, option, "does not work with `unit` person");
  }
}

AnswerQuestion PeopleFront::answers(const std::string& path, TensorFormat format,
                                    IndexBase index_base) const {
  return people_file_answers({path, format, index_base, task_.people.values});
}

PeopleResult PeopleFront::run_on_ranks(const Asked& asked) const {
  return with_progress([&](const ProgressCallback& progress) {
    return run_people({asked.path, asked.format, asked.index_base, task_.people.values}, task_,
                      *asked.ranks, progress);
  });
}

ExitCode PeopleFront::run(const Asked& asked) {
  task_.people.components = asked.components;
  task_.people.seed = asked.seed;
  task_.labels = asked.labels;
  task_.csv = asked.csv;
  task_.people.non_negative = asked.non_negative;
  if (events_) task_.events = *events_;
  static_cast<TargetOptions&>(task_.privacy) = asked.privacy;
  task_.check();
  if (asked.plan) {
    return print_plan(plan_people_run(task_, people_file_shape(asked.path)), task_.privacy,
                      "person", asked.common.json);
  }
  SOTTO_REQUIRE_AT(!events_, "`events`", "only works with `plan`");
  const bool is_private = task_.privacy.asked();
  SOTTO_REQUIRE_AT(
      asked.ranks == nullptr || is_private, "`epsilon`",
      "is needed on several ranks, which hold protected people: run it without mpirun");
  if (is_private) require_public(task_.companions(), asked.path);
  std::optional<OutputFolder> folder;
  std::vector<std::string> inputs{asked.path};
  for (const Companion& companion : task_.companions()) inputs.push_back(companion.path);
  asked.common.open_folder(folder, inputs, task_.privacy);
  if (!is_private) say_not_private("the people are treated as public", asked.common.json);
  task_.privacy.reserve("decompose", "person", asked.path, paths_of(task_.companions()));
  double seconds_reading = 0;
  const PeopleResult result = at_place(asked.path, [&] {
    if (asked.ranks != nullptr) return run_on_ranks(asked);
    const Stopwatch reading;
    Input<AnyTensor> tensor = while_reading([&] {
      return tensor_input(asked.path, asked.format, is_private, {.index_base = asked.index_base});
    });
    seconds_reading = reading.seconds();
    return with_progress([&](const ProgressCallback& progress) {
      return sotto::run_people(std::move(tensor), task_, progress);
    });
  });
  std::vector<std::string> unused = kOfOtherUnits;
  if (task_.people.values == PeopleValues::real) unused.emplace_back("alpha0");
  if (!task_.privacy.people) unused.emplace_back("people");
  ResultDocument document = asked.document("Factors of a tensor of people", unused);
  document.stated(task_.privacy.stated());
  describe(result, document);
  if (!is_private) document.seconds("reading", seconds_reading);
  if (folder) {
    save(result, *folder);
    write_result(*folder, document);
  }
  task_.privacy.commit();
  if (asked.common.json) {
    fmt::print("{}", result_text(document));
    return exit_done;
  }
  fmt::print("{}", to_text(result));
  if (asked.ranks != nullptr) fmt::print("{}\n", asked.ranks->traffic());
  if (result.certificate) {
    fmt::print("{}\n", result.certificate->to_text());
  } else {
    fmt::print("done in {:.3g} s\n", result.seconds);
  }
  return exit_done;
}

}  // namespace sotto::cli
