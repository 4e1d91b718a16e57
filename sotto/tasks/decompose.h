// The task of `sotto decompose`: the components of a tensor, public or protected entry by entry.
//
// A tensor that is not symmetric is fitted jointly by CP (decompose/cp.h) or Tucker
// (decompose/tucker.h), with non-negative factors and, if it is public, missing entries where
// asked.
//
//   DecomposeTask task;
//   task.power.components = 5;
//   task.privacy.epsilon = 1;
//   task.privacy.delta = 1e-6;
//   task.privacy.weight = 500;  // a public guess; a run that would return noise is refused
//   DecomposeResult result = run(tensor_input("tensor.npy", TensorFormat::automatic, true), task);
//
// Where the noise of a private run goes, and how often it asks, follows from public numbers alone
// (tasks/decompose_plan.h); plan() says it beforehand, and the run releases what plan() says.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sotto/base/enum_names.h"
#include "sotto/base/export.h"
#include "sotto/base/options.h"
#include "sotto/base/progress.h"
#include "sotto/base/sensitive.h"
#include "sotto/decompose/cp_rank.h"
#include "sotto/decompose/power.h"
#include "sotto/decompose/tucker.h"
#include "sotto/io/file_options.h"
#include "sotto/privacy/certificate.h"
#include "sotto/release/plan.h"
#include "sotto/release/privacy_options.h"
#include "sotto/tensor/sparse_tensor.h"
#include "sotto/tensor/symmetric_tensor.h"

namespace SOTTO_API sotto {

class OutputFolder;
class SymmetricOracle;
struct Companion;

// automatic: power for a symmetric tensor, else cp. A private run does not look for symmetry: power
// for equal dimensions of order 3 and 4, else cp.
enum class TensorMethod { automatic, power, simultaneous, alternating, eigenpairs, cp, tucker };
constexpr auto enum_names(TensorMethod) {
  return std::to_array<EnumName<TensorMethod>>({{TensorMethod::automatic, "auto"},
                                                {TensorMethod::power, "power"},
                                                {TensorMethod::simultaneous, "simultaneous"},
                                                {TensorMethod::alternating, "alternating"},
                                                {TensorMethod::eigenpairs, "eigenpairs"},
                                                {TensorMethod::cp, "cp"},
                                                {TensorMethod::tucker, "tucker"}});
}

enum class WhitenBy { none, tensor };
constexpr auto enum_names(WhitenBy) {
  return std::to_array<EnumName<WhitenBy>>(
      {{WhitenBy::none, "none"}, {WhitenBy::tensor, "tensor"}});
}

struct DecomposeTask {
  PowerOptions power;
  bool components_auto = false;  // cp: chosen from 1 to components_up_to
  std::int64_t components_up_to = 6;
  TensorMethod method = TensorMethod::automatic;
  std::vector<double> ranks;  // of a Tucker model, one a mode or one for all
  bool non_negative = false;  // factors of cp, factors and core of tucker
  bool missing = false;       // NaN, and what a sparse tensor does not list, are unknown
  std::string mask;           // .npy of the tensor's shape, 0 where an entry is unknown
  bool sum_repeated = false;  // read values given for one place as their sum
  IndexBase index_base = IndexBase::automatic;  // the first index of a .tns file
  std::string labels;                           // files of row labels, one a mode, joined by commas
  bool csv = false;                             // factors as .csv, too
  WhitenBy whiten = WhitenBy::none;
  std::string whiten_with;            // file of a public second moment (.npy, d x d); empty: none
  std::optional<std::int64_t> order;  // refuse any other
  SymmetryOptions symmetry;
  EntryPrivacyOptions privacy;
  // Which fields of `power` the caller has set. A private run has other defaults for the first two
  // and, with noise on every iteration, refuses the last two.
  struct Given {
    bool starts = false, iterations = false, polish = false, tolerance = false;
  };
  Given given;

  OptionTable table();
  // Whether the fit leaves entries out.
  bool leaves_out() const { return missing || !mask.empty(); }

  // Refuses what cannot be combined, whatever the tensor.
  void check() const;

  // Files that are public in a private run.
  std::vector<Companion> companions() const;

 private:
  void check_fit_options() const;
};

struct DecomposeResult {
  Decomposition found;
  PowerOptions power;                         // as used
  TensorMethod method = TensorMethod::power;  // as used
  // How well the model fits a public tensor, or one that was released with noise.
  std::optional<FitMeasures> measures;
  std::optional<CpFit> cp;
  std::optional<TuckerFit> tucker;
  std::vector<RankTrial> trials;                 // where the number of components was chosen
  std::string choice;                            // and why
  std::string advice;                            // a method that fits better; empty: none
  std::vector<std::vector<std::string>> labels;  // of the rows, by mode; empty where none are given
  std::vector<Index> dims;
  std::optional<Index> entries;  // of a sparse tensor that is public
  bool csv = false;
  // Of a private run.
  std::optional<Certificate> certificate;
  PowerMechanism mechanism = PowerMechanism::automatic;
  std::optional<double> recoverable;  // components of this weight and more are expected to be found
  std::optional<double> deviation;    // of the noise in an entry, where all entries were released
  // Of a run that is not private: the time of all its work, and that of checks and packing.
  double seconds = 0, seconds_preparing = 0;

  bool converged() const { return found.status != Status::iteration_limit; }
};

// What a private run would do. Refuses a task without epsilon, and what this shape rules out.
Plan plan(const DecomposeTask& task, const PublicDims& dims);
Plan plan(const DecomposeTask& task, const PublicShape& shape);

// Refuses sensitive data without epsilon and public data with it, and a private run whose
// components are not expected to stand out of the noise (privacy.weight, privacy.anyway). Throws
// where the caller stops it.
DecomposeResult run(Input<AnyTensor> tensor, const DecomposeTask& task,
                    const ProgressCallback& progress = {});
DecomposeResult run(Input<SymmetricTensor> tensor, const DecomposeTask& task,
                    const ProgressCallback& progress = {});

// For studies: the noise of a private run over a public tensor that is known through an oracle. The
// certificate says that nothing was protected. Works only with noise on every iteration.
DecomposeResult rehearse(SymmetricOracle& exact, const DecomposeTask& task,
                         const ProgressCallback& progress = {});

// "noise on every iteration".
std::string mechanism_text(PowerMechanism mechanism);

// The name of a factor matrix: "vectors", or "factors_0" where every mode has its own.
std::string array_name(const Decomposition& found, std::size_t mode);

// Writes vectors.npy, or factors_0.npy and so on; core.npy of a Tucker model; the same as .csv,
// with labels, where asked.
void save(const DecomposeResult& result, OutputFolder& folder);

}  // namespace sotto
