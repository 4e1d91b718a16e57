// The task of `sotto decompose --unit person`: the factors of a tensor whose first mode are people,
// public or protected person by person.
//
//   PeopleTask task;
//   task.people.components = 5;
//   task.privacy.epsilon = 1;
//   task.privacy.delta = 1e-6;
//   PeopleResult result = run_people(tensor_input("visits.tns", TensorFormat::tns, true), task);
//
// What is released follows from public numbers alone (models/people_factors_plan.h). The result
// has the factors of all modes but the first; a person's loadings do not leave.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sotto/base/options.h"
#include "sotto/base/progress.h"
#include "sotto/base/sensitive.h"
#include "sotto/models/people_factors.h"
#include "sotto/models/people_factors_plan.h"
#include "sotto/models/people_measures.h"
#include "sotto/privacy/certificate.h"
#include "sotto/release/plan.h"
#include "sotto/tasks/companions.h"
#include "sotto/tensor/sparse_tensor.h"

namespace sotto {

class OutputFolder;

struct PersonPrivacyOptions : TargetOptions {
  std::optional<std::int64_t> people;  // a public guess at their number; none: the file's header

  OptionTable table();  // epsilon and delta
  void check() const;
};

struct PeopleTask {
  PeopleOptions people;
  PersonPrivacyOptions privacy;
  double events = 20;  // of a person, a guess: for what plan_of() expects
  std::string labels;  // files of row labels of the modes beside the people, joined by commas
  bool csv = false;    // factors as .csv, too

  // Without components and seed, epsilon and delta, which the front end has in common with others.
  OptionTable table();
  // Refuses what cannot be combined, whatever the tensor.
  void check() const;

  // Files that are public in a private run.
  Companions companions() const;
};

struct PeopleResult {
  std::vector<Index> dims;                       // of the modes beside the people
  std::vector<std::vector<std::string>> labels;  // of their rows, by mode; empty: none given
  std::vector<Matrix>
      factors;         // of these modes: columns sum to one, or have norm one (real values)
  Vector weights;      // shares of the factors, largest first
  RowMatrix loadings;  // bins x k: how many people have a loading in the bin
  double loadings_deviation = 0;
  PeopleRoute route = PeopleRoute::both;
  Index core = 0;  // rows of the pair moment; 0: there was none
  std::int64_t steps = 0;
  // Of a private run.
  std::optional<Certificate> certificate;
  // Of a run that is not private.
  std::optional<EventPerplexity> perplexity;  // of counts
  std::optional<double> explained;            // of real values: the share of the sum of squares
  double seconds = 0;
  bool csv = false;

  // Empty where the mode, counted from the one after the people, has none.
  std::vector<std::string> labels_of(std::size_t mode) const {
    return mode < labels.size() ? labels[mode] : std::vector<std::string>();
  }
};

// What a private run would do. Refuses a task without epsilon, and what this shape cannot have.
Plan plan_people_run(const PeopleTask& task, const PublicPeopleShape& shape);

// The shape that the header of a file declares: .npy, or .tns with a Tensor Toolbox header. No
// entry is read.
PublicPeopleShape people_file_shape(const std::string& path);

// Refuses sensitive data without epsilon and public data with it. Throws where the caller stops it.
PeopleResult run_people(Input<AnyTensor> tensor, const PeopleTask& task,
                        const ProgressCallback& progress = {});

// With people that shards hold, of this public shape; `facts` are public facts about the input.
PeopleResult run_people(HeldElsewhere people, const PublicPeopleShape& shape,
                        const std::vector<std::string>& facts, const PeopleTask& task,
                        const ProgressCallback& progress = {});

// Writes factors_1.npy and so on (none for the people), with labels as .csv where asked,
// weights.npy and loadings.npy.
void save(const PeopleResult& result, OutputFolder& folder);

}  // namespace sotto
