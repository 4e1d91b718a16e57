// Runs targets over their seeds, over files, and over mutations of both, without a fuzzer.
//
//   fuzz_replay [--mutations N] [--seed S] [--target NAME] [--write FOLDER] [FOLDER]
//
// FOLDER holds inputs that once failed, FOLDER/TARGET/*. N mutations are made of each seed and
// file, the same for the same S: bits flipped, bytes replaced by numbers that parsers trip over,
// pieces left out, repeated and taken from other inputs. --write stores the seeds, for libFuzzer.
// Ends with a line for each target: inputs, and the longest processor time of one.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "sotto/base/random.h"
#include "sotto/base/testing/sanitized.h"
#include "tests/fuzz/targets.h"

namespace sotto::fuzz {
namespace {

namespace fs = std::filesystem;

double processor_seconds() {
  return static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC);
}

class Mutator {
 public:
  Mutator(const std::vector<std::string>& inputs, std::uint64_t seed)
      : inputs_(inputs), random_(seed) {}

  std::string next(std::string text) {
    for (std::uint64_t n = 1 + random_.below(4); n > 0; --n) change(text);
    if (text.size() > kMostBytes) text.resize(kMostBytes);
    return text;
  }

 private:
  std::size_t place(const std::string& text) { return random_.below(text.size() + 1); }

  void change(std::string& text) {
    static const std::vector<std::string> kWords = {"9223372036854775807",
                                                    "-1",
                                                    "4294967296",
                                                    "1e308",
                                                    "nan",
                                                    "-0",
                                                    "1e-320",
                                                    "\n",
                                                    "\r",
                                                    "\t",
                                                    ",",
                                                    ":",
                                                    "\"",
                                                    "#",
                                                    "::",
                                                    "%%",
                                                    "\x1f\x8b",
                                                    "\xff\xfe",
                                                    "\xef\xbb\xbf",
                                                    "{}",
                                                    "[",
                                                    "null",
                                                    "2147483648",
                                                    "100000000",
                                                    "0",
                                                    " ",
                                                    "'",
                                                    "\\",
                                                    "0x1p1023"};
    const std::size_t at = place(text);
    const std::string& other = inputs_[random_.below(inputs_.size())];
    const std::size_t from = place(other), length = random_.below(16);
    switch (random_.below(7)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << random_.below(8)));
        break;
      case 1:
        if (at < text.size()) text[at] = static_cast<char>(random_.below(256));
        break;
      case 2:
        text.insert(at, kWords[random_.below(kWords.size())]);
        break;
      case 3:
        text.erase(at, length);
        break;
      case 4:
        text.insert(at, other.substr(from, length));
        break;
      case 5:
        text.resize(at);
        break;
      default:
        text.insert(at, text.substr(0, random_.below(64)));
    }
  }

  const std::vector<std::string>& inputs_;
  SeededRandom random_;
};

std::vector<std::string> inputs_of(const Target& target, const std::string& folder) {
  std::vector<std::string> inputs = target.seeds;
  inputs.emplace_back();
  std::error_code none;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(fs::path(folder) / target.name, none)) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& path : files) {
    std::ifstream file(path, std::ios::binary);
    inputs.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return inputs;
}

struct Tried {
  std::int64_t inputs = 0;
  double longest = 0;
  bool failed = false;
};

void try_one(const Target& target, const std::string& input, Tried& tried) {
  const double began = processor_seconds();
  std::string fault;
  try {
    try_input(target, input);
  } catch (const std::exception& error) {
    fault = error.what();
  }
  const double spent = processor_seconds() - began;
  ++tried.inputs;
  tried.longest = std::max(tried.longest, spent);
  if (fault.empty() && spent <= kMostSeconds) return;
  const std::string kept = fmt::format("failed-{}-{}", target.name, tried.inputs);
  std::ofstream(kept, std::ios::binary).write(input.data(), std::ssize(input));
  fmt::print("{}: {} ({:.2f} s); the input is in {}\n", target.name, fault, spent, kept);
  tried.failed = true;
}

Tried try_target(const Target& target, const std::string& folder, std::int64_t mutations,
                 std::uint64_t seed) {
  const std::vector<std::string> inputs = inputs_of(target, folder);
  Tried tried;
  Mutator mutator(inputs, seed);
  for (const std::string& input : inputs) {
    try_one(target, input, tried);
    for (std::int64_t n = 0; n < mutations; ++n) try_one(target, mutator.next(input), tried);
  }
  return tried;
}

void write_seeds(const std::string& folder) {
  for (const Target& target : all_targets()) {
    fs::create_directories(fs::path(folder) / target.name);
    for (std::size_t n = 0; n < target.seeds.size(); ++n) {
      std::ofstream(fs::path(folder) / target.name / fmt::format("seed-{}", n), std::ios::binary)
          << target.seeds[n];
    }
  }
}

int run(const std::vector<std::string>& arguments) {
  std::string folder = "tests/fuzz/regressions", only, write;
  std::int64_t mutations = 0;
  std::uint64_t seed = 1;
  for (std::size_t n = 0; n < arguments.size(); ++n) {
    const bool more = n + 1 < arguments.size();
    if (arguments[n] == "--mutations" && more) {
      mutations = std::stoll(arguments[++n]);
    } else if (arguments[n] == "--seed" && more) {
      seed = std::stoull(arguments[++n]);
    } else if (arguments[n] == "--target" && more) {
      only = arguments[++n];
    } else if (arguments[n] == "--write" && more) {
      write = arguments[++n];
    } else {
      folder = arguments[n];
    }
  }
  if (!write.empty()) {
    write_seeds(write);
    return 0;
  }
  bool failed = false;
  for (const Target& target : all_targets()) {
    if (!only.empty() && target.name != only) continue;
    const Tried tried = try_target(target, folder, mutations, seed);
    fmt::print("{:<12}{:>10} inputs, at most {:.3f} s each\n", target.name, tried.inputs,
               tried.longest);
    std::fflush(stdout);
    failed |= tried.failed;
  }
  return failed ? 1 : 0;
}

}  // namespace
}  // namespace sotto::fuzz

int main(int argc, char** argv) {
  const rlimit memory{sotto::fuzz::kMostMemory, sotto::fuzz::kMostMemory};
  // Beyond it, bad_alloc is a failure. The sanitizers map far more than they use.
  if (!sotto::kSanitized) ::setrlimit(RLIMIT_AS, &memory);
  return sotto::fuzz::run({argv + 1, argv + argc});
}
