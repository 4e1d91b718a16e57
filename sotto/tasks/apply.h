// The task of `sotto apply`: a former result used on new data.
//
//   const ApplyResult result = apply("found", "new.txt", ApplyTask());
//
// The folder of a result is a model. It says all that is needed and may be copied, renamed or
// read-only; the training data is not looked for.
//
//   topics                      proportions of the topics in each document
//   mixture                     probabilities of the components for each point
//   decompose, unit person      loadings of each person: proportions of counts, else least squares
//   decompose                   loadings of each slice of the first mode, by least squares
//   stream                      loadings of each point, by least squares
//   complete                    predictions for places; recommendations for one new user
//
// Privacy: nothing is spent. What is computed from a released model is post-processing for everyone
// in the training data. The new data is the caller's own: it is read as public data, and the result
// shows it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sotto/base/export.h"
#include "sotto/base/options.h"
#include "sotto/complete/fit/fit.h"
#include "sotto/io/file_options.h"
#include "sotto/linalg/matrix.h"
#include "sotto/models/topic_options.h"

namespace SOTTO_API sotto {

class OutputFolder;

// How the new data is read, as far as the folder does not say it.
struct ApplyTask {
  std::string format = "auto";                // a name of the formats of this kind of data
  std::string vocab;                          // topics: the words of numbers; empty: the folder's
  HeaderLine header = HeaderLine::automatic;  // points, ratings and documents
  // Text in columns.
  Separator separator = Separator::automatic;
  DecimalMark decimal = DecimalMark::point;     // points and ratings
  std::string drop_columns;                     // points
  std::string text_column, id_column;           // documents, and id points; text: as in training
  IndexBase index_base = IndexBase::automatic;  // sparse files
  RawNumbers dtype = RawNumbers::automatic;     // raw points
  // Ratings; empty: as in the training run.
  std::string columns, user_column;
  std::string given;       // file: ratings of users that the model does not know
  bool recommend = false;  // the new data are the ratings of one new user
  std::int64_t top = 10;   // how many items to recommend

  OptionTable table();
};

// Where the model comes from.
struct AppliedModel {
  std::string folder;
  std::string command;      // "topics"
  std::string what;         // "8 topics over 2000 words"
  std::string certificate;  // JSON, the `privacy` of the folder as saved: null where none was asked

  // Whether the folder says that its guarantee is proved.
  bool proved() const;
};

struct Prediction {
  std::vector<std::string> place;  // labels of the rows, as in the new data
  double value = 0;
};

struct ApplyResult {
  AppliedModel model;
  std::string input;  // what the new data consists of: "documents"
  Index records = 0;  // how many of them
  // One row a record, one column a component.
  std::string rows_are;  // "proportions"; empty: none
  RowMatrix rows;
  std::vector<std::string> ids;         // names of the records, where the new data has them
  std::vector<std::string> components;  // names of the columns, where the model has them
  // How well the model fits the new data, where that can be said.
  std::optional<Perplexity> perplexity;  // topics: the floor is the mean of the topics
  std::optional<double> log_likelihood;  // mixture: mean over the points
  // Of a completion.
  std::vector<std::string> modes;  // names of the columns of places
  std::vector<Prediction> predictions;
  Index unknown = 0;                       // predictions at a place with a row that was not learnt
  std::optional<CompletionScores> scores;  // where the new data has values
  std::string scored_column;               // that of the values: "the column rating"
  bool recommended = false;  // the predictions are the best ones of one user, best first
  std::string exposes;       // what the result says about whom, one sentence or two
};

// `folder` is that of a result, `path` the file of the new data.
ApplyResult apply(const std::string& folder, const std::string& path, const ApplyTask& task);

// The names of the columns, "component 2" where the model has none.
std::vector<std::string> component_names(const ApplyResult& result);

// Writes proportions.npy or loadings.npy, and the same with names as .csv where the records have
// names; or predictions.csv.
void save(const ApplyResult& result, OutputFolder& folder);

}  // namespace sotto
