// The folder of one result. Its files appear together at commit(), `result.json` last, or not at
// all.
//
// Files are written into a hidden folder inside the target, made at construction so that a target
// that cannot be written is known before the work starts, and take their names at commit(). They
// replace files of the same name, each by a complete one; other files in the folder stay. Without
// commit, everything is removed again, with the directories that were made for it.
// A fault of the disk is an Error with Fault::system.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sotto/linalg/matrix.h"
#include "sotto/tensor/dense_tensor.h"

namespace sotto {

class OutputFolder {
 public:
  explicit OutputFolder(std::string directory);
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  // Names are plain file names and may be used once.
  void write_npy(const std::string& name, const Matrix& matrix);
  void write_npy(const std::string& name, const Vector& vector);
  void write_npy(const std::string& name, const DenseTensor& tensor);
  void write_text(const std::string& name, std::string_view text);

  // For any other writer: where to write the file that will be `name` after commit().
  std::string stage(const std::string& name);

  // Puts the files in place. When it throws, files of this result that replaced nothing are
  // removed.
  void commit();

 private:
  void make_directories();
  void make_staging();
  std::string target(const std::string& name) const;
  void remove_everything();

  std::string directory_;
  std::string staging_;
  std::vector<std::string> names_;
  std::vector<std::string> made_;   // directories that did not exist, outermost first
  std::vector<std::string> moved_;  // new files already in place
};

}  // namespace sotto
