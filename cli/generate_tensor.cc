// sotto generate tensor: a symmetric tensor whose components are known.
#include <fmt/format.h>

#include <chrono>

#include "cli/command.h"
#include "sotto/base/error.h"
#include "sotto/io/output_folder.h"
#include "sotto/io/tns.h"
#include "sotto/report/write_result.h"
#include "sotto/synthetic/tensor.h"

namespace sotto::cli {
namespace {

enum class TensorFile { npy, tns };
constexpr auto enum_names(TensorFile) {
  return std::to_array<EnumName<TensorFile>>({{TensorFile::npy, "npy"}, {TensorFile::tns, "tns"}});
}

class GenerateTensor final : public Command {
 public:
  std::string name() const override { return "generate tensor"; }
  std::string summary() const override { return "Make a symmetric tensor with known components"; }
  OptionTable options() override {
    return OptionTable()
        .append(model_.table())
        .choice("format", format_, "format of the tensor file")
        .append(common_.table());
  }
  std::string example() const override { return "sotto generate tensor -d 50 -k 4 --out tensor"; }

  ExitCode run() override {
    SOTTO_REQUIRE_AT(!common_.out.empty(), "--out", "say where to write the tensor: --out DIR");
    common_.apply();
    OutputFolder folder(common_.out, common_.others());
    const auto start = std::chrono::steady_clock::now();
    const SyntheticTensor made = generate_tensor(model_);
    const std::string file = fmt::format("tensor.{}", name_of(format_));
    if (format_ == TensorFile::npy) {
      folder.write_npy(file, made.tensor.to_dense());
    } else {
      write_tns(folder.stage(file), SparseTensor::from_dense(made.tensor.to_dense()),
                TnsDialect::tensor_toolbox);
    }
    folder.write_npy("vectors.npy", made.vectors);
    folder.write_npy("moment.npy", made.moment);
    ResultDocument result = start_document("A made-up tensor");
    result.weights(made.weights, "component");
    result.seconds(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    write_result(folder, result);
    if (common_.json) {
      fmt::print("{}", result_text(result));
    } else {
      fmt::print("{}/{}: order {}, dimension {}, {} components; truth in vectors.npy\n",
                 common_.out, file, model_.order, model_.dim, model_.components);
    }
    return exit_done;
  }

 private:
  TensorModel model_;
  TensorFile format_ = TensorFile::npy;
  CommonOptions common_;
};

}  // namespace

std::unique_ptr<Command> make_generate_tensor() { return std::make_unique<GenerateTensor>(); }

}  // namespace sotto::cli
