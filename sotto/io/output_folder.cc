#include "sotto/io/output_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/base/json.h"
#include "sotto/io/atomic_file.h"
#include "sotto/io/byte_source.h"
#include "sotto/io/npy.h"

namespace sotto {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view hidden = ".sotto";

bool is_plain(std::string_view name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of(std::string_view("/\0", 2)) == std::string_view::npos;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The files of the result in a folder, `result.json` first; none where there is no result.
std::vector<std::string> files_of_result(const fs::path& folder) {
  const Json result = read_json((folder / "result.json").string());
  if (!result.is_object() || !result.contains("command") || !result.contains("version")) return {};
  std::vector<std::string> names{"result.json", "report.html", "result.json.sig"};
  const auto files = result.find("files");
  if (files == result.end() || !files->is_array()) return names;
  for (const auto& name : *files) {
    if (name.is_string() && is_plain(name.get<std::string>())) names.push_back(name);
  }
  return names;
}

// A lock on a directory that ends with the process; -1 when another process has it.
int lock_directory(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return -1;
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) return descriptor;
  ::close(descriptor);
  return -1;
}

}  // namespace

OutputFolder::OutputFolder(std::string directory, Others others)
    : directory_(std::move(directory)) {
  SOTTO_REQUIRE(!directory_.empty(), "the name of the output folder is empty");
  try {
    make_directories();
    look_around(others);
    make_staging();
  } catch (...) {
    remove_everything();
    throw;
  }
}

OutputFolder::~OutputFolder() { remove_everything(); }

void OutputFolder::make_directories() {
  fs::path path;
  for (const fs::path& part : fs::path(directory_)) {
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

// Removes what killed runs left, and refuses files that no former result accounts for.
void OutputFolder::look_around(Others others) {
  former_ = files_of_result(directory_);
  std::vector<std::string> foreign;
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory_, failed)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(std::string(hidden) + ".tmp-")) {
      const int lock = lock_directory(entry.path().string());
      SOTTO_REQUIRE_AT(lock >= 0, directory_, "another run is writing to this folder");
      std::error_code ignored;
      fs::remove_all(entry.path(), ignored);
      ::close(lock);
    } else if (!contains(former_, name) || !entry.is_regular_file(failed)) {
      foreign.push_back(name);
    }
  }
  if (failed) throw_system_error(directory_, "cannot be read", failed.value());
  if (foreign.empty() || others == Others::keep) return;
  const std::string first = *std::min_element(foreign.begin(), foreign.end());
  throw Error(
      fmt::format("holds {}, which is not part of a former result; give another folder, or `force` "
                  "to leave other files in it",
                  printable(first)),
      directory_);
}

void OutputFolder::make_staging() {
  std::string name;
  do {
    name = temporary_name((fs::path(directory_) / hidden).string());
    if (::mkdir(name.c_str(), 0777) == 0) {
      staging_ = name;
      lock_ = lock_directory(name);
      for (const char* part : {"new", "former"}) {
        if (::mkdir((fs::path(name) / part).c_str(), 0777) != 0) {
          throw_system_error(directory_, "cannot be written to", errno);
        }
      }
      return;
    }
  } while (errno == EEXIST);
  throw_system_error(directory_, "cannot be written to", errno);
}

std::string OutputFolder::target(const std::string& name) const {
  return (fs::path(directory_) / name).string();
}

std::string OutputFolder::stage(const std::string& name) {
  SOTTO_REQUIRE_AT(!staging_.empty(), directory_, "the result is already committed");
  SOTTO_REQUIRE_AT(is_plain(name), directory_, "'{}' is not a plain file name", name);
  SOTTO_REQUIRE_AT(!contains(names_, name), target(name), "is written twice");
  names_.push_back(name);
  return (fs::path(staging_) / "new" / name).string();
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

std::map<std::string, FileDigest> OutputFolder::digests() const {
  std::map<std::string, FileDigest> found;
  for (const std::string& name : names_) {
    found[name] = digest_of_file((fs::path(staging_) / "new" / name).string());
  }
  return found;
}

// Makes room for new files. Nothing is lost before the last of them is in place.
void OutputFolder::put_aside(const std::string& name) {
  const std::string to = (fs::path(staging_) / "former" / name).string();
  if (std::rename(target(name).c_str(), to.c_str()) == 0) {
    aside_.push_back(name);
  } else if (errno != ENOENT) {
    throw_system_error(target(name), "cannot be replaced", errno);
  }
}

void OutputFolder::commit() {
  SOTTO_REQUIRE_AT(!staging_.empty(), directory_, "the result is already committed");
  std::stable_partition(names_.begin(), names_.end(),
                        [](const std::string& name) { return name != "result.json"; });
  // Failures that can be foreseen are found before the first file moves.
  const fs::path ready = fs::path(staging_) / "new";
  for (const std::string& name : names_) {
    struct stat info {};
    SOTTO_REQUIRE_AT(::stat(target(name).c_str(), &info) != 0 || S_ISREG(info.st_mode),
                     target(name), "exists and is not a regular file");
    if (::access((ready / name).c_str(), F_OK) != 0) {
      throw_system_error(target(name), "was not written", errno);
    }
  }
  for (const std::string& name : former_) put_aside(name);
  for (const std::string& name : names_) {
    put_aside(name);
    if (std::rename((ready / name).c_str(), target(name).c_str()) != 0) {
      throw_system_error(target(name), "cannot be put in place", errno);
    }
    moved_.push_back(name);
  }
  moved_.clear();
  aside_.clear();
  made_.clear();
  remove_everything();
}

// Removes what this run still owns, and puts back the files that were put aside. After a commit
// only the hidden folder is left to remove.
void OutputFolder::remove_everything() {
  for (const std::string& name : moved_) ::unlink(target(name).c_str());
  for (const std::string& name : aside_) {
    std::rename((fs::path(staging_) / "former" / name).c_str(), target(name).c_str());
  }
  std::error_code ignored;
  if (!staging_.empty()) fs::remove_all(staging_, ignored);
  staging_.clear();
  if (lock_ >= 0) ::close(std::exchange(lock_, -1));
  // rmdir spares a directory in which someone else has put something meanwhile.
  for (auto made = made_.rbegin(); made != made_.rend(); ++made) ::rmdir(made->c_str());
  moved_.clear();
  aside_.clear();
  made_.clear();
}

}  // namespace sotto
