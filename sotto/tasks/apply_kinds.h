// One function for each kind of model, called by apply.cc: checks the folder, reads the new data,
// and computes. Each fills in everything but the source of the model and what the result exposes.
#pragma once

#include <string>

#include "sotto/base/sensitive.h"
#include "sotto/tasks/apply.h"
#include "sotto/tasks/result_folder.h"

namespace sotto {

// The data that a model is applied to belongs to the caller.
inline PublicDeclaration callers_own_data() {
  return PublicDeclaration("the data that a model is applied to is the caller's own");
}

// The format that `format` names, for this kind of data.
template <NamedEnum E>
E format_named(const ApplyTask& task) {
  const auto format = value_named<E>(task.format);
  SOTTO_REQUIRE_AT(format, "`format`", "{} is not a format of this kind of data", task.format);
  return *format;
}

ApplyResult apply_topics(const ResultFolder& folder, const std::string& path,
                         const ApplyTask& task);
ApplyResult apply_mixture(const ResultFolder& folder, const std::string& path,
                          const ApplyTask& task);
ApplyResult apply_people(const ResultFolder& folder, const std::string& path,
                         const ApplyTask& task);
ApplyResult apply_stream(const ResultFolder& folder, const std::string& path,
                         const ApplyTask& task);
// Of decompositions without a unit.
ApplyResult apply_slices(const ResultFolder& folder, const std::string& path,
                         const ApplyTask& task);
ApplyResult apply_users(const ResultFolder& folder, const std::string& path, const ApplyTask& task);
// Of the two kinds of completion, unit user among them.
ApplyResult apply_completion(const ResultFolder& folder, const std::string& path,
                             const ApplyTask& task);

}  // namespace sotto
