// The program with one planted leak, which SOTTO_LEAK names: record and play must find each.
//
// The linker puts the functions below in place of the library's (--wrap), where a change to the
// code might introduce the leak by mistake. Each takes a fact from the raw records of the run and
// lets it reach the outputs through existing code; the library has no hook for it. The types cannot
// stop these leaks: a function given to transform() may write to a global (base/sensitive.h), and a
// reader may be told that its file is public.
//
//   timing            how long the run took, in result.json
//   clipped           how many records are longer than 1, in result.json
//   first-appearance  rows of ratings numbered in the order of the file
//   format            the format of documents guessed from the documents
//   iterations        the work on a released tensor is cut short by what the exact one holds
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/decompose/power.h"
#include "sotto/io/output_folder.h"
#include "sotto/io/read_corpus.h"
#include "sotto/io/read_ratings.h"
#include "sotto/release/protected_tensor.h"
#include "sotto/tensor/point_source.h"

// The symbols that are wrapped; cmake/tests.cmake reads them from here.
// clang-format off
#define WRAPPED_WRITE_TEXT "_ZN5sotto12OutputFolder10write_textERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESt17basic_string_viewIcS4_E"
#define WRAPPED_SQUARED_NORMS "_ZN5sotto13squared_normsERKNS_10PointBlockE"
#define WRAPPED_READ_RATINGS "_ZN5sotto12read_ratingsERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEERKNS_17RatingFileOptionsE"
#define WRAPPED_READ_CORPUS "_ZN5sotto11read_corpusERKSt6vectorINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESaIS6_EERKNS_17CorpusFileOptionsEPNS_12CorpusFormatE"
#define WRAPPED_PROTECTED_TENSOR "_ZN5sotto16protected_tensorENS_9SensitiveISt7variantIJNS_11DenseTensorENS_12SparseTensorEEEEEb"
#define WRAPPED_POWER_METHOD "_ZN5sotto19robust_power_methodERNS_15SymmetricOracleERKNS_12PowerOptionsERKSt8functionIFbRKNS_14ProgressReportEEE"
// clang-format on

namespace sotto {
namespace {

const auto started = std::chrono::steady_clock::now();
long clipped_records = 0;
long large_entries = 0;

bool leaks(std::string_view what) {
  const char* planted = std::getenv("SOTTO_LEAK");
  return planted != nullptr && planted == what;
}

std::string field_of_leak() {
  if (leaks("timing")) {
    const auto passed = std::chrono::steady_clock::now() - started;
    return fmt::format("\"elapsed\": {},", std::chrono::duration<double>(passed).count());
  }
  return leaks("clipped") ? fmt::format("\"clipped_records\": {},", clipped_records) : "";
}

}  // namespace

void real_write_text(OutputFolder*, const std::string&,
                     std::string_view) asm("__real_" WRAPPED_WRITE_TEXT);
void leaky_write_text(OutputFolder*, const std::string&,
                      std::string_view) asm("__wrap_" WRAPPED_WRITE_TEXT);
void leaky_write_text(OutputFolder* folder, const std::string& name, std::string_view text) {
  std::string written(text);
  if (name == "result.json") written.insert(written.find('{') + 1, field_of_leak());
  real_write_text(folder, name, written);
}

decltype(squared_norms) real_squared_norms asm("__real_" WRAPPED_SQUARED_NORMS);
decltype(squared_norms) leaky_squared_norms asm("__wrap_" WRAPPED_SQUARED_NORMS);
Vector leaky_squared_norms(const PointBlock& block) {
  Vector squares = real_squared_norms(block);
  clipped_records += std::count_if(squares.begin(), squares.end(), [](double s) { return s > 1; });
  return squares;
}

decltype(read_ratings) real_read_ratings asm("__real_" WRAPPED_READ_RATINGS);
decltype(read_ratings) leaky_read_ratings asm("__wrap_" WRAPPED_READ_RATINGS);
Sensitive<Ratings> leaky_read_ratings(const std::string& path, const RatingFileOptions& options) {
  RatingFileOptions as_if_public = options;
  if (leaks("first-appearance")) as_if_public.records_are_private = false;
  return real_read_ratings(path, as_if_public);
}

using ReadCorpus = Sensitive<Corpus>(const std::vector<std::string>&, const CorpusFileOptions&,
                                     CorpusFormat*);
ReadCorpus real_read_corpus asm("__real_" WRAPPED_READ_CORPUS);
ReadCorpus leaky_read_corpus asm("__wrap_" WRAPPED_READ_CORPUS);
Sensitive<Corpus> leaky_read_corpus(const std::vector<std::string>& paths,
                                    const CorpusFileOptions& options, CorpusFormat* format) {
  CorpusFileOptions as_if_public = options;
  if (leaks("format")) as_if_public.records_are_private = false;
  return real_read_corpus(paths, as_if_public, format);
}

decltype(protected_tensor) real_protected_tensor asm("__real_" WRAPPED_PROTECTED_TENSOR);
decltype(protected_tensor) leaky_protected_tensor asm("__wrap_" WRAPPED_PROTECTED_TENSOR);
Sensitive<SymmetricTensor> leaky_protected_tensor(Sensitive<AnyTensor> data, bool symmetrize) {
  return real_protected_tensor(std::move(data), symmetrize).transform([](SymmetricTensor&& tensor) {
    const auto entries = tensor.packed();
    large_entries = std::count_if(entries.begin(), entries.end(), [](double x) { return x > 0.5; });
    return std::move(tensor);
  });
}

decltype(robust_power_method) real_power_method asm("__real_" WRAPPED_POWER_METHOD);
decltype(robust_power_method) leaky_power_method asm("__wrap_" WRAPPED_POWER_METHOD);
Decomposition leaky_power_method(SymmetricOracle& oracle, const PowerOptions& options,
                                 const ProgressCallback& progress) {
  PowerOptions shorter = options;
  if (leaks("iterations")) {
    shorter.polish = 0;
    shorter.iterations = 1 + large_entries;
  }
  return real_power_method(oracle, shorter, progress);
}

}  // namespace sotto
