#include "sotto/io/same_file.h"

#include <sys/stat.h>
#include <unistd.h>

namespace sotto {
namespace {

bool look_up(const std::string& path, struct stat& info) {
  return (path == "-" ? ::fstat(STDIN_FILENO, &info) : ::stat(path.c_str(), &info)) == 0;
}

}  // namespace

bool same_file(const std::string& a, const std::string& b) {
  struct stat first {
  }, second{};
  return look_up(a, first) && look_up(b, second) && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

}  // namespace sotto
