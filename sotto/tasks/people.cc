#include "sotto/tasks/people.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>
#include <variant>

#include "sotto/base/error.h"
#include "sotto/base/stopwatch.h"
#include "sotto/io/output_folder.h"
#include "sotto/models/people_factors.h"
#include "sotto/tasks/declare.h"
#include "sotto/tasks/decompose_fit.h"
#include "sotto/tasks/input.h"

namespace sotto {
namespace {

// A private run before it has seen anything.
struct PrivatePeopleTask {
  PeoplePlan numbers;
  Plan plan;
};

PrivatePeopleTask settle_people(const PeopleTask& task, PublicPeopleShape shape,
                                const std::vector<std::string>& facts = {}) {
  SOTTO_REQUIRE_AT(task.privacy.asked(), "`plan`", "needs `epsilon` and `delta`");
  task.check();
  if (task.privacy.people) shape.people = *task.privacy.people;
  task.privacy.require_small_delta({shape.people, "people, by a public guess"});
  PrivatePeopleTask settled;
  settled.numbers = plan_people(shape, task.people, task.privacy);
  settled.plan = run_plan(settled.numbers);
  std::vector<std::string>& stated = settled.plan.statement.public_facts;
  stated.insert(stated.end(), facts.begin(), facts.end());
  name_companions(settled.plan.statement, task.companions());
  return settled;
}

std::vector<Forecast> people_forecasts(const PeopleTask& task, const PeoplePlan& numbers) {
  const double strength = forecast_people(numbers, task.events);
  std::vector<Forecast> list = {
      {"strength", strength,
       fmt::format("for {} people with {:g} events: the pairs of events stand {:.2g} times above "
                   "their noise, {} components need about {:g}",
                   numbers.shape.people, task.events, strength, task.people.components,
                   strength_for(task.people.components))}};
  const double epsilon =
      expected_people_epsilon(numbers.shape, task.people, task.privacy, task.events);
  if (std::isfinite(epsilon)) {
    list.push_back({"epsilon", epsilon,
                    fmt::format("{} components are expected from epsilon {:.2g} on",
                                task.people.components, epsilon)});
  } else {
    list.push_back({"epsilon",
                    {},
                    fmt::format("{} components are not expected at any epsilon up to 100",
                                task.people.components)});
  }
  return list;
}

// Rows of a mode are public things, such as codes. People are not: they get no labels, and the
// result has no rows for them.
std::vector<std::vector<std::string>> labels_beside_people(const PeopleTask& task,
                                                           const std::vector<Index>& dims) {
  std::vector<std::string> files = label_files(task.labels);
  if (files.size() == dims.size() + 1) {
    SOTTO_REQUIRE_AT(files[0].empty(), "`labels`",
                     "{} files for {} modes: the people in the first mode get no labels; give the "
                     "files of the {} other modes",
                     files.size(), files.size(), dims.size());
    files.erase(files.begin());
  }
  SOTTO_REQUIRE_AT(files.empty() || files.size() == dims.size(), "`labels`",
                   "{} modes beside the people take {} files joined by commas, empty for modes "
                   "without labels; got {}",
                   dims.size(), dims.size(), files.size());
  return read_row_labels(files, dims);
}

PeopleResult start_people(const PeopleTask& task, const std::vector<Index>& dims) {
  PeopleResult result;
  result.route = task.people.chosen_route();
  result.dims = dims;
  result.labels = labels_beside_people(task, dims);
  result.csv = task.csv;
  return result;
}

PeopleResult people_result(PeopleFit fit, PeopleResult result) {
  result.factors = std::move(fit.model.factors);
  result.weights = std::move(fit.model.weights);
  result.loadings = std::move(fit.loadings);
  result.loadings_deviation = fit.loadings_deviation;
  result.core = fit.core;
  result.steps = fit.steps;
  return result;
}

// How well the model fits people who may be looked at, each with the loadings that suit best.
void measure_people(const SparseTensor& people, const PeopleModel& model,
                    const PeopleOptions& options, PeopleResult& result) {
  const RowMatrix loadings = person_loadings(people, model, options);
  if (options.values == PeopleValues::real) {
    result.explained = explained_share(people, model.factors, loadings);
  } else {
    result.perplexity = event_perplexity(people, model.factors, loadings);
  }
}

}  // namespace

OptionTable PersonPrivacyOptions::table() {
  return target_table(
      "make the result differentially private for a person, with at most this "
      "epsilon",
      "delta of the guarantee; `epsilon` needs it");
}

void PersonPrivacyOptions::check() const {
  check_target({{"`people`", people.has_value()}});
  if (asked()) require_delta_given();
}

OptionTable PeopleTask::table() {
  return OptionTable()
      .choice("values", people.values,
              "unit person: what the entries are; counts: of events; real: any numbers")
      .integer("people", 0, privacy.people, {1, std::numeric_limits<std::int32_t>::max()},
               "unit person: a public guess at the number of people; the header of the file when "
               "not given")
      .choice(
          "route", people.route,
          "unit person: how the factors are found; moments: from moments alone; alternating: by "
          "steps from a random start; both: by steps that start from the moments; auto: both")
      .integer("refine", 0, people.refine, {0, 1000},
               "unit person: number of expectation steps; chosen when not given")
      .integer("core", 0, people.core, {1, 2048},
               "unit person: rows of the pair moment, the most frequent ones; chosen from the "
               "released frequencies when not given")
      .real("alpha0", 0, people.alpha0, {1e-6, 1e6},
            "unit person: sum of the Dirichlet parameters of a person's loadings; small: few "
            "components a person");
}

void PeopleTask::check() const { privacy.check(); }

Companions PeopleTask::companions() const { return label_companions(labels); }

Plan plan_people_run(const PeopleTask& task, const PublicPeopleShape& shape) {
  PrivatePeopleTask settled = settle_people(task, shape);
  settled.plan.forecasts = people_forecasts(task, settled.numbers);
  settled.plan.unread = "no entry was read";
  return settled.plan;
}

PublicPeopleShape people_file_shape(const std::string& path) {
  return people_shape(tensor_dims(path).dims, path);
}

PeopleResult run_people(Input<AnyTensor> tensor, const PeopleTask& task,
                        const ProgressCallback& progress) {
  require_declared(tensor, task.privacy.asked());
  task.check();
  if (tensor.is_public()) {
    const AnyTensor data = std::move(tensor).open();
    const Stopwatch computing;
    const auto* sparse = std::get_if<SparseTensor>(&data);
    const SparseTensor events =
        sparse != nullptr ? *sparse : SparseTensor::from_dense(std::get<DenseTensor>(data));
    const PublicPeopleShape shape = people_shape(events.dims(), "");
    PeopleResult result = start_people(task, shape.dims);
    PeopleFit fit = fit_people(events, task.people, progress);
    measure_people(events, fit.model, task.people, result);
    result = people_result(std::move(fit), std::move(result));
    result.seconds = computing.seconds();
    return result;
  }
  const std::vector<std::string> facts = tensor.public_facts();
  Sensitive<AnyTensor> data = std::move(tensor).sensitive();
  const PublicPeopleShape shape = public_people_shape(data, "");
  if (task.people.values == PeopleValues::real) {
    return run_people(held_slices(std::move(data)), shape, facts, task, progress);
  }
  return run_people(held_people(std::move(data)), shape, facts, task, progress);
}

PeopleResult run_people(HeldElsewhere people, const PublicPeopleShape& shape,
                        const std::vector<std::string>& facts, const PeopleTask& task,
                        const ProgressCallback& progress) {
  const PrivatePeopleTask settled = settle_people(task, shape, facts);
  PeopleResult result = start_people(task, shape.dims);
  PrivateRun run(settled.plan, task.privacy);
  result = people_result(
      fit_private_people(std::move(people), settled.numbers, task.people, run, progress),
      std::move(result));
  result.certificate = run.certify();
  return result;
}

void save(const PeopleResult& result, OutputFolder& folder) {
  for (std::size_t m = 0; m < result.factors.size(); ++m) {
    const std::string name = fmt::format("factors_{}", m + 1);
    folder.write_npy(name + ".npy", result.factors[m]);
    if (!result.csv) continue;
    folder.write_text(name + ".csv", csv_of(result.factors[m], result.labels_of(m)));
  }
  folder.write_npy("weights.npy", result.weights);
  folder.write_npy("loadings.npy", Matrix(result.loadings));
}

}  // namespace sotto
