// What reads foreign bytes, each as a function of some bytes: for libFuzzer (fuzz.cc) and for the
// program that replays inputs (replay.cc).
//
// A target returns when the bytes were read or refused with an Error. Anything else that leaves it
// is a bug, and so is time or memory that does not follow from the size of the input: kMostSeconds
// of processor time, and kMostMemory for the whole program, for inputs of up to kMostBytes.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sotto::fuzz {

inline constexpr std::size_t kMostBytes = std::size_t{1} << 16;
inline constexpr double kMostSeconds = 2;
inline constexpr std::size_t kMostMemory = std::size_t{1} << 30;

struct Target {
  std::string name;
  std::function<void(std::string_view bytes)> run;
  std::vector<std::string> seeds;
};

const std::vector<Target>& all_targets();
std::vector<Target> reader_targets();
std::vector<Target> state_targets();

// Runs the target, and passes over an Error.
void try_input(const Target& target, std::string_view bytes);

// A file with these bytes, in memory, that can be opened by its path.
class BytesInFile {
 public:
  explicit BytesInFile(std::string_view bytes);
  ~BytesInFile();
  BytesInFile(const BytesInFile&) = delete;
  BytesInFile& operator=(const BytesInFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  int descriptor_;
  std::string path_;
};

// The first byte of an input chooses one of `count` ways to read the others.
std::size_t take_choice(std::string_view& bytes, std::size_t count);

}  // namespace sotto::fuzz
