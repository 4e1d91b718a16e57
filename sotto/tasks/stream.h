// The task of `sotto stream`: the components of the moment of points that are read once, public or
// protected record by record.
//
//   StreamTask task;
//   task.stream.components = 3;
//   task.privacy.epsilon = 1;
//   task.privacy.delta = 1e-6;
//   task.privacy.max_norm = 1;
//   StreamResult result = run(points_input("points.npy", task.file, true), task);
//
// With `checkpoint` every answer is written to a file as it comes. The same task over the same
// points then resumes from there (io/replay_oracle.h).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sotto/base/export.h"
#include "sotto/base/options.h"
#include "sotto/base/progress.h"
#include "sotto/base/sensitive.h"
#include "sotto/io/file_options.h"
#include "sotto/models/stream_decomposition.h"
#include "sotto/privacy/certificate.h"
#include "sotto/release/plan.h"
#include "sotto/release/privacy_options.h"
#include "sotto/tensor/point_source.h"

namespace SOTTO_API sotto {

class CheckpointFile;
class OutputFolder;

struct StreamTask {
  StreamOptions stream;
  PointFileOptions file;  // how the points are read, which a checkpoint is tied to
  bool shuffle = false;   // read the records in a random order, which a private run keeps secret
  RecordPrivacyOptions privacy;
  std::string checkpoint;        // its file; empty: none
  std::optional<double> weight;  // plan() says at which epsilon a component of it is recovered, as
                                 // a share of max-norm^p; none: 1/2k
  // Which fields of `stream` the caller has set: a private run has other defaults.
  struct Given {
    bool starts = false, iterations = false, method = false;
  };
  Given given;

  OptionTable table();  // without `weight`, which only plans use

  // Refuses what cannot be combined, whatever the points.
  void check() const;
};

struct StreamResult {
  Decomposition found;
  StreamOptions stream;  // as used
  Index dim = 0;
  std::optional<Index> records;  // that the source says it has; not of a private run
  Index points_read = 0, batch = 0, answers = 0;
  Index answers_from_checkpoint = 0;
  // Of a private run: the norm that records were clipped to and, where it was not given, the number
  // of records that it was chosen from.
  std::optional<Certificate> certificate;
  double max_norm = 0;
  std::optional<Index> records_for_bound;
  // Of a run that is not private.
  std::vector<std::string> columns;  // names of the coordinates, where the points have any
  // The share of the squared length of the first points that the components span, and of how many
  // points, where they can be read again.
  std::optional<double> spanned;
  Index spanned_records = 0;
  double seconds = 0;  // with reading
  // Holds the answers until the result has arrived; the caller then removes it. Null: none.
  std::shared_ptr<CheckpointFile> checkpoint;
};

// What a private run would do. Refuses a task without epsilon, and what this stream rules out.
Plan plan(const StreamTask& task, const PublicStream& stream);

// Refuses sensitive points without epsilon and public points with it. Throws where the caller stops
// it; an error says what is left of the run.
StreamResult run(Input<Points> points, const StreamTask& task,
                 const ProgressCallback& progress = {});

// Writes vectors.npy, and columns.txt where coordinates have names.
void save(const StreamResult& result, OutputFolder& folder);

}  // namespace sotto
