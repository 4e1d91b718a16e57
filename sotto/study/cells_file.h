// The finished trials of an experiment on disk (cells.csv), which make a run resumable.
//
//   # wang-fig1, quick, seed 0, plan 3f2a..      what the rows belong to
//   noise,d,sigma,trial,seed,seconds,failed,check
//   gaussian,25,0.1,0,8316..,0.0123,0,5f0c..     one line a trial, in the order they finished
//
// One write appends a line when its trial is finished, and the line never changes. So whatever ends
// the program leaves whole lines and at most one torn line, which has no line end; it is dropped
// when the file is opened again. The last field is a checksum of the others: a line that was
// damaged is refused. The file is locked while it is open. Numbers are written so that they are
// read back exactly.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "sotto/study/study.h"

namespace sotto {

class CellsFile {
 public:
  // Opens or makes DIR/cells.csv. Refuses, without changing it, a file of another experiment or of
  // other settings, a file that another run is writing to, and lines that no run wrote.
  CellsFile(const std::string& directory, const Study& study, const StudySettings& settings,
            const StudyPlan& plan);
  ~CellsFile();
  CellsFile(const CellsFile&) = delete;
  CellsFile& operator=(const CellsFile&) = delete;

  const std::vector<StudyRow>& finished() const { return finished_; }

  // Only one thread at a time may call this.
  void append(const StudyRow& row);

 private:
  void read(const std::string& text, const StudySettings& settings, const StudyPlan& plan);
  void write(const std::string& text);

  std::string path_;
  int descriptor_ = -1;
  off_t size_ = 0;  // of the whole lines
  const StudyPlan& plan_;
  std::vector<StudyRow> finished_;
};

// "noise,d,sigma,trial,seed,seconds,failed". The table for readers (data.csv) has no seconds, since
// these differ from run to run.
enum class Columns { with_seconds, without_seconds };
std::string csv_header(const StudyPlan& plan, Columns columns);
std::string csv_line(const StudyPlan& plan, const StudyRow& row, Columns columns);

}  // namespace sotto
