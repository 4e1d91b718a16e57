#include "sotto/io/output_folder.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <new>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/base/json.h"
#include "sotto/io/atomic_file.h"
#include "sotto/io/byte_source.h"
#include "sotto/io/npy.h"
#include "sotto/io/unfinished.h"

namespace sotto {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view hidden = ".sotto";
constexpr std::string_view kFormer = "former";  // within the hidden folder: files that made room

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

// The two change places in one step.
bool change_places(const std::string& a, const std::string& b) {
  return ::syscall(SYS_renameat2, AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) == 0;
}

bool same_inode(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

// Whether a folder is the working directory or above it: a shell there would lose it.
bool holds_working_directory(const fs::path& folder) {
  std::error_code failed;
  const fs::path here = fs::canonical(fs::current_path(failed), failed);
  const auto [end, ignored] = std::mismatch(folder.begin(), folder.end(), here.begin(), here.end());
  return failed || end == folder.end();
}

}  // namespace

OutputFolder::OutputFolder(std::string directory, Others others)
    : directory_(std::move(directory)) {
  SOTTO_REQUIRE(!directory_.empty(), "the name of the output folder is empty");
  try {
    do {
      make_directories();
    } while (!lock_target());
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
    made_.reserve(made_.size() + 1);
    std::string made = path.string();
    if (::mkdir(made.c_str(), 0777) == 0) {
      made_.push_back(std::move(made));
      unfinished_.push_back(
          std::make_shared<Unfinished>(made_.back(), Unfinished::Remove::if_empty));
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

// Locks the folder for as long as the process lives. False: another run has replaced or removed the
// folder meanwhile.
bool OutputFolder::lock_target() {
  if (lock_ >= 0) ::close(std::exchange(lock_, -1));
  lock_ = ::open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock_ < 0) {
    if (errno == ENOENT) return false;
    throw_system_error(directory_, "cannot be opened", errno);
  }
  // Some file systems have no locks; two runs at the same time are then not noticed.
  SOTTO_REQUIRE_AT(::flock(lock_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK, directory_,
                   "another run is writing to this folder");
  struct stat locked {
  }, there{};
  return ::fstat(lock_, &locked) == 0 && ::stat(directory_.c_str(), &there) == 0 &&
         same_inode(locked, there);
}

// Removes what killed runs left, and refuses files that no former result accounts for.
void OutputFolder::look_around(Others others) {
  former_ = files_of_result(directory_);
  std::vector<std::string> foreign;
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory_, failed)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(std::string(hidden) + ".tmp-")) {
      std::error_code ignored;
      fs::remove_all(entry.path(), ignored);
    } else if (!contains(former_, name) || !entry.is_regular_file(failed)) {
      foreign.push_back(name);
    }
  }
  if (failed) throw_system_error(directory_, "cannot be read", failed.value());
  has_others_ = !foreign.empty();
  if (foreign.empty() || others == Others::keep) return;
  const std::string first = *std::min_element(foreign.begin(), foreign.end());
  throw Error(
      fmt::format("holds {}, which is not part of a former result; give another folder, or `force` "
                  "to leave other files in it",
                  printable(first)),
      directory_);
}

void OutputFolder::make_staging() {
  if (stage_beside()) return;
  do {
    staging_ = temporary_name((fs::path(directory_) / hidden).string());
    if (::mkdir(staging_.c_str(), 0777) == 0) {
      unfinished_.push_back(std::make_shared<Unfinished>(staging_, Unfinished::Remove::all));
      return;
    }
  } while (errno == EEXIST);
  const int code = errno;
  staging_.clear();
  throw_system_error(directory_, "cannot be written to", code);
}

// Makes the new folder beside the target, where the two can change places: in one file system, with
// no other files to keep, and with no process working in it. False if that is impossible.
bool OutputFolder::stage_beside() {
  std::error_code failed;
  const fs::path real = fs::canonical(directory_, failed);
  if (failed || has_others_ || !real.has_filename() || holds_working_directory(real)) return false;
  struct stat above {
  }, old{}, made{};
  if (::stat(real.parent_path().c_str(), &above) != 0 || ::fstat(lock_, &old) != 0 ||
      above.st_dev != old.st_dev) {
    return false;
  }
  std::string name =
      (real.parent_path() / ("." + real.filename().string() + std::string(hidden))).string();
  if (::mkdir(name.c_str(), 0777) != 0) {
    // The folder is locked, so no other run is using this one.
    if (errno != EEXIST) return false;
    fs::remove_all(name, failed);
    if (::mkdir(name.c_str(), 0777) != 0) return false;
  }
  if (::stat(name.c_str(), &made) != 0 || made.st_uid != old.st_uid || made.st_gid != old.st_gid ||
      ::chmod(name.c_str(), old.st_mode & 07777) != 0) {
    ::rmdir(name.c_str());
    return false;
  }
  staging_ = std::move(name);
  unfinished_.push_back(std::make_shared<Unfinished>(staging_, Unfinished::Remove::all));
  // It becomes the target before the old one is removed, and no other run may begin in between.
  staged_lock_ = ::open(staging_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (staged_lock_ >= 0) ::flock(staged_lock_, LOCK_EX | LOCK_NB);
  beside_ = real.string();
  return true;
}

std::string OutputFolder::target(const std::string& name) const {
  return (fs::path(directory_) / name).string();
}

std::string OutputFolder::stage(const std::string& name) {
  SOTTO_REQUIRE_AT(!staging_.empty(), directory_, "the result is already committed");
  SOTTO_REQUIRE_AT(is_plain(name), directory_, "'{}' is not a plain file name", name);
  SOTTO_REQUIRE_AT(!contains(names_, name), target(name), "is written twice");
  names_.push_back(name);
  return (fs::path(staging_) / name).string();
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
    found[name] = digest_of_file((fs::path(staging_) / name).string());
  }
  return found;
}

// Makes room for new files. Nothing is lost before the last of them is in place.
void OutputFolder::put_aside(const std::string& name) {
  const std::string to = (fs::path(staging_) / kFormer / name).string();
  aside_.push_back(name);
  if (std::rename(target(name).c_str(), to.c_str()) == 0) return;
  const int code = errno;
  aside_.pop_back();
  if (code != ENOENT) throw_system_error(target(name), "cannot be replaced", code);
}

// The new folder takes the place of the target at once. What is left of the old one is removed.
bool OutputFolder::exchange_folders() {
  if (beside_.empty() || !change_places(staging_, beside_)) return false;
  for (const std::string& name : former_) ::unlink((fs::path(staging_) / name).c_str());
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(staging_, ignored)) {
    // It was put there during the run.
    ::syscall(SYS_renameat2, AT_FDCWD, entry.path().c_str(), AT_FDCWD,
              target(entry.path().filename().string()).c_str(), RENAME_NOREPLACE);
  }
  ::rmdir(staging_.c_str());
  staging_.clear();
  return true;
}

