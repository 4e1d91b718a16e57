// Files and folders that a run has not finished, for the case that the program is ended from
// outside: by a signal, or by a library that calls exit().
//
// When a run fails, destructors remove what it leaves; they do not run in these cases. A program
// that wants the same for signals calls clean_up_when_ended() once. kill -9 leaves things anyway;
// the next run into the same folder removes them.
#pragma once

#include <string>

namespace sotto {

// While it lives, `path` is something to remove: a file or a folder with the files in it, or a
// folder if it is empty.
class Unfinished {
 public:
  enum class Remove { all, if_empty };

  explicit Unfinished(const std::string& path, Remove remove = Remove::all);
  ~Unfinished();
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;

 private:
  int slot_ = -1;
};

// While it lives, signals wait: files that are being moved are neither old nor new.
class Uninterrupted {
 public:
  Uninterrupted();
  ~Uninterrupted();
  Uninterrupted(const Uninterrupted&) = delete;
  Uninterrupted& operator=(const Uninterrupted&) = delete;
};

// From now on SIGTERM, SIGHUP and SIGPIPE, unless they are ignored, remove what is unfinished
// before they end the program, and so does exit(). Ctrl-C is the program's own matter: a run that
// watches for it ends at its next safe point.
void clean_up_when_ended();

}  // namespace sotto
