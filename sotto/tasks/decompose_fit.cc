#include "sotto/tasks/decompose_fit.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/decompose/cp_source.h"
#include "sotto/io/npy.h"
#include "sotto/io/read_labels.h"

namespace sotto {
namespace {

CpOptions cp_options(const DecomposeTask& task, Entries entries) {
  CpOptions cp;
  cp.components = task.power.components;
  cp.seed = task.power.seed;
  if (task.given.starts) cp.starts = task.power.starts;
  if (task.given.iterations) cp.iterations = task.power.iterations;
  if (task.given.tolerance) cp.tolerance = task.power.tolerance;
  cp.non_negative = task.non_negative;
  cp.negative_entries = entries == Entries::noisy;
  cp.missing = task.leaves_out();
  return cp;
}

void note_options(const CpOptions& used, PowerOptions& power) {
  power.components = used.components;
  power.starts = used.starts;
  power.iterations = used.iterations;
  power.tolerance = used.tolerance;
}

std::vector<Index> tucker_ranks(const DecomposeTask& task, std::size_t order) {
  SOTTO_REQUIRE_AT(!task.ranks.empty(), "`ranks`", "`method` tucker needs them, one a mode: 3,3,2");
  std::vector<Index> ranks;
  for (const double r : task.ranks) {
    SOTTO_REQUIRE_AT(r >= 1 && r <= 1e9 && r == std::floor(r), "`ranks`",
                     "must be whole numbers from 1 on, got {:g}", r);
    ranks.push_back(static_cast<Index>(r));
  }
  if (ranks.size() == 1) ranks.assign(order, ranks[0]);
  return ranks;
}

}  // namespace

void check_fit(const DecomposeTask& task, TensorMethod method, const std::vector<Index>& dims) {
  check_fit_shape(dims);
  if (method == TensorMethod::tucker) {
    check_tucker_ranks(dims, tucker_ranks(task, dims.size()));
  } else if (!task.components_auto) {
    check_components(dims, task.power.components);
  }
}

DecomposeResult run_cp(const AnyTensor& tensor, const DecomposeTask& task, Entries entries,
                       DecomposeResult result, const ProgressCallback& progress) {
  CpOptions options = cp_options(task, entries);
  if (task.components_auto) {
    RankChoice choice = choose_components(tensor, options, task.components_up_to, progress);
    result.trials = std::move(choice.trials);
    result.choice = std::move(choice.why);
    options.components = choice.components;
    result.cp = std::move(choice.fit);
  } else {
    result.cp = fit_cp(tensor, options, progress);
  }
  note_options(options, result.power);
  result.found = result.cp->found;
  result.measures = result.cp->measures;
  return result;
}

DecomposeResult run_tucker(const AnyTensor& tensor, const DecomposeTask& task, Entries entries,
                           DecomposeResult result, const ProgressCallback& progress) {
  TuckerOptions options;
  options.ranks = tucker_ranks(task, result.dims.size());
  options.seed = task.power.seed;
  if (task.given.iterations) options.iterations = task.power.iterations;
  if (task.given.tolerance) options.tolerance = task.power.tolerance;
  options.non_negative = task.non_negative;
  options.negative_entries = entries == Entries::noisy;
  options.missing = task.leaves_out();
  result.power.iterations = options.iterations;
  result.power.tolerance = options.tolerance;
  result.tucker = fit_tucker(tensor, options, progress);
  result.found.factors = result.tucker->factors;
  result.found.status = result.tucker->status;
  result.measures = result.tucker->measures;
  return result;
}

void apply_mask(AnyTensor& tensor, const std::string& path) {
  auto* dense = std::get_if<DenseTensor>(&tensor);
  SOTTO_REQUIRE_AT(dense != nullptr, "`mask`",
                   "is for dense tensors; `missing` leaves out what a sparse one does not list");
  const DenseTensor mask = read_npy(path);
  SOTTO_REQUIRE_AT(mask.dims() == dense->dims(), path, "a mask of {} for a tensor of {}",
                   shape_text(mask.dims()), shape_text(dense->dims()));
  for (Index p = 0; p < mask.size(); ++p) {
    if (mask.values()[p] == 0) {
      dense->values()[p] = std::numeric_limits<double>::quiet_NaN();
    }
  }
}

std::vector<std::string> label_files(const std::string& joined) {
  std::vector<std::string> files;
  if (joined.empty()) return files;
  files.emplace_back();
  for (const char c : joined) {
    if (c == ',') {
      files.emplace_back();
    } else {
      files.back() += c;
    }
  }
  return files;
}

Companions label_companions(const std::string& joined) {
  Companions companions;
  for (const std::string& file : label_files(joined)) {
    companions.push_back({"labels", "the file of row labels", file});
  }
  return companions;
}

std::vector<std::vector<std::string>> read_row_labels(const std::vector<std::string>& files,
                                                      const std::vector<Index>& dims) {
  if (files.empty()) return {};
  SOTTO_REQUIRE_AT(files.size() == dims.size(), "`labels`",
                   "a tensor of order {} takes {} files joined by commas, empty for modes without "
                   "labels; got {}",
                   dims.size(), dims.size(), files.size());
  std::vector<std::vector<std::string>> labels(dims.size());
  for (std::size_t m = 0; m < files.size(); ++m) {
    if (files[m].empty()) continue;
    const LabelTable table = read_labels(files[m]);
    SOTTO_REQUIRE_AT(table.size() == dims[m], files[m], "has {} labels for the {} rows of mode {}",
                     table.size(), dims[m], m);
    for (Index i = 0; i < table.size(); ++i) labels[m].emplace_back(table.label(i));
  }
  return labels;
}

std::string csv_of(const Matrix& factor, const std::vector<std::string>& labels) {
  const auto quoted = [](const std::string& text) {
    std::string result = "\"";
    for (const char c : text) result += c == '"' ? "\"\"" : std::string(1, c);
    return result + "\"";
  };
  std::string text = "row";
  for (Index r = 0; r < factor.cols(); ++r) text += fmt::format(",component_{}", r + 1);
  text += "\n";
  for (Index i = 0; i < factor.rows(); ++i) {
    text += labels.empty() ? fmt::format("{}", i) : quoted(labels[static_cast<std::size_t>(i)]);
    for (Index r = 0; r < factor.cols(); ++r) text += fmt::format(",{}", factor(i, r));
    text += "\n";
  }
  return text;
}

}  // namespace sotto
