// What runs leave behind and read again: checkpoints, ledgers, results, keys, parts of sums; and
// the values of options.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "sotto/base/bytes.h"
#include "sotto/base/json.h"
#include "sotto/base/options.h"
#include "sotto/io/checkpoint.h"
#include "sotto/io/file_options.h"
#include "sotto/ledger/run_ledger.h"
#include "sotto/tasks/result_folder.h"
#include "sotto/tensor/partial_sum.h"
#include "sotto/verify/verification.h"
#include "tests/fuzz/targets.h"

namespace sotto::fuzz {
namespace {

namespace fs = std::filesystem;

// One folder for the life of the program, in memory where there is such a place.
const std::string& scratch() {
  struct Folder {
    Folder() {
      path = (fs::exists("/dev/shm") ? "/dev/shm" : "/tmp") + std::string("/sotto-fuzz-XXXXXX");
      if (::mkdtemp(path.data()) == nullptr) throw std::runtime_error("no folder");
    }
    ~Folder() {
      std::error_code ignored;
      fs::remove_all(path, ignored);
    }
    std::string path;
  };
  static const Folder folder;
  return folder.path;
}

std::string put(const std::string& name, std::string_view bytes) {
  const std::string path = scratch() + "/" + name;
  std::ofstream(path, std::ios::binary | std::ios::trunc).write(bytes.data(), std::ssize(bytes));
  return path;
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void checkpoint(std::string_view bytes) {
  CheckpointFile file(put("checkpoint", bytes), "a stream");
  file.append("answer");
}

std::string checkpoint_seed() {
  const std::string path = scratch() + "/seed";
  fs::remove(path);
  CheckpointFile file(path, "a stream");
  file.append("an answer");
  file.append("another");
  return bytes_of(path);
}

void ledger(std::string_view bytes) {
  const std::string path = put("ledger", bytes);
  for (const char* rest : {"-journal", "-wal", "-shm"}) fs::remove(path + rest);
  RunLedger(path).accounts();
}

std::string ledger_seed() {
  const std::string path = scratch() + "/seed-ledger";
  fs::remove(path);
  RunLedger::init(path, {"visits", {3, 1e-5}, "one patient"});
  return bytes_of(path);
}

const std::string kResult =
    R"({"command": "topics", "version": "0.2.0", "format": 1, "files": ["weights.npy"],)"
    R"( "weights": [0.5, 0.5], "certificate": {"guarantee": "proved", "epsilon": 1.0,)"
    R"( "delta": 1e-6, "unit": "document", "releases": [{"what": "moments", "mechanism":)"
    R"( "gaussian", "sensitivity": 1.0, "scale": 5.0, "epsilon": 1.0}]}})";

void model(std::string_view bytes) {
  fs::create_directories(scratch() + "/model");
  put("model/result.json", bytes);
  put("model/weights.npy", bytes);
  const ResultFolder folder(scratch() + "/model");
  (void)folder.command();
  for (const char* keys : {"certificate", "weights", "options/k", "files"}) (void)folder.find(keys);
  (void)folder.weights();
}

void certificate(std::string_view bytes) {
  fs::create_directories(scratch() + "/result");
  put("result/result.json", bytes);
  const verify::Verification done = verify::verify_folder(scratch() + "/result", {});
  (void)done.to_text();
  (void)done.to_json();
}

// Sealed again, so that more than the checksum is tried.
void parts(std::string_view bytes) {
  const bool sealed = take_choice(bytes, 2) == 0;
  std::string resealed;
  if (!sealed) {
    ByteWriter writer;
    for (const char c : bytes) {
      if (c % 3 == 0) writer.integer(c);
      if (c % 3 != 0) writer.real(c);
    }
    resealed = std::move(writer).sealed();
  }
  const std::string_view read = sealed ? bytes : std::string_view(resealed);
  ByteReader reader(read, "a part");
  PartialSum sum = PartialSum::read(reader);
  reader.require_end();
  (void)sum.total(3);
}

std::string part_seed() {
  PartialSum sum(2, 3);
  sum.add(0, RowMatrix::Constant(2, 3, 1.5));
  sum.add(2, RowMatrix::Constant(2, 3, 2.5));
  ByteWriter bytes;
  sum.write(bytes);
  return std::string(1, '\0') + std::move(bytes).sealed();
}

// "name value" of the options of a file of ratings, one a line.
void options(std::string_view bytes) {
  RatingFileOptions ratings;
  PointFileOptions points;
  OptionTable of_ratings = ratings.table(), of_points = points.table();
  while (!bytes.empty()) {
    const std::string_view line = bytes.substr(0, bytes.find('\n'));
    bytes.remove_prefix(std::min(line.size() + 1, bytes.size()));
    const std::size_t space = std::min(line.find(' '), line.size());
    const std::string name(line.substr(0, space));
    const std::string value(line.substr(std::min(space + 1, line.size())));
    (void)with_dashes(line);
    for (OptionTable* table : {&of_ratings, &of_points}) {
      try {
        table->set(name, value);
      } catch (const Error&) {
      }
    }
    try {
      (void)ratings.value_range();
    } catch (const Error&) {
    }
    (void)json_text(of_points.to_json());
  }
}

}  // namespace

std::vector<Target> state_targets() {
  return {
      {"options", options, {"format csv\ndim 3\nrange 1:5\nheader yes\n", "range -1e300:1e300\n"}},
      {"checkpoint", checkpoint, {checkpoint_seed()}},
      {"ledger", ledger, {ledger_seed()}},
      {"model", model, {kResult}},
      {"certificate", certificate, {kResult}},
      {"parts", parts, {part_seed(), std::string("\x01\x02\x03\x03\x06\x09\x00\x03", 8)}}};
}

}  // namespace sotto::fuzz
