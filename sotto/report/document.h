// What a result consists of, declared once by its command.
//
// result.json always has: command, version, build (of the program), day, format (that of the
// folder, io/output_folder.h), arguments (the command line after the name), options, input, and
// privacy (null when nothing private was asked). In a folder it has files, digests and a seal, too
// (write_result.h).
//
// A document is a list of elements in the order of result.json. Each element has its place in the
// JSON (a path: "diagnostics/rank") and its kind: a fact, the weights, a column of the table of
// components, cards, a curve, a table, the certificate. result.json (json_of) and report.html
// (page_of, result_page.h) are two visitors of the list. A new command declares its elements and
// changes neither.
//
//   ResultDocument document({"topics", "Topics of a corpus", options, arguments});
//   document.input("documents", 3430).weights(alpha, "topic").fact("rank", 8);
//   document.quality("npmi", 0.11, "Coherence, NPMI");  // the name on the page
//   document.certificate(certificate);
//   write_result(folder, document);
//
// An element is checked when it is declared: no path twice, and no time in a private result.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sotto/base/digest.h"
#include "sotto/base/export.h"
#include "sotto/base/options.h"
#include "sotto/linalg/matrix.h"
#include "sotto/privacy/certificate.h"
#include "sotto/privacy/run_statement.h"
#include "sotto/report/result.h"

namespace SOTTO_API sotto {

enum class Shown {
  input,              // a fact of the input: "What was computed"
  fact,               // a fact of the computation: "What was computed"
  value,              // a number of the result, or an object of them: "Result"
  fit,                // how well the model fits: first on the page of a run that is not private
  weights,            // one number a component: a chart, and the first column of their table
  component_column,   // one number a component: a further column
  topic_cards,        // [{weight, words: [{word, probability}]}]
  entry_cards,        // [{index: [..], value: [..], label: [..]}], one a component
  lines,              // {rows: [..], components: [[..], ..]}: instead of cards on the page
  quality,            // a fact of the evaluation: "Quality"
  curve,              // numbers by step
  spectrum,           // numbers by rank, as bars
  component_history,  // {component: [..], iteration: [..], ..}: by iteration, one curve a component
  epoch_history,      // {train_rmse: [..], ..}: errors by epoch, one curve each
  table,              // [{..}, {..}] under a caption: "Result"
  certificate,
  source,   // {folder, command, privacy}: the model that a result was made from
  exposed,  // a sentence: whose data the result shows without protection
  time,     // seconds, or a list of them by epoch; never in a private result
  detail,   // in the JSON, and among "Also in the result"
};

struct ResultElement {
  Shown shown;
  std::string path;  // in result.json: keys joined by '/'
  Json value;
  std::string label;  // weights: what each belongs to; table: the caption; others: the name on the
                      // page, empty for the words of the key
};

struct ResultHead {
  std::string command;  // "topics"
  std::string title;    // of the page: "Topics of a corpus"
  const OptionTable& options;
  std::vector<std::string> arguments = {};  // the words after the command's name
  std::vector<std::string> unused = {};     // options that this run did not read: not listed
};

// What is known about the rows of an array.
struct RowNames {
  std::vector<std::string> labels = {};  // one a row; empty: none
  bool counted = false;     // rows without labels: whether the index is a place, as in an .npy
  bool identities = false;  // whether labels that are numbers are names all the same, as of items
};

class ResultDocument {
 public:
  explicit ResultDocument(const ResultHead& head);

  // The value that was used, where the run chose it.
  ResultDocument& option(const std::string& name, Json value);

  // `label` is the name on the page; empty: the words of the key.
  ResultDocument& input(const std::string& key, Json value, const std::string& label = {});
  // Under diagnostics.
  ResultDocument& fact(const std::string& key, Json value, const std::string& label = {});
  // At the top.
  ResultDocument& value(const std::string& key, Json value, const std::string& label = {});
  // At the top.
  ResultDocument& fit(const std::string& key, Json value, const std::string& label = {});
  // Under evaluation.
  ResultDocument& quality(const std::string& key, Json value, const std::string& label = {});
  ResultDocument& weights(const Vector& weights, const std::string& of);
  ResultDocument& component_column(const std::string& path, Json numbers,
                                   const std::string& label = {});
  ResultDocument& topic_cards(Json topics);  // as `topics`
  // The columns of an array: their largest entries, and lines where the rows have an order
  // (report/row_order.h). `label` is the name on the page; empty: that of the array.
  ResultDocument& columns(const std::string& array, const Matrix& columns, const RowNames& rows,
                          const std::string& label = {});
  // Under diagnostics.
  ResultDocument& curve(const std::string& key, Json numbers, const std::string& label = {});
  ResultDocument& spectrum(const std::string& key, Json numbers, const std::string& label = {});
  ResultDocument& component_history(Json history);  // as diagnostics/history
  ResultDocument& epoch_history(Json errors);       // as diagnostics/history
  ResultDocument& epoch_seconds(Json seconds);      // as diagnostics/history/seconds
  ResultDocument& table(const std::string& path, const std::string& caption, Json records);
  ResultDocument& certificate(const Certificate& certificate);  // as privacy
  ResultDocument& source(Json model);                           // as source
  // As exposes. The file shows data without protection: in a private result it gets no digest, by
  // which a guess at that data could be tested where the file itself is not given away.
  ResultDocument& exposed(const std::string& sentence, const std::string& file = {});
  ResultDocument& seconds(double seconds);                         // at the top
  ResultDocument& seconds(const std::string& of, double seconds);  // as diagnostics/seconds_of
  ResultDocument& detail(const std::string& path, Json value, const std::string& label = {});
  ResultDocument& files(std::vector<std::string> names);  // those beside result.json
  // Of each file but those that are exposed.
  ResultDocument& digests(const std::map<std::string, FileDigest>& digests);
  // The statement of the operator. Its words are not options of the computation.
  ResultDocument& stated(const RunStatement& statement);

  const std::string& command() const { return command_; }
  const std::string& title() const { return title_; }
  const std::vector<std::string>& arguments() const { return arguments_; }
  const Json& options() const { return options_; }
  const std::vector<ResultElement>& elements() const { return elements_; }
  // None: the result is in no folder.
  const std::optional<std::vector<std::string>>& files() const { return files_; }
  const Json& digests() const { return digests_; }
  const RunStatement& statement() const { return statement_; }
  // None: no privacy was asked for.
  const std::optional<Certificate>& certificate() const { return certificate_; }
  bool is_private() const { return certificate_.has_value(); }
  // The sentences of exposed().
  std::vector<std::string> exposures() const;

 private:
  ResultDocument& add(Shown shown, const std::string& path, Json value,
                      const std::string& label = {});

  std::string command_, title_;
  std::vector<std::string> arguments_;
  std::optional<std::vector<std::string>> files_;
  Json digests_;
  std::vector<std::string> exposed_files_;
  RunStatement statement_;
  Json options_ = Json::object();
  std::vector<ResultElement> elements_;
  std::optional<Certificate> certificate_;
};

// result.json.
Json json_of(const ResultDocument& document);
// Its text; where the document lists digests, with a seal.
std::string result_text(const ResultDocument& document);

}  // namespace sotto
