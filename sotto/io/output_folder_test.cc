#include "sotto/io/output_folder.h"

#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "sotto/io/atomic_file.h"
#include "sotto/io/npy.h"
#include "sotto/io/testing/test_files.h"

namespace sotto {
namespace {

namespace fs = std::filesystem;

TEST(OutputFolder, files_appear_at_commit_and_not_before) {
  const TemporaryFolder folder;
  const std::string target = folder / "a/b/out";
  OutputFolder out(target);
  out.write_text("result.json", "{}");
  out.write_npy("vectors.npy", Matrix(Matrix::Identity(3, 2)));
  out.write_npy("weights.npy", Vector(Vector::Ones(2)));
  out.write_npy("tensor.npy", DenseTensor({2, 2, 2}));
  write_file_atomic(out.stage("other.txt"), "other");
  EXPECT_TRUE(fs::is_empty(target));
  out.commit();
  EXPECT_EQ(get(target + "/result.json"), "{}");
  EXPECT_EQ(get(target + "/other.txt"), "other");
  EXPECT_EQ(read_npy(target + "/vectors.npy").at({1, 1}), 1);
  EXPECT_EQ(read_npy(target + "/weights.npy").size(), 2);
  EXPECT_EQ(read_npy(target + "/tensor.npy").order(), 3);
  EXPECT_EQ(folder.count(), 3 + 5);
}

// Where other files stay, files take their places one by one.
TEST(OutputFolder, result_json_comes_last) {
  const TemporaryFolder folder;
  fs::create_directories(folder / "out");
  put(folder / "out/mine", "kept");
  OutputFolder out(folder / "out", OutputFolder::Others::keep);
  for (const char* name : {"result.json", "z.txt", "a.txt"}) out.write_text(name, name);
  const int watch = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (watch < 0) GTEST_SKIP() << "no inotify here";
  ASSERT_GE(::inotify_add_watch(watch, (folder / "out").c_str(), IN_MOVED_TO), 0);
  out.commit();
  alignas(inotify_event) char events[4096];
  const ssize_t size = ::read(watch, events, sizeof(events));
  ::close(watch);
  std::string seen;
  for (ssize_t at = 0; at < size;) {
    const auto* event = reinterpret_cast<const inotify_event*>(events + at);
    seen += std::string(event->name) + " ";
    at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
  }
  EXPECT_EQ(seen, "z.txt a.txt result.json ");
}

TEST(OutputFolder, without_commit_nothing_is_left) {
  const TemporaryFolder folder;
  try {
    OutputFolder out(folder / "a/b/");
    out.write_text("result.json", "{}");
    throw 1;
  } catch (int) {
  }
  EXPECT_EQ(folder.count(), 0);
}

// What a run of sotto leaves, with these files.
void put_result(const std::string& folder, const std::string& files) {
  fs::create_directories(folder);
  put(folder + "/result.json",
      R"({"command": "topics", "version": "0", "files": [)" + files + "]}");
  put(folder + "/report.html", "old");
}

TEST(OutputFolder, without_commit_a_former_result_stays_as_it_was) {
  const TemporaryFolder folder;
  put_result(folder / "out", R"("a.txt")");
  put(folder / "out/a.txt", "old");
  {
    OutputFolder out(folder / "out");
    out.write_text("a.txt", "new");
  }
  EXPECT_EQ(get(folder / "out/a.txt"), "old");
  EXPECT_EQ(folder.count(), 4);
}

TEST(OutputFolder, a_former_result_is_replaced_as_a_whole) {
  const TemporaryFolder folder;
  put_result(folder / "out", R"("proportions.npy", "../kept", "topics.npy", 7)");
  put(folder / "out/proportions.npy", "of the public run");
  put(folder / "out/topics.npy", "old");
  put(folder / "kept", "kept");
  OutputFolder out(folder / "out");
  out.write_text("result.json", "new");
  out.write_text("topics.npy", "new");
  EXPECT_EQ(get(folder / "out/proportions.npy"), "of the public run");
  out.commit();
  EXPECT_EQ(get(folder / "out/result.json"), "new");
  EXPECT_EQ(get(folder / "out/topics.npy"), "new");
  EXPECT_EQ(get(folder / "kept"), "kept");
  EXPECT_EQ(folder.count(), 4);  // no report, no proportions
}

TEST(OutputFolder, refuses_files_that_no_former_result_lists) {
  const TemporaryFolder folder;
  put_result(folder / "out", R"("a.txt")");
  put(folder / "out/mine", "kept");
  EXPECT_ERROR(OutputFolder(folder / "out"), "out: holds 'mine', which is not part of a former");
  EXPECT_EQ(folder.count(), 4);
  OutputFolder out(folder / "out", OutputFolder::Others::keep);
  out.write_text("b.txt", "new");
  out.commit();
  EXPECT_EQ(get(folder / "out/mine"), "kept");
  EXPECT_EQ(folder.count(), 3);  // the former result went
}

TEST(OutputFolder, what_only_looks_like_a_result_is_not_taken_for_one) {
  for (const std::string text : {"", "{}", "[1]", R"({"files": ["a"]})"}) {
    const TemporaryFolder folder;
    fs::create_directories(folder / "out");
    put(folder / "out/result.json", text);
    EXPECT_ERROR(OutputFolder(folder / "out"), "holds 'result.json'");
  }
}

TEST(OutputFolder, what_a_killed_run_left_is_removed_and_a_running_one_is_not_disturbed) {
  const TemporaryFolder folder;
  fs::create_directories(folder / "out/.sotto.tmp-1-0/new");
  put(folder / "out/.sotto.tmp-1-0/new/proportions.npy", "left");
  {
    const OutputFolder out(folder / "out");
    EXPECT_FALSE(fs::exists(folder / "out/.sotto.tmp-1-0"));
    EXPECT_ERROR(OutputFolder(folder / "out"), "another run is writing to this folder");
    EXPECT_ERROR(OutputFolder(folder / "out", OutputFolder::Others::keep), "another run");
  }
  EXPECT_EQ(folder.count(), 1);
  fs::create_directories(folder / ".out.sotto");
  put(folder / ".out.sotto/proportions.npy", "left");
  { const OutputFolder out(folder / "out"); }
  EXPECT_EQ(folder.count(), 1);
}

ino_t number_of(const std::string& path) {
  struct stat info {};
  EXPECT_EQ(::stat(path.c_str(), &info), 0);
  return info.st_ino;
}

TEST(OutputFolder, the_new_folder_takes_the_place_of_the_old_one_at_once) {
  const TemporaryFolder folder;
  put_result(folder / "out", R"("a.txt")");
  put(folder / "out/a.txt", "old");
  ASSERT_EQ(::chmod((folder / "out").c_str(), 0750), 0);
  const ino_t before = number_of(folder / "out");
  {
    OutputFolder out(folder / "out");
    out.write_text("a.txt", "new");
    out.write_text("result.json", "{}");
    out.commit();
  }
  EXPECT_NE(number_of(folder / "out"), before);
  EXPECT_EQ(fs::status(folder / "out").permissions(), fs::perms(0750));
  EXPECT_EQ(get(folder / "out/a.txt"), "new");
  EXPECT_EQ(folder.count(), 3);
}

TEST(OutputFolder, a_file_that_came_during_the_run_stays) {
  const TemporaryFolder folder;
  {
    OutputFolder out(folder / "out");
    out.write_text("result.json", "{}");
    put(folder / "out/mine", "kept");
    out.commit();
  }
  EXPECT_EQ(get(folder / "out/mine"), "kept");
  EXPECT_EQ(get(folder / "out/result.json"), "{}");
  EXPECT_EQ(folder.count(), 3);
}

TEST(OutputFolder, behind_a_link_the_folder_itself_is_replaced) {
  const TemporaryFolder folder;
  fs::create_directories(folder / "a/real");
  fs::create_directory_symlink("a/real", folder / "link");
  {
    OutputFolder out(folder / "link");
    out.write_text("result.json", "{}");
    out.commit();
  }
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(get(folder / "a/real/result.json"), "{}");
}

TEST(OutputFolder, a_commit_that_cannot_succeed_leaves_all_as_it_was) {
  const TemporaryFolder folder;
  put_result(folder / "out", R"("a.txt")");
  put(folder / "out/a.txt", "old");
  fs::create_directories(folder / "out/vectors.npy/in_the_way");
  {
    OutputFolder out(folder / "out", OutputFolder::Others::keep);
    out.write_text("a.txt", "new");
    out.write_text("b.txt", "new");
    out.write_npy("vectors.npy", Vector(Vector::Ones(2)));
    EXPECT_ERROR(out.commit(), "vectors.npy: exists and is not a regular file");
  }
  EXPECT_EQ(get(folder / "out/a.txt"), "old");
  EXPECT_EQ(get(folder / "out/report.html"), "old");
  EXPECT_EQ(folder.count(), 6);
}

TEST(OutputFolder, a_staged_file_that_was_never_written_stops_the_commit) {
  const TemporaryFolder folder;
  {
    OutputFolder out(folder / "out");
    out.write_text("a.txt", "new");
    (void)out.stage("b.txt");
    EXPECT_ERROR(out.commit(), "b.txt: was not written");
  }
  EXPECT_EQ(folder.count(), 0);
}

TEST(OutputFolder, refuses_names_that_lead_elsewhere_or_come_twice) {
  const TemporaryFolder folder;
  OutputFolder out(folder / "out");
  for (const std::string name : {"", ".", "..", "a/b", "/etc/x"}) {
    EXPECT_ERROR(out.write_text(name, "x"), "not a plain file name");
  }
  out.write_text("a", "x");
  EXPECT_ERROR(out.write_text("a", "y"), "written twice");
  out.commit();
  EXPECT_ERROR(out.write_text("b", "y"), "already committed");
  EXPECT_ERROR(out.commit(), "already committed");
}

TEST(OutputFolder, refuses_a_target_that_is_a_file) {
  const TemporaryFolder folder;
  put(folder / "file", "kept");
  EXPECT_ERROR(OutputFolder(folder / "file"), "file: exists and is not a directory");
  EXPECT_ERROR(OutputFolder(folder / "file/out"), "file: exists and is not a directory");
  EXPECT_ERROR(OutputFolder(""), "empty");
  EXPECT_EQ(get(folder / "file"), "kept");
}

TEST(OutputFolder, a_folder_that_cannot_be_made_is_a_fault_of_the_system) {
  const TemporaryFolder folder;
  try {
    OutputFolder out(folder / ("a/" + std::string(300, 'x')));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::system) << error.what();
  }
  EXPECT_EQ(folder.count(), 0);  // not even the outer one
}

}  // namespace
}  // namespace sotto
