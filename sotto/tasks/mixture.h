// The task of `sotto mixture`: the Gaussians behind points, public or protected record by
// record.
//
//   MixtureTask task;
//   task.mixture.components = 5;
//   task.privacy.epsilon = 1;
//   task.privacy.delta = 1e-6;
//   task.privacy.max_norm = 1.5;
//   MixtureResult result = run(points_input("points.npy", task.file, true), task);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sotto/base/export.h"
#include "sotto/base/options.h"
#include "sotto/base/progress.h"
#include "sotto/base/sensitive.h"
#include "sotto/decompose/result.h"
#include "sotto/io/file_options.h"
#include "sotto/models/mixture_options.h"
#include "sotto/moments/gaussian_mixture.h"
#include "sotto/privacy/certificate.h"
#include "sotto/release/plan.h"
#include "sotto/release/privacy_options.h"
#include "sotto/tensor/point_source.h"

namespace SOTTO_API sotto {

class OutputFolder;
struct Companion;

struct MixtureTask {
  MixtureOptions mixture;
  PointFileOptions file;  // how points are read, those to infer too
  RecordPrivacyOptions privacy;
  // Files beside the points, public ones in a private run; empty: not given.
  std::string infer;  // points whose probabilities of each component are wanted
  std::string truth;  // true means, d x k

  OptionTable table();

  // Refuses what cannot be combined, whatever the points.
  void check() const;

  std::vector<Companion> companions() const;
};

struct MixtureResult {
  GaussianMixture mixture;  // most probable component first
  Status status = Status::converged;
  // Where moments give the start: the eigenvalues of the covariance above its noise.
  std::optional<Index> rank;
  Index records = 0;
  std::vector<std::string> columns;  // names of the coordinates, where public points have any
  std::int64_t steps = 0;            // expectation-maximisation steps
  std::optional<double> largest_mean_error;  // where the truth was given
  // Those of `infer`, for save().
  Points to_infer;
  Index records_to_infer = 0;
  // A sentence that says whose data inferred.npy shows in spite of the certificate; else empty.
  std::string exposes;

  // Of a run that is not private.
  struct Public {
    Points points;  // null: they are no longer there, and save() leaves them out
    Vector second_spectrum, third_spectrum;
    std::vector<double> log_likelihood;  // a point, before each step
    double movement = 0;                 // of the mean that moved furthest in the last step
    double final_log_likelihood = 0;     // a point
    double bic = 0;                      // Schwarz's criterion: smaller is better
    double seconds = 0;                  // including reading, which overlaps
  };
  std::optional<Public> open;

  // Of a private run.
  struct Private {
    Certificate certificate;
    std::optional<double> max_norm;  // where it was chosen privately
    // Where moments do not give the start: the components whose shares stand out of the noise.
    std::optional<Index> known;
  };
  std::optional<Private> released;

  // Whether fewer directions of a released moment are above its noise than the means span, or
  // fewer components than were asked for.
  bool drowned() const {
    if (!released) return false;
    const Index k = mixture.components();
    return (rank && *rank < k - 1) || (released->known && *released->known < k);
  }
  bool converged() const {
    return !drowned() && (status == Status::converged || status == Status::completed);
  }
};

// What a private run would do. Refuses a task without epsilon, a shape without the number of
// records, and what this shape rules out.
Plan plan(const MixtureTask& task, const PublicPointShape& shape);

// Refuses sensitive points without epsilon and public points with it. Throws where the caller stops
// it.
MixtureResult run(Input<Points> points, const MixtureTask& task,
                  const ProgressCallback& progress = {});

// Writes means.npy, weights.npy, covariances.npy where components have their own, columns.txt where
// coordinates have names, the probabilities of each component for public points (proportions.npy)
// and for those to infer (inferred.npy).
void save(const MixtureResult& result, OutputFolder& folder);

}  // namespace sotto
