// What a run returns to Python: its arrays, and the result as JSON, as a page and as a folder.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sotto/base/signature.h"
#include "sotto/io/output_folder.h"
#include "sotto/report/describe.h"
#include "sotto/report/describe_people.h"
#include "sotto/report/document.h"
#include "sotto/report/result_page.h"
#include "sotto/report/write_result.h"

namespace sotto::python {

namespace nb = nanobind;

class Outcome {
 public:
  virtual ~Outcome() = default;
  std::string json() { return to_text(json_of(document())); }
  std::string page() { return render(page_of(document())); }
  // The folder that the command line would write: a model that `sotto apply` takes.
  // `sign` is the file of a key; empty: nobody signs.
  void save(const std::string& folder, const std::string& sign) {
    ResultDocument described = document();
    if (!sign.empty()) {
      RunStatement stated = described.statement();
      stated.key = SigningKey::read(sign);
      described.stated(stated);
    }
    OutputFolder files(folder);
    write_arrays(files);
    write_result(files, described);
  }

 private:
  virtual ResultDocument document() = 0;
  virtual void write_arrays(OutputFolder& folder) = 0;
};

struct OutcomeHead {
  std::string command, title;
};

// `Task` is kept for its options, which the JSON lists.
template <class Task, class Result>
class TaskOutcome final : public Outcome {
 public:
  TaskOutcome(OutcomeHead head, std::unique_ptr<Task> task, Result result)
      : head_(std::move(head)), task_(std::move(task)), result_(std::move(result)) {}
  const Result& result() const { return result_; }

 private:
  ResultDocument document() override {
    const OptionTable options = task_->table();
    ResultDocument document({head_.command, head_.title, options});
    document.stated(task_->privacy.stated());
    describe(result_, document);
    return document;
  }
  void write_arrays(OutputFolder& folder) override { sotto::save(result_, folder); }

  OutcomeHead head_;
  std::unique_ptr<Task> task_;
  Result result_;
};

}  // namespace sotto::python
