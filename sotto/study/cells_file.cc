#include "sotto/study/cells_file.h"

#include <fcntl.h>
#include <fmt/ranges.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>

#include "sotto/base/digest.h"
#include "sotto/base/error.h"
#include "sotto/base/join_text.h"
#include "sotto/io/atomic_file.h"

namespace sotto {
namespace {

std::string first_line(const Study& study, const StudySettings& settings, const StudyPlan& plan) {
  std::string all = csv_header(plan, Columns::with_seconds);
  for (const StudyCell& cell : plan.cells) all += '\n' + cell.joined(',');
  const StudyCell whole = StudyCell().with("plan", all);
  return fmt::format("# {}, {}, seed {}, data {}, plan {:016x}", study.name,
                     settings.quick ? "quick" : "full", settings.seed,
                     settings.data.empty() ? "generated" : settings.data,
                     trial_seed(0, whole, plan.trials));
}

std::string read_all(int descriptor, const std::string& path) {
  std::string text;
  char block[1 << 16];
  while (true) {
    const ssize_t got = ::read(descriptor, block, sizeof block);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_system_error(path, "cannot be read", errno);
    if (got == 0) return text;
    text.append(block, static_cast<std::size_t>(got));
  }
}

std::vector<std::string_view> split(std::string_view line, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = line.find(separator);
    parts.push_back(line.substr(0, end));
    if (end == std::string_view::npos) return parts;
    line.remove_prefix(end + 1);
  }
}

// Eight digits that damage would change.
std::string check_of(std::string_view content) { return digest_of(content).substr(0, 8); }

template <class Number>
bool parse(std::string_view word, Number& value) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && end == word.data() + word.size();
}

bool parse_row(std::string_view line, const std::map<std::string, std::size_t>& cells,
               const StudyPlan& plan, StudyRow& row) {
  const std::size_t parameters = plan.cells.front().values().size();
  const auto words = split(line, ',');
  if (words.size() != parameters + 3 + plan.measures.size()) return false;
  const auto length = static_cast<std::size_t>(words[parameters].data() - line.data()) - 1;
  const auto cell = cells.find(std::string(line.substr(0, length)));
  if (cell == cells.end()) return false;
  row.cell = cell->second;
  row.measured.resize(plan.measures.size());
  for (std::size_t m = 0; m < row.measured.size(); ++m) {
    if (!parse(words[parameters + 3 + m], row.measured[m])) return false;
  }
  return parse(words[parameters], row.trial) && parse(words[parameters + 1], row.seed) &&
         parse(words[parameters + 2], row.seconds) && row.trial >= 0 && row.trial < plan.trials;
}

}  // namespace

std::string csv_header(const StudyPlan& plan, Columns columns) {
  std::string line;
  for (const auto& [name, value] : plan.cells.front().values()) line += name + ',';
  line += columns == Columns::with_seconds ? "trial,seed,seconds" : "trial,seed";
  for (const std::string& measure : plan.measures) line += ',' + measure;
  return line;
}

std::string csv_line(const StudyPlan& plan, const StudyRow& row, Columns columns) {
  std::string line = fmt::format("{},{},{}", plan.cells[row.cell].joined(','), row.trial, row.seed);
  if (columns == Columns::with_seconds) line += fmt::format(",{:.6g}", row.seconds);
  return line + fmt::format(",{}", join_text(row.measured, ","));
}

CellsFile::CellsFile(const std::string& directory, const Study& study,
                     const StudySettings& settings, const StudyPlan& plan)
    : path_((std::filesystem::path(directory) / "cells.csv").string()), plan_(plan) {
  const std::string head = first_line(study, settings, plan);
  const std::string begin = head + '\n' + csv_header(plan, Columns::with_seconds) + ",check\n";
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) throw_system_error(directory, "cannot be made", error.value());
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor_ < 0) throw_system_error(path_, "cannot be opened", errno);
  try {
    SOTTO_REQUIRE_AT(::flock(descriptor_, LOCK_EX | LOCK_NB) == 0, path_,
                     "another run is writing to it");
    std::string text = read_all(descriptor_, path_);
    if (begin.starts_with(text) && text != begin) {  // new, or its beginning was cut off
      size_ = static_cast<off_t>(text.size());
      write(begin.substr(text.size()));
      text = begin;
    }
    const std::string found = text.substr(0, text.find('\n'));
    SOTTO_REQUIRE_AT(found == head, path_,
                     "holds trials of another run ({}; asked for: {}): take another folder or "
                     "remove it",
                     found.substr(0, 200), head);
    read(text, settings, plan);
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

CellsFile::~CellsFile() { ::close(descriptor_); }

void CellsFile::read(const std::string& text, const StudySettings& settings,
                     const StudyPlan& plan) {
  std::map<std::string, std::size_t> cells;
  for (std::size_t c = 0; c < plan.cells.size(); ++c) cells[plan.cells[c].joined(',')] = c;
  std::set<std::pair<std::size_t, int>> seen;
  const std::size_t whole = text.rfind('\n') + 1;
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < whole;) {
    const std::size_t end = text.find('\n', begin);
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    if (++number <= 2) continue;
    StudyRow row{};
    const std::string place = fmt::format("{}:{}", path_, number);
    const std::size_t comma = line.rfind(',');
    const std::string_view content = line.substr(0, comma);
    SOTTO_REQUIRE_AT(comma != std::string_view::npos && line.substr(comma + 1) == check_of(content),
                     place, "is damaged; remove the line, and the trial is run again");
    SOTTO_REQUIRE_AT(parse_row(content, cells, plan, row), place, "is no trial of this experiment");
    SOTTO_REQUIRE_AT(row.seed == trial_seed(settings.seed, plan.cells[row.cell], row.trial), place,
                     "has another seed than this trial");
    SOTTO_REQUIRE_AT(seen.emplace(row.cell, row.trial).second, place, "occurs twice");
    finished_.push_back(std::move(row));
  }
  if (whole < text.size() && ::ftruncate(descriptor_, static_cast<off_t>(whole)) != 0) {
    throw_system_error(path_, "cannot be written", errno);
  }
  size_ = static_cast<off_t>(whole);
}

void CellsFile::append(const StudyRow& row) {
  const std::string content = csv_line(plan_, row, Columns::with_seconds);
  write(fmt::format("{},{}\n", content, check_of(content)));
}

void CellsFile::write(const std::string& text) {
  ssize_t written = -1;
  do {
    written = ::write(descriptor_, text.data(), text.size());
  } while (written < 0 && errno == EINTR);
  if (written == static_cast<ssize_t>(text.size())) {
    size_ += written;
    return;
  }
  const int code = written < 0 ? errno : ENOSPC;
  // A part of a line would spoil the next one. Where it cannot be taken off, it is when the file is
  // read.
  if (::ftruncate(descriptor_, size_) != 0) size_ += std::max<ssize_t>(written, 0);
  throw_system_error(path_, "cannot be written", code);
}

}  // namespace sotto