// File by file, where other files stay or folders cannot change places.
void OutputFolder::replace_files() {
  if (::mkdir((fs::path(staging_) / kFormer).c_str(), 0777) != 0) {
    throw_system_error(directory_, "cannot be written to", errno);
  }
  for (const std::string& name : former_) put_aside(name);
  for (const std::string& name : names_) {
    put_aside(name);
    moved_.push_back(name);
    if (std::rename((fs::path(staging_) / name).c_str(), target(name).c_str()) != 0) {
      const int code = errno;
      moved_.pop_back();
      throw_system_error(target(name), "cannot be put in place", code);
    }
  }
}

void OutputFolder::commit() {
  SOTTO_REQUIRE_AT(!staging_.empty(), directory_, "the result is already committed");
  std::stable_partition(names_.begin(), names_.end(),
                        [](const std::string& name) { return name != "result.json"; });
  // Failures that can be foreseen are found before the first file moves.
  for (const std::string& name : names_) {
    struct stat info {};
    SOTTO_REQUIRE_AT(::stat(target(name).c_str(), &info) != 0 || S_ISREG(info.st_mode),
                     target(name), "exists and is not a regular file");
    if (::access((fs::path(staging_) / name).c_str(), F_OK) != 0) {
      throw_system_error(target(name), "was not written", errno);
    }
  }
  const Uninterrupted whole;
  if (!exchange_folders()) replace_files();
  moved_.clear();
  aside_.clear();
  made_.clear();
  remove_everything();
}

// Removes what this run still owns, and puts back the files that were put aside. After a commit
// only the hidden folder is left to remove.
void OutputFolder::remove_everything() noexcept {
  const Uninterrupted whole;
  for (int tries = 0; tries < 3; ++tries) {
    try {
      put_back();
      break;
    } catch (const std::bad_alloc&) {  // names need memory, and some has been freed meanwhile
    }
  }
  unfinished_.clear();
  for (int* lock : {&lock_, &staged_lock_}) {
    if (*lock >= 0) ::close(std::exchange(*lock, -1));
  }
}

void OutputFolder::put_back() {
  for (const std::string& name : moved_) ::unlink(target(name).c_str());
  moved_.clear();
  for (; !aside_.empty(); aside_.pop_back()) {
    const std::string from = (fs::path(staging_) / kFormer / aside_.back()).string();
    std::rename(from.c_str(), target(aside_.back()).c_str());
  }
  std::error_code ignored;
  if (!staging_.empty()) fs::remove_all(staging_, ignored);
  staging_.clear();
  // rmdir spares a directory in which someone else has put something meanwhile.
  for (; !made_.empty(); made_.pop_back()) ::rmdir(made_.back().c_str());
}

}  // namespace sotto
