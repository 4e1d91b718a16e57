#include "sotto/tasks/apply.h"

#include <fmt/format.h>

#include <utility>

#include "sotto/base/error.h"
#include "sotto/base/join_text.h"
#include "sotto/base/json.h"
#include "sotto/base/rounded_up.h"
#include "sotto/io/output_folder.h"
#include "sotto/tasks/apply_kinds.h"

namespace sotto {
namespace {

bool is_person_unit(const ResultFolder& folder) { return folder.find("options/unit") == "person"; }

// Refuses options that say nothing about this kind of model.
void refuse_others(const ResultFolder& folder, const ApplyTask& task) {
  const ApplyTask usual;
  const std::string& command = folder.command();
  const bool ratings = command == "complete";
  const bool points = command == "mixture" || command == "stream";
  const bool tensor = command == "decompose";
  struct Given {
    const char* option;
    bool is_given, has_effect;
  };
  for (const auto& [option, is_given, has_effect] :
       {Given{"`vocab`", !task.vocab.empty(), command == "topics"},
        Given{"`header`", task.header != usual.header, !tensor},
        Given{"`separator`", task.separator != usual.separator, !tensor},
        Given{"`decimal`", task.decimal != usual.decimal, ratings || points},
        Given{"`drop-columns`", !task.drop_columns.empty(), points},
        Given{"`text-column`", !task.text_column.empty(), command == "topics"},
        Given{"`id-column`", !task.id_column.empty(), command == "topics" || points},
        Given{"`dtype`", task.dtype != usual.dtype, points},
        Given{"`columns`", !task.columns.empty(), ratings},
        Given{"`user-column`", !task.user_column.empty(), ratings},
        Given{"`given`", !task.given.empty(), ratings && !task.recommend},
        Given{"`recommend`", task.recommend, ratings},
        Given{"`top`", task.top != usual.top, ratings && task.recommend}}) {
    SOTTO_REQUIRE_AT(!is_given || has_effect, option, "has no effect on this model, of 'sotto {}'",
                     command);
  }
}

ApplyResult apply_kind(const ResultFolder& folder, const std::string& path, const ApplyTask& task) {
  const std::string& command = folder.command();
  if (command == "topics") return apply_topics(folder, path, task);
  if (command == "mixture") return apply_mixture(folder, path, task);
  if (command == "decompose" && is_person_unit(folder)) return apply_people(folder, path, task);
  if (command == "decompose") return apply_slices(folder, path, task);
  if (command == "stream") return apply_stream(folder, path, task);
  if (command == "complete") return apply_completion(folder, path, task);
  throw Error(fmt::format("holds a result of 'sotto {}', which cannot be applied; results of "
                          "topics, mixture, complete, decompose and stream can",
                          command),
              folder.path());
}

// What the model promises to those it was learnt from.
std::string promise_of(const AppliedModel& model) {
  if (!model.proved()) {
    return fmt::format(
        "The model in {} gives no guarantee, so neither does this for those in the training data.",
        model.folder);
  }
  const Json certificate = parse_json(model.certificate);
  const std::string unit = certificate.contains("unit") && certificate["unit"].is_string()
                               ? certificate["unit"].get<std::string>()
                               : "not said";
  return fmt::format(
      "For those in the training data this is post-processing, which the certificate of {} covers: "
      "epsilon {}, delta {}, protected: {}.",
      model.folder, rounded_up(certificate["epsilon"].get<double>()),
      rounded_up(certificate["delta"].get<double>()), unit);
}

// Whom the result reveals something about: of those in the training data no more than its
// certificate allows, and everyone in the new data.
std::string applied_exposure(const AppliedModel& model, const std::string& path,
                             const ApplyTask& task) {
  const std::string more = task.given.empty() ? "" : " and " + task.given;
  return fmt::format(
      "Nothing was spent. {} It is made from the data in {}{} and shows that data to whoever reads "
      "it.",
      promise_of(model), path, more);
}

// A field of a CSV file, between quotes where it would otherwise be read as something else.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string inside;
  for (const char c : text) inside += c == '"' ? std::string("\"\"") : std::string(1, c);
  return "\"" + inside + "\"";
}

// A line a record: its name, and its share of each component.
std::string csv_of_rows(const ApplyResult& result) {
  std::string text = "id";
  for (const std::string& name : component_names(result)) text += "," + csv_field(name);
  text += "\n";
  for (Index i = 0; i < result.rows.rows(); ++i) {
    text += csv_field(result.ids[static_cast<std::size_t>(i)]);
    for (Index t = 0; t < result.rows.cols(); ++t) text += fmt::format(",{}", result.rows(i, t));
    text += "\n";
  }
  return text;
}

std::string csv_of_predictions(const ApplyResult& result) {
  std::string text;
  for (const std::string& mode : result.modes) text += csv_field(mode) + ",";
  text += "prediction\n";
  for (const Prediction& one : result.predictions) {
    for (const std::string& label : one.place) text += csv_field(label) + ",";
    text += fmt::format("{}\n", one.value);
  }
  return text;
}

}  // namespace

