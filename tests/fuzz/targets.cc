#include "tests/fuzz/targets.h"

#include <sys/mman.h>
#include <unistd.h>

#include <stdexcept>

#include "sotto/base/error.h"

namespace sotto::fuzz {

BytesInFile::BytesInFile(std::string_view bytes) : descriptor_(::memfd_create("input", 0)) {
  if (descriptor_ < 0 ||
      ::write(descriptor_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
    throw std::runtime_error("no file in memory");
  }
  path_ = "/proc/self/fd/" + std::to_string(descriptor_);
}

BytesInFile::~BytesInFile() { ::close(descriptor_); }

std::size_t take_choice(std::string_view& bytes, std::size_t count) {
  if (bytes.empty()) return 0;
  const auto first = static_cast<unsigned char>(bytes.front());
  bytes.remove_prefix(1);
  return first % count;
}

void try_input(const Target& target, std::string_view bytes) {
  try {
    target.run(bytes);
  } catch (const Error&) {
  }
}

const std::vector<Target>& all_targets() {
  static const std::vector<Target> targets = [] {
    std::vector<Target> all = reader_targets();
    for (Target& target : state_targets()) all.push_back(std::move(target));
    return all;
  }();
  return targets;
}

}  // namespace sotto::fuzz
