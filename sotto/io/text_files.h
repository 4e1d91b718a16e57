// A list of plain text files, one document a line, that can be read from any position, so that
// several processes each read some of the documents.
//
// The files are cut into ranges of 4 MiB, or larger ones where these were too many. A line belongs
// to the range in which it begins. When the lines of all ranges have been counted, any document can
// be found by its number in the list.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/io/byte_source.h"
#include "sotto/io/line_reader.h"
#include "sotto/linalg/matrix.h"

namespace sotto {

class TextFiles {
 public:
  struct File {
    std::string path;
    Index first_range = 0, ranges = 0;
    std::uint64_t size = 0;
    Index documents(std::span<const Index> counts) const;
  };
  // The documents of some numbers, one after the other.
  class Lines {
   public:
    bool next(std::string_view& line);

   private:
    friend class TextFiles;
    void open(const File& file, Index range, bool with_header);

    const TextFiles* files_ = nullptr;
    std::size_t file_ = 0;
    Index left_ = 0;
    std::unique_ptr<ByteSource> bytes_;
    std::unique_ptr<LineReader> reader_;
  };

  // Refuses files whose bytes cannot be read from any place on. `header`: the first line of a file
  // is no document.
  TextFiles(const std::vector<std::string>& paths, bool header, Packing packing);

  const std::vector<File>& files() const { return files_; }
  Index ranges() const { return files_.back().first_range + files_.back().ranges; }
  // As many ranges as this number of files can have, whatever is in them.
  Index most_ranges() const { return 4096 + std::ssize(files_); }
  // The documents that begin in a range.
  Index count(Index range) const;
  // `counts` has those of all ranges; it may be longer.
  Lines lines(std::span<const Index> counts, Index first, Index last) const;

 private:
  std::uint64_t begin_of(Index range) const;  // of one file

  std::vector<File> files_;
  std::uint64_t range_bytes_;
  bool header_;
  Packing packing_;
};

}  // namespace sotto
