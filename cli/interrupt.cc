#include "cli/interrupt.h"

#include <csignal>
#include <cstdio>

namespace sotto::cli {
namespace {

volatile std::sig_atomic_t interrupted = 0;

extern "C" void on_interrupt(int) {
  interrupted = 1;
  std::signal(SIGINT, SIG_DFL);  // a second Ctrl-C ends the program at once
}

}  // namespace

InteractiveProgress::InteractiveProgress() : bar_(stderr) { std::signal(SIGINT, on_interrupt); }
InteractiveProgress::~InteractiveProgress() { std::signal(SIGINT, SIG_DFL); }

ProgressCallback InteractiveProgress::callback() {
  return [this](const ProgressReport& report) { return bar_(report) && interrupted == 0; };
}

}  // namespace sotto::cli
