#include "sotto/study/runner.h"

#include <omp.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <set>
#include <thread>

#include "sotto/base/error.h"
#include "sotto/base/random.h"

namespace sotto {
namespace {

struct Task {
  std::size_t cell;
  int trial;
};

std::vector<Task> tasks_left(const StudyPlan& plan, const std::vector<StudyRow>& finished) {
  std::set<std::pair<std::size_t, int>> done;
  for (const StudyRow& row : finished) done.emplace(row.cell, row.trial);
  std::vector<Task> tasks;
  for (std::size_t c = 0; c < plan.cells.size(); ++c) {
    for (int t = 0; t < plan.trials; ++t) {
      if (!done.contains({c, t})) tasks.push_back({c, t});
    }
  }
  SeededRandom random(0);
  for (std::size_t i = tasks.size(); i > 1; --i) std::swap(tasks[i - 1], tasks[random.below(i)]);
  return tasks;
}

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Hands out tasks to threads and collects their rows.
class Crew {
 public:
  Crew(const StudySettings& settings, const StudyPlan& plan, CellsFile& file)
      : settings_(settings), plan_(plan), file_(file), tasks_(tasks_left(plan, file.finished())) {}

  void run(int threads, const char* stage, const ProgressCallback& progress) {
    std::vector<std::jthread> workers;
    workers.reserve(static_cast<std::size_t>(threads));
    for (int t = 0; t < threads; ++t) {
      count_worker(1);  // first: it may be done before the next one starts
      try {
        workers.emplace_back([this] { work(); });
      } catch (const std::system_error&) {  // fewer will do
        count_worker(-1);
        if (!workers.empty()) break;
        throw Error("no thread can be started", "", Fault::system);
      }
    }
    std::unique_lock lock(mutex_);
    while (running_ > 0) {
      changed_.wait_for(lock, std::chrono::milliseconds(50));
      const auto done = static_cast<std::int64_t>(rows_.size());
      lock.unlock();
      const bool go_on =
          report_progress(progress, {stage, done, static_cast<std::int64_t>(tasks_.size())});
      lock.lock();
      if (!go_on) next_ = tasks_.size();
    }
    lock.unlock();
    workers.clear();
    if (failure_) std::rethrow_exception(failure_);
  }

  std::vector<StudyRow> take_rows() { return std::move(rows_); }

 private:
  void count_worker(int change) {
    const std::lock_guard lock(mutex_);
    running_ += change;
  }

  void work() {
    omp_set_num_threads(1);  // of this thread: the trials share the processors
    std::unique_lock lock(mutex_);
    while (next_ < tasks_.size()) {
      const Task task = tasks_[next_++];
      lock.unlock();
      StudyRow row;
      std::exception_ptr failure;
      try {
        row = run_trial(task);
      } catch (...) {
        failure = std::current_exception();
      }
      lock.lock();
      keep(std::move(row), failure);
    }
    --running_;
    changed_.notify_one();
  }

  StudyRow run_trial(const Task& task) const {
    const StudyCell& cell = plan_.cells[task.cell];
    StudyRow row{task.cell, task.trial, trial_seed(settings_.seed, cell, task.trial), 0, {}};
    const double start = processor_seconds();
    row.measured = plan_.trial(cell, row.seed);
    row.seconds = processor_seconds() - start;
    SOTTO_REQUIRE(row.measured.size() == plan_.measures.size(),
                  "a trial measured {} numbers, expected {}", row.measured.size(),
                  plan_.measures.size());
    return row;
  }

  void keep(StudyRow row, std::exception_ptr failure) {
    try {
      if (!failure) file_.append(row);
    } catch (...) {
      failure = std::current_exception();
    }
    if (!failure) {
      rows_.push_back(std::move(row));
      return;
    }
    if (!failure_) failure_ = failure;
    next_ = tasks_.size();
  }

  const StudySettings& settings_;
  const StudyPlan& plan_;
  CellsFile& file_;
  const std::vector<Task> tasks_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t next_ = 0;
  int running_ = 0;
  std::vector<StudyRow> rows_;
  std::exception_ptr failure_;
};

}  // namespace

StudyRun run_study(const Study& study, const StudySettings& settings, const std::string& directory,
                   int threads, const ProgressCallback& progress) {
  StudyRun run;
  run.table.plan = study.plan(settings);
  const StudyPlan& plan = run.table.plan;
  CellsFile file(directory, study, settings, plan);
  Crew crew(settings, plan, file);
  crew.run(std::max(1, threads), study.name.c_str(), progress);
  std::vector<StudyRow>& rows = run.table.rows;
  rows = file.finished();
  for (StudyRow& row : crew.take_rows()) rows.push_back(std::move(row));
  std::sort(rows.begin(), rows.end(), [](const StudyRow& a, const StudyRow& b) {
    return std::pair(a.cell, a.trial) < std::pair(b.cell, b.trial);
  });
  run.complete = rows.size() == plan.cells.size() * static_cast<std::size_t>(plan.trials);
  return run;
}

}  // namespace sotto
