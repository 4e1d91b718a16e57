// sotto verify: checks the folder of a private result against itself and against the accountant.
#include "sotto/verify/verification.h"

#include <fmt/format.h>

#include "cli/command.h"
#include "sotto/base/json.h"

namespace sotto::cli {
namespace {

class Verify final : public Command {
 public:
  std::string name() const override { return "verify"; }
  std::string summary() const override {
    return "Check the folder of a private result: its files, its epsilon, its signature";
  }
  std::vector<Positional> positionals() override {
    return {{"FOLDER", "the folder of a result", &folder_}};
  }
  OptionTable options() override {
    return OptionTable()
        .text("key", 0, key_, "FILE",
              "the public key (.pub) of whoever must have signed the folder")
        .text(
            "unit", 0, unit_, "TEXT",
            "what the certificate must protect: record, document, rating, user, entry, person, or "
            "the words of `protects`")
        .flag("json", json_, "print the checks as JSON");
  }
  std::string example() const override { return "sotto verify found"; }

  ExitCode run() override {
    verify::VerifyOptions options{{}, unit_};
    if (!key_.empty()) options.key = PublicKey::read(key_);
    const verify::Verification found = verify::verify_folder(folder_, options);
    fmt::print("{}", json_ ? to_text(found.to_json()) : found.to_text());
    return found.verified ? exit_done : exit_failed;
  }

 private:
  std::string folder_, key_, unit_;
  bool json_ = false;
};

class KeysNew final : public Command {
 public:
  std::string name() const override { return "keys new"; }
  std::string summary() const override {
    return "Make a key that signs results, and its public half, FILE.pub";
  }
  std::vector<Positional> positionals() override {
    return {{"FILE", "the secret key; only you can read it", &path_}};
  }
  OptionTable options() override { return {}; }
  std::string example() const override { return "sotto keys new office.key"; }

  ExitCode run() override {
    SigningKey::make(path_);
    fmt::print(
        "{0}: the secret key, readable by you alone; keep it where no result is written\n"
        "{0}.pub: the public key, for everybody who checks your results\n",
        path_);
    return exit_done;
  }

 private:
  std::string path_;
};

}  // namespace

std::vector<std::unique_ptr<Command>> make_verify_commands() {
  std::vector<std::unique_ptr<Command>> commands;
  commands.push_back(std::make_unique<Verify>());
  commands.push_back(std::make_unique<KeysNew>());
  return commands;
}

}  // namespace sotto::cli
