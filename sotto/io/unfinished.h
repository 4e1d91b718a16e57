// Files and folders that a run has not finished, for the case that the program is ended from
// outside: by a signal, or by a library that calls exit().
//
// Destructors remove what a run leaves when it fails; they do not run then. A program that wants
// the same for signals calls clean_up_when_ended() once. kill -9 leaves things anyway; the next run
// into the same folder removes them.
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

// While it lives, a signal waits: what is moved about is neither old nor new.
class Uninterrupted {
 public:
  Uninterrupted();
  ~Uninterrupted();
  Uninterrupted(const Uninterrupted&) = delete;
  Uninterrupted& operator=(const Uninterrupted&) = delete;
};

// From now on SIGTERM, SIGHUP, SIGINT and SIGPIPE, unless they are ignored, remove what is
// unfinished before they end the program, and so does exit(). `last` is called in between, and may
// make system calls alone.
void clean_up_when_ended(void (*last)(int signal) = nullptr);
// A handler of signals that does this.
extern "C" void clean_up_and_end(int signal);

}  // namespace sotto
