#include "sotto/io/text_files.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "sotto/base/error.h"

namespace sotto {
namespace {

constexpr std::uint64_t kBlockBytes = std::uint64_t{4} << 20;

}  // namespace

Index TextFiles::File::documents(std::span<const Index> counts) const {
  const auto own =
      counts.subspan(static_cast<std::size_t>(first_range), static_cast<std::size_t>(ranges));
  return std::accumulate(own.begin(), own.end(), Index{0});
}

TextFiles::TextFiles(const std::vector<std::string>& paths, bool header, Packing packing)
    : header_(header), packing_(packing) {
  std::uint64_t all_bytes = 0;
  for (const std::string& path : paths) {
    const ByteSource bytes(path, packing);
    SOTTO_REQUIRE_AT(
        bytes.is_regular() && bytes.size(), bytes.path(),
        "cannot be shared out among ranks: give plain text files, one document a line");
    files_.push_back({path, 0, 0, *bytes.size()});
    all_bytes += *bytes.size();
  }
  // Every file has at most one range more than its share of all bytes has.
  const auto most = static_cast<std::uint64_t>(most_ranges()) - files_.size();
  range_bytes_ = std::max(kBlockBytes, (all_bytes + most - 1) / most);
  Index ranges = 0;
  for (File& file : files_) {
    file.first_range = ranges;
    file.ranges = static_cast<Index>((file.size + range_bytes_ - 1) / range_bytes_);
    ranges += file.ranges;
  }
}

std::uint64_t TextFiles::begin_of(Index range) const {
  return static_cast<std::uint64_t>(range) * range_bytes_;
}

// A line begins at the beginning of the file and behind every line end, unless the file ends there.
Index TextFiles::count(Index range) const {
  const auto file = std::find_if(files_.begin(), files_.end(),
                                 [&](const File& f) { return range < f.first_range + f.ranges; });
  SOTTO_REQUIRE(file != files_.end(), "there is no range {}", range);
  const Index own = range - file->first_range;
  const std::uint64_t begin = begin_of(own), end = std::min(file->size, begin_of(own + 1));
  const bool has_header = header_ && own == 0;
  Index found = (own == 0 ? 1 : 0) - (has_header ? 1 : 0);
  const ByteSource bytes(file->path, packing_);
  std::string text;
  for (std::uint64_t from = own == 0 ? 0 : begin - 1; from < end - 1; from += text.size()) {
    text.resize(std::min(kBlockBytes, end - 1 - from));
    const std::size_t had = bytes.read_at(from, text.data(), text.size());
    SOTTO_REQUIRE_AT(had == text.size(), file->path, "became shorter while it was read");
    const char *at = text.data(), *const last = at + text.size();
    while ((at = static_cast<const char*>(std::memchr(at, '\n', last - at))) != nullptr) {
      ++found;
      ++at;
    }
  }
  return found;
}

TextFiles::Lines TextFiles::lines(std::span<const Index> counts, Index first, Index last) const {
  Lines lines;
  lines.files_ = this;
  lines.left_ = last - first;
  if (first >= last) return lines;
  Index range = 0;
  for (; range < std::ssize(counts) && first >= counts[static_cast<std::size_t>(range)]; ++range) {
    first -= counts[static_cast<std::size_t>(range)];
  }
  while (range >= files_[lines.file_].first_range + files_[lines.file_].ranges) ++lines.file_;
  const File& file = files_[lines.file_];
  lines.open(file, range - file.first_range, header_);
  std::string_view passed;
  for (; first > 0; --first) lines.reader_->next(passed);
  return lines;
}

void TextFiles::Lines::open(const File& file, Index range, bool with_header) {
  bytes_ = std::make_unique<ByteSource>(file.path, files_->packing_);
  if (range > 0) bytes_->seek(files_->begin_of(range) - 1);
  reader_ = std::make_unique<LineReader>(*bytes_, LineReader::longest_document, LongLines::cut);
  std::string_view rest;
  if (range > 0 || with_header) reader_->next(rest);
}

bool TextFiles::Lines::next(std::string_view& line) {
  if (left_ == 0) return false;
  while (!reader_->next(line)) {
    SOTTO_REQUIRE_AT(file_ + 1 < files_->files().size(), files_->files()[file_].path,
                     "became shorter while it was read");
    open(files_->files()[++file_], 0, files_->header_);
  }
  --left_;
  return true;
}

}  // namespace sotto
