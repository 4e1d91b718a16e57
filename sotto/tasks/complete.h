// Completion of ratings from beginning to end: what it will release, learning, the score on a test
// file, saving. Without privacy, or with it for one rating; for one user see complete_users.h.
//
//   CompleteTask task;
//   task.privacy.epsilon = 1;
//   task.file.range = "1:5";
//   const std::string path = "ratings.csv";
//   CompletionResult result = run(read_ratings(path, task.reading()), task);
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sotto/base/export.h"
#include "sotto/base/options.h"
#include "sotto/base/progress.h"
#include "sotto/base/sensitive.h"
#include "sotto/complete/fit/fit.h"
#include "sotto/io/file_options.h"
#include "sotto/privacy/certificate.h"
#include "sotto/release/plan.h"
#include "sotto/release/privacy_options.h"
#include "sotto/tensor/ratings.h"

namespace SOTTO_API sotto {

class OutputFolder;
struct Companion;

struct CompleteTask {
  CompletionOptions completion;
  RatingFileOptions file;  // of the ratings, and of the files below
  std::string test;        // file: public ratings to be predicted
  RatingPrivacyOptions privacy;
  std::string given;                  // file: public ratings of the test users, unit user
  std::optional<std::int64_t> folds;  // of a cross-validation, without privacy

  OptionTable table();
  // Refuses what can be refused before the ratings are read.
  void check() const;

  // How the ratings are read.
  RatingFileOptions reading() const;
  // The files that are read beside them.
  std::vector<Companion> companions() const;
  // The range of the values, which a private run needs.
  ValueBounds bounds() const;
  // Options of the table that this run does not use.
  std::vector<std::string> unused() const;
};

// What a private run, unit rating, will release. Refuses what the shape does not allow.
Plan plan(const CompleteTask& task, const RatingShape& shape);

// The shape of files of ratings, unit rating: reads who rated what, which is public, and not the
// values.
RatingShape read_rating_shape(const std::vector<std::string>& paths, const CompleteTask& task);
inline RatingShape read_rating_shape(const std::string& path, const CompleteTask& task) {
  return read_rating_shape(std::vector{path}, task);
}

// How the training of a run without privacy went.
struct TrainingRecord {
  std::vector<EpochRecord> history;
  Index best_epoch = 0;
  double seconds = 0;               // learning and scoring
  double seconds_reading_test = 0;  // reading the test file
};

struct CompletionResult {
  RatingShape shape;
  std::vector<RatingMode> modes;  // names of the modes, labels of their rows
  CompletionModel model;
  FitStatus status = FitStatus::completed;
  std::string method;                      // "bayes", "noisy sums of ratings"
  std::optional<CompletionScores> scores;  // on the test file
  std::vector<CompletionScores> folds;     // of a cross-validation: on the ratings left out
  std::optional<TrainingRecord> training;  // without privacy
  std::optional<Certificate> certificate;  // with it
};

// Learns a model: without privacy from ratings that were declared public, with privacy (unit
// rating) from others. A private run takes the test file as public, and refuses one that holds
// places of the ratings. A run that is asked to stop throws an Error with Fault::stopped.
CompletionResult run(Input<Ratings> ratings, const CompleteTask& task,
                     const ProgressCallback& progress = {});

// Writes factors, biases, labels, core and the scaling of slices. The rest of the model is in
// result.json.
void save(const CompletionResult& result, OutputFolder& folder);

// A report on public ratings and the test file; nothing is learnt.
struct TestFileCheck {
  Index entries = 0, duplicates = 0, overlap = 0, unknown_rows = 0;
};
struct RatingCheck {
  RatingShape shape;
  std::vector<std::string> modes;
  Index duplicates = 0;                // entries at the place of an earlier one
  std::vector<Index> empty_slices;     // rows without entries, one number a mode
  std::vector<Index> ratings_of_rows;  // of the first mode, in increasing order
  double lowest = 0, highest = 0;
  std::optional<TestFileCheck> test;
};
RatingCheck check_ratings(Input<Ratings> ratings, const CompleteTask& task);

}  // namespace sotto
