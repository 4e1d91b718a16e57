// Runs the trials of an experiment that are not finished yet, several at a time.
//
// Trials run in a shuffled order, so that the time left can be estimated from the share that is
// done; each uses one processor. A trial's row is on disk (cells_file.h) as soon as the trial is
// finished: whatever ends a run, the next one continues from there.
// Cost: that of the trials; memory for `threads` of them.
#pragma once

#include "sotto/base/progress.h"
#include "sotto/study/cells_file.h"
#include "sotto/study/study.h"

namespace sotto {

struct StudyRun {
  StudyTable table;  // the finished rows, by cell and trial
  bool complete = false;
};

// `progress` is called several times a second, from the calling thread. When it says stop, trials
// that have begun are finished and kept. The first exception of a trial ends the run in the same
// way and is thrown.
StudyRun run_study(const Study& study, const StudySettings& settings, const std::string& directory,
                   int threads, const ProgressCallback& progress = {});

}  // namespace sotto
