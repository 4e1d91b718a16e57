// The joint fits of `sotto decompose`, CP and Tucker, and what surrounds them: masks, row labels
// and tables as text. The tensor is public, or it was released with noise.
#pragma once

#include <string>
#include <vector>

#include "sotto/tasks/companions.h"
#include "sotto/tasks/decompose.h"

namespace sotto {

// What the entries are, beside the options of the task.
enum class Entries { exact, noisy };

// Both complete `result`, whose dims are known. Noisy entries may be negative for a non-negative
// model.
DecomposeResult run_cp(const AnyTensor& tensor, const DecomposeTask& task, Entries entries,
                       DecomposeResult result, const ProgressCallback& progress);
DecomposeResult run_tucker(const AnyTensor& tensor, const DecomposeTask& task, Entries entries,
                           DecomposeResult result, const ProgressCallback& progress);

// Refuses a model that no tensor of this shape has, before there is a tensor.
void check_fit(const DecomposeTask& task, TensorMethod method, const std::vector<Index>& dims);

// Entries where the mask, an .npy file of the same shape, is 0 become unknown.
void apply_mask(AnyTensor& tensor, const std::string& path);

// Files of labels that are joined by commas: one a mode, empty where a mode has none.
std::vector<std::string> label_files(const std::string& joined);
// The same as files that a run reads beside its input.
Companions label_companions(const std::string& joined);

// The labels of the modes that have a file. Rows and labels must be as many.
std::vector<std::vector<std::string>> read_row_labels(const std::vector<std::string>& files,
                                                      const std::vector<Index>& dims);

// A factor as a table, a line for each row; rows without labels are numbered from 0.
std::string csv_of(const Matrix& factor, const std::vector<std::string>& labels);

}  // namespace sotto
