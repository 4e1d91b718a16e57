#include "cli/interrupt.h"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <string_view>

#include "cli/command.h"
#include "sotto/io/unfinished.h"

namespace sotto::cli {
namespace {

volatile std::sig_atomic_t interrupted = 0;

extern "C" void on_interrupt(int) {
  interrupted = 1;
  std::signal(SIGINT, clean_up_and_end);  // a second Ctrl-C ends the program at once
}

}  // namespace

void end_of_interrupt(int signal) {
  constexpr std::string_view kStopped = "sotto: stopped; nothing was written\n";
  if (signal != SIGINT) return;
  (void)!::write(STDERR_FILENO, kStopped.data(), kStopped.size());
  ::_exit(exit_stopped);
}

InteractiveProgress::InteractiveProgress() : bar_(stderr) { std::signal(SIGINT, on_interrupt); }
InteractiveProgress::~InteractiveProgress() { std::signal(SIGINT, clean_up_and_end); }

ProgressCallback InteractiveProgress::callback() {
  return [this](const ProgressReport& report) { return bar_(report) && interrupted == 0; };
}

}  // namespace sotto::cli