OptionTable ApplyTask::table() {
  return OptionTable()
      .text("format", 0, format, "NAME",
            "format of NEW, one of those that the command of the model reads; auto: recognised")
      .text("vocab", 0, vocab, "FILE",
            "topics: the words that numbers in NEW stand for, one a line (none given: those of the "
            "model); text needs none")
      .choice("header", header, "text: whether the first line names the columns")
      .choice("separator", separator,
              "text: the separator of the columns; auto: that of the first line")
      .choice("decimal", decimal, "points and ratings: the decimal mark of numbers in text")
      .text("drop-columns", 0, drop_columns, "NAME|NUMBER,..",
            "points: columns of a text file to leave out; none: keep all columns, even one that "
            "looks like a saved index")
      .text("text-column", 0, text_column, "NAME|NUMBER",
            "topics: the column of CSV or TSV that holds the text (none given: as in the training "
            "run)")
      .text("id-column", 0, id_column, "NAME|NUMBER",
            "topics, mixture and stream: the column of CSV or TSV that names the documents or "
            "points (proportions.csv or loadings.csv has the names)")
      .choice("index-base", index_base,
              "the first number of a row or a word in a sparse file; auto: 0 in LDA-C, else 1")
      .choice("dtype", dtype, "points: the size of raw numbers")
      .text("columns", 0, columns, "ROLE,ROLE,...",
            "complete: what the columns are: user, item, mode, value, time, or - for one to leave "
            "out (none given: as in the training run, else by the header)")
      .text("user-column", 0, user_column, "NAME|NUMBER",
            "complete: the column that tells the users apart (none given: as in the training run)")
      .text("given", 0, given, "FILE",
            "complete: ratings of users that the model does not know, from which their own rows "
            "are computed")
      .flag("recommend", recommend,
            "complete: NEW has the ratings of one new user, item and rating; the best items that "
            "are not among them are recommended")
      .integer("top", 0, top, {1, 1000000}, "complete: how many items to recommend");
}

bool AppliedModel::proved() const {
  const Json said = parse_json(certificate);
  const auto is_number = [&](const char* key) {
    return said.contains(key) && said[key].is_number();
  };
  return said.is_object() && said.contains("guarantee") && said["guarantee"] == "proved" &&
         is_number("epsilon") && is_number("delta");
}

ApplyResult apply(const std::string& folder, const std::string& path, const ApplyTask& task) {
  const ResultFolder model(folder);
  refuse_others(model, task);
  ApplyResult result = apply_kind(model, path, task);
  result.model.folder = model.path();
  result.model.command = model.command();
  result.model.certificate = json_text(model.find("privacy"));
  result.exposes = applied_exposure(result.model, path, task);
  return result;
}

std::vector<std::string> component_names(const ApplyResult& result) {
  if (!result.components.empty()) return result.components;
  std::vector<std::string> names;
  for (Index t = 0; t < result.rows.cols(); ++t)
    names.push_back(fmt::format("component {}", t + 1));
  return names;
}

void save(const ApplyResult& result, OutputFolder& folder) {
  if (!result.rows_are.empty()) folder.write_npy(result.rows_are + ".npy", Matrix(result.rows));
  if (!result.ids.empty()) {
    if (result.input == "documents") {
      folder.write_text("documents.txt", fmt::format("{}\n", join_text(result.ids, "\n")));
    }
    folder.write_text(result.rows_are + ".csv", csv_of_rows(result));
  }
  if (!result.modes.empty()) folder.write_text("predictions.csv", csv_of_predictions(result));
}

}  // namespace sotto
