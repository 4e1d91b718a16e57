// The program with one planted fault, which SOTTO_FAULT names: its own audit must find each.
//
// The linker puts the functions below in place of the library's (--wrap), where a change to the
// code might introduce the fault by mistake; the library has no hook for it. What is claimed,
// planned and charged stays as it is.
//
//   noise   a fifth of the noise of every block is missing
//   quiet   all but a thousandth of it is
//   clip    nothing is clipped
//   key     every run draws the noise of the same key
//   stream  every release of a run draws the noise of the same stream
//   count   the number of lines of the data that read SOTTO_COUNTED stands in the result
#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/base/clip.h"
#include "sotto/base/system_random.h"
#include "sotto/privacy/mechanism.h"
#include "sotto/release/privacy_options.h"
#include "sotto/report/document.h"

// The symbols that are wrapped; cmake/tests.cmake reads them from here.
// clang-format off
#define WRAPPED_RELEASE "_ZNK5sotto14BlockMechanism7releaseESt4spanIKdLm18446744073709551615EENS_11NoiseStreamES1_IdLm18446744073709551615EE"
#define WRAPPED_OPEN_STREAM "_ZN5sotto8NoiseKey11open_streamEv"
#define WRAPPED_CLIPPED "_ZN5sotto7clippedEddd"
#define WRAPPED_RESERVE "_ZN5sotto13TargetOptions7reserveERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEES8_RKSt6vectorIS6_SaIS6_EESD_"
#define WRAPPED_RESULT_TEXT "_ZN5sotto11result_textB5cxx11ERKNS_14ResultDocumentE"
// clang-format on

namespace sotto {
namespace {

constexpr double kShareOfNoise = 0.8, kHardlyAny = 1e-3;

bool is_planted(std::string_view fault) {
  const char* planted = std::getenv("SOTTO_FAULT");
  return planted != nullptr && planted == fault;
}

std::uint64_t random_seed() {
  std::array<std::uint8_t, sizeof(std::uint64_t)> bytes{};
  fill_from_system(bytes);
  return std::bit_cast<std::uint64_t>(bytes);
}

long counted = 0;

}  // namespace

void real_release(const BlockMechanism*, std::span<const double>, NoiseStream,
                  std::span<double>) asm("__real_" WRAPPED_RELEASE);
void faulty_release(const BlockMechanism*, std::span<const double>, NoiseStream,
                    std::span<double>) asm("__wrap_" WRAPPED_RELEASE);
void faulty_release(const BlockMechanism* mechanism, std::span<const double> value,
                    NoiseStream stream, std::span<double> out) {
  const std::vector<double> exact(value.begin(), value.end());
  real_release(mechanism, value, std::move(stream), out);
  const double share = is_planted("noise") ? kShareOfNoise : is_planted("quiet") ? kHardlyAny : 1;
  if (share == 1) return;
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = exact[i] + share * (out[i] - exact[i]);
  }
}

NoiseStream real_open_stream(NoiseKey*) asm("__real_" WRAPPED_OPEN_STREAM);
NoiseStream faulty_open_stream(NoiseKey*) asm("__wrap_" WRAPPED_OPEN_STREAM);
NoiseStream faulty_open_stream(NoiseKey* key) {
  if (key->secure() && is_planted("key")) {
    static NoiseKey same = NoiseKey::insecure_from_seed(7);
    return real_open_stream(&same);
  }
  if (key->secure() && is_planted("stream")) {
    static const std::uint64_t of_this_run = random_seed();
    NoiseKey again = NoiseKey::insecure_from_seed(of_this_run);
    return real_open_stream(&again);
  }
  return real_open_stream(key);
}

decltype(clipped) real_clipped asm("__real_" WRAPPED_CLIPPED);
decltype(clipped) faulty_clipped asm("__wrap_" WRAPPED_CLIPPED);
double faulty_clipped(double x, double low, double high) {
  return is_planted("clip") ? x : real_clipped(x, low, high);
}

void real_reserve(TargetOptions*, const std::string&, const std::string&,
                  const std::vector<std::string>&,
                  const std::vector<std::string>&) asm("__real_" WRAPPED_RESERVE);
void faulty_reserve(TargetOptions*, const std::string&, const std::string&,
                    const std::vector<std::string>&,
                    const std::vector<std::string>&) asm("__wrap_" WRAPPED_RESERVE);
void faulty_reserve(TargetOptions* options, const std::string& command, const std::string& unit,
                    const std::vector<std::string>& inputs,
                    const std::vector<std::string>& others) {
  const char* looked_for = std::getenv("SOTTO_COUNTED");
  for (const std::string& input : inputs) {
    std::ifstream file(input, std::ios::binary);
    for (std::string line; std::getline(file, line);) {
      counted += looked_for != nullptr && line == looked_for ? 1 : 0;
    }
  }
  real_reserve(options, command, unit, inputs, others);
}

decltype(result_text) real_result_text asm("__real_" WRAPPED_RESULT_TEXT);
decltype(result_text) faulty_result_text asm("__wrap_" WRAPPED_RESULT_TEXT);
std::string faulty_result_text(const ResultDocument& document) {
  std::string text = real_result_text(document);
  if (is_planted("count")) {
    text.insert(text.find('{') + 1, "\"counted\": " + std::to_string(counted) + ",");
  }
  return text;
}

}  // namespace sotto
