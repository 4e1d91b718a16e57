// sotto generate points: records around known latent components.
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <optional>

#include "cli/command.h"
#include "sotto/base/error.h"
#include "sotto/io/npy.h"
#include "sotto/io/output_folder.h"
#include "sotto/report/write_result.h"
#include "sotto/synthetic/points.h"

namespace sotto::cli {
namespace {

enum class FloatSize { f4, f8 };
constexpr auto enum_names(FloatSize) {
  return std::to_array<EnumName<FloatSize>>({{FloatSize::f4, "f4"}, {FloatSize::f8, "f8"}});
}

class GeneratePoints final : public Command {
 public:
  std::string name() const override { return "generate points"; }
  std::string summary() const override { return "Make points around known latent components"; }
  OptionTable options() override {
    return OptionTable()
        .append(model_.table())
        .choice("dtype", dtype_, "size of a number, 4 or 8 bytes")
        .flag("raw", raw_,
              "write the bare numbers to standard output, for a pipe; with --out only the truth is "
              "written there")
        .append(common_.table());
  }
  std::string example() const override {
    return "sotto generate points -d 50 -k 3 -n 100000 --out points";
  }

  ExitCode run() override {
    SOTTO_REQUIRE_AT(raw_ || !common_.out.empty(), "--out",
                     "say where to write the points: --out DIR, or --raw for standard output");
    SOTTO_REQUIRE_AT(!raw_ || !common_.json, "--json", "cannot share standard output with --raw");
    common_.apply();
    std::optional<OutputFolder> folder;
    common_.open_folder(folder, {});
    const auto start = std::chrono::steady_clock::now();
    SyntheticPoints points(model_);
    if (raw_) {
      write_raw(points);
    } else {
      write_file(points, *folder);
    }
    if (!folder) return exit_done;
    ResultDocument result = start_document("Made-up points");
    result.weights(points.weights(), "component");
    if (model_.is_mixture()) {
      result.value("variance", model_.deviation() * model_.deviation());
      folder->write_npy("weights.npy", points.weights());
    }
    result.seconds(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    folder->write_npy(truth(), points.vectors());
    write_result(*folder, result);
    if (common_.json) {
      fmt::print("{}", result_text(result));
    } else if (!raw_) {
      fmt::print("{}/points.npy: {} records of dimension {}, {} components; truth in {}\n",
                 common_.out, model_.records, model_.dim, model_.components, truth());
    }
    return exit_done;
  }

 private:
  std::string truth() const { return model_.is_mixture() ? "means.npy" : "vectors.npy"; }
  Index item_size() const { return dtype_ == FloatSize::f4 ? 4 : 8; }

  void write_file(SyntheticPoints& points, OutputFolder& folder) const {
    NpyWriter writer(folder.stage("points.npy"), {model_.records, model_.dim}, item_size());
    PointBlock block;
    while (points.read(block_rows(points), block) > 0) {
      writer.write({block.dense.data(), static_cast<std::size_t>(block.dense.size())});
    }
    writer.commit();
  }

  void write_raw(SyntheticPoints& points) const {
    PointBlock block;
    std::string bytes;
    while (points.read(block_rows(points), block) > 0) {
      bytes.clear();
      append_raw_items({block.dense.data(), static_cast<std::size_t>(block.dense.size())},
                       item_size(), bytes);
      if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size()) {
        throw Error("cannot write to standard output", "", Fault::system);
      }
    }
  }

  PointModel model_;
  FloatSize dtype_ = FloatSize::f8;
  bool raw_ = false;
  CommonOptions common_;
};

}  // namespace

std::unique_ptr<Command> make_generate_points() { return std::make_unique<GeneratePoints>(); }

}  // namespace sotto::cli
