// The folder of one result. Its files appear together at commit(), `result.json` last, or not at
// all.
//
// A run owns its folder. A folder that holds anything but a former result is refused at once, so
// that no file of another run lies beside a new certificate. A former result, which is what its
// `result.json` lists, is replaced as a whole. `Others::keep` leaves other files in place; the
// former result is removed anyway.
//
// Files are written into a hidden folder beside the target (.NAME.sotto), which takes the target's
// place at commit(), all at once. Where that cannot be (other files are kept, the target is a mount
// point or the working directory, its parent cannot be written) the hidden folder is inside the
// target (.sotto.tmp-*), and the files change places one by one. It is made at construction, so
// that a target that cannot be written is known before the work starts. Without commit, everything
// is removed again, with the directories that were made for it. The target is locked while its run
// lives: a second run is refused, and what a killed run left behind is removed by the next one. A
// fault of the disk is an Error with Fault::system.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/base/digest.h"
#include "sotto/base/export.h"
#include "sotto/linalg/matrix.h"
#include "sotto/tensor/dense_tensor.h"

namespace SOTTO_API sotto {

class Unfinished;

// The version of what a folder holds, `format` in its result.json. It grows when folders change so
// that an older program would misread them. Folders from before 0.2 do not say it and are format 1.
inline constexpr int kResultFormat = 1;

class OutputFolder {
 public:
  enum class Others { refuse, keep };

  explicit OutputFolder(std::string directory, Others others = Others::refuse);
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
  // What has been staged so far.
  const std::vector<std::string>& names() const { return names_; }

  // Size and digest of each file that has been staged.
  std::map<std::string, FileDigest> digests() const;

  // Puts the files in place. When it throws, the folder is what it was before.
  void commit();

 private:
  void make_directories();
  bool lock_target();
  void look_around(Others others);
  void make_staging();
  bool stage_beside();
  std::string target(const std::string& name) const;
  void put_aside(const std::string& name);
  bool exchange_folders();
  void replace_files();
  void put_back();
  void remove_everything() noexcept;

  std::string directory_;
  std::string staging_;
  std::string beside_;  // the target's own name, where the staging folder is beside it
  std::vector<std::shared_ptr<Unfinished>> unfinished_;  // for the case that a signal ends the run
  int lock_ = -1;                                        // on the target
  int staged_lock_ = -1;                                 // on the folder that will be the target
  bool has_others_ = false;
  std::vector<std::string> names_;
  std::vector<std::string> former_;  // files of a former result
  std::vector<std::string> made_;    // directories that did not exist, outermost first
  std::vector<std::string> moved_;   // new files already in place
  std::vector<std::string> aside_;   // files that made room for them
};

}  // namespace sotto
