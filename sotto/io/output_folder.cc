#include "sotto/io/output_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/io/atomic_file.h"
#include "sotto/io/npy.h"

namespace sotto {

OutputFolder::OutputFolder(std::string directory) : directory_(std::move(directory)) {
  SOTTO_REQUIRE(!directory_.empty(), "the name of the output folder is empty");
  try {
    make_directories();
    make_staging();
  } catch (...) {
    remove_everything();
    throw;
  }
}

OutputFolder::~OutputFolder() { remove_everything(); }

void OutputFolder::make_directories() {
  std::filesystem::path path;
  for (const std::filesystem::path& part : std::filesystem::path(directory_)) {
    path /= part;
    if (part.empty()) continue;  // after a closing slash
    if (::mkdir(path.c_str(), 0777) == 0) {
      made_.push_back(path.string());
      continue;
    }
    const int code = errno;
    struct stat info {};
    const bool exists = ::stat(path.c_str(), &info) == 0;
    SOTTO_REQUIRE_AT(!exists || S_ISDIR(info.st_mode), path.string(),
                     "exists and is not a directory");
    if (!exists) throw_system_error(path.string(), "the output folder cannot be made", code);
  }
}

void OutputFolder::make_staging() {
  std::string name;
  do {
    name = temporary_name((std::filesystem::path(directory_) / ".sotto").string());
    if (::mkdir(name.c_str(), 0777) == 0) {
      staging_ = name;
      return;
    }
  } while (errno == EEXIST);
  throw_system_error(directory_, "cannot be written to", errno);
}

std::string OutputFolder::target(const std::string& name) const {
  return (std::filesystem::path(directory_) / name).string();
}

std::string OutputFolder::stage(const std::string& name) {
  SOTTO_REQUIRE_AT(!staging_.empty(), directory_, "the result is already committed");
  const bool plain = !name.empty() && name != "." && name != ".." &&
                     name.find('/') == std::string::npos && name.find('\0') == std::string::npos;
  SOTTO_REQUIRE_AT(plain, directory_, "'{}' is not a plain file name", name);
  SOTTO_REQUIRE_AT(std::find(names_.begin(), names_.end(), name) == names_.end(), target(name),
                   "is written twice");
  names_.push_back(name);
  return (std::filesystem::path(staging_) / name).string();
}

void OutputFolder::write_npy(const std::string& name, const Matrix& matrix) {
  sotto::write_npy(stage(name), matrix);
}

void OutputFolder::write_npy(const std::string& name, const Vector& vector) {
  sotto::write_npy(stage(name), vector);
}

void OutputFolder::write_npy(const std::string& name, const DenseTensor& tensor) {
  sotto::write_npy(stage(name), tensor);
}

void OutputFolder::write_text(const std::string& name, std::string_view text) {
  write_file_atomic(stage(name), text);
}

void OutputFolder::commit() {
  SOTTO_REQUIRE_AT(!staging_.empty(), directory_, "the result is already committed");
  std::stable_partition(names_.begin(), names_.end(),
                        [](const std::string& name) { return name != "result.json"; });
  // What can be known to fail is found before the first file moves.
  std::vector<bool> replaces;
  for (const std::string& name : names_) {
    struct stat info {};
    replaces.push_back(::stat(target(name).c_str(), &info) == 0);
    SOTTO_REQUIRE_AT(!replaces.back() || S_ISREG(info.st_mode), target(name),
                     "exists and is not a regular file");
    if (::access((std::filesystem::path(staging_) / name).c_str(), F_OK) != 0) {
      throw_system_error(target(name), "was not written", errno);
    }
  }
  for (std::size_t n = 0; n < names_.size(); ++n) {
    const std::string from = (std::filesystem::path(staging_) / names_[n]).string();
    if (std::rename(from.c_str(), target(names_[n]).c_str()) != 0) {
      throw_system_error(target(names_[n]), "cannot be put in place", errno);
    }
    if (!replaces[n]) moved_.push_back(target(names_[n]));
  }
  moved_.clear();
  made_.clear();
  remove_everything();
}

// Whatever is still ours: after a commit only the empty hidden folder.
void OutputFolder::remove_everything() {
  std::error_code ignored;
  if (!staging_.empty()) std::filesystem::remove_all(staging_, ignored);
  staging_.clear();
  for (const std::string& file : moved_) ::unlink(file.c_str());
  // rmdir spares a directory in which someone else has put something meanwhile.
  for (auto made = made_.rbegin(); made != made_.rend(); ++made) ::rmdir(made->c_str());
  moved_.clear();
  made_.clear();
}

}  // namespace sotto
