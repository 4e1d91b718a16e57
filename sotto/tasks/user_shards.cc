#include "sotto/tasks/user_shards.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>

#include "sotto/io/public_format.h"
#include "sotto/io/read_progress.h"
#include "sotto/io/read_ratings.h"
#include "sotto/tensor/shard_answer.h"

namespace sotto {
namespace {

constexpr std::string_view kUsersMark = "sotto users";

void write_label_list(const LabelTable& labels, ByteWriter& bytes) {
  bytes.integer(labels.size());
  for (Index n = 0; n < labels.size(); ++n) bytes.text(labels.label(n));
}

LabelTable read_label_list(ByteReader& bytes) {
  LabelTable labels;
  for (Index left = bytes.integer(); left > 0; --left) labels.add(bytes.text());
  return labels;
}

// How the ratings become those of users: the rules, and the lists behind their numbers.
std::string rules_bytes(const ListedRows& rows, const UserRules& rules) {
  ByteWriter bytes;
  bytes.real(rules.bounds.low);
  bytes.real(rules.bounds.high);
  bytes.integer(rules.per_user);
  write_label_list(rows.items, bytes);
  bytes.integer(rows.times ? 1 : 0);
  if (rows.times) write_label_list(*rows.times, bytes);
  return std::move(bytes).sealed();
}

struct ReadRules {
  ListedRows rows;
  UserRules rules;

  explicit ReadRules(const std::string& text) {
    ByteReader bytes(text, "a question to a shard");
    rules.bounds.low = bytes.real();
    rules.bounds.high = bytes.real();
    rules.per_user = bytes.integer();
    rows.items = read_label_list(bytes);
    if (bytes.integer() == 1) rows.times = read_label_list(bytes);
    bytes.require_end();
    rules.items = rows.items.size();
    rules.times = rows.times ? rows.times->size() : 0;
  }
};

struct UserFilesQuestion {
  Index number = 0, shards = 1;
  std::string rules;                  // as rules_bytes()
  std::optional<UserQuestion> about;  // none: how many ratings there are in all files

  std::string bytes() const {
    ByteWriter bytes;
    write_mark(kUsersMark, bytes);
    bytes.integer(number);
    bytes.integer(shards);
    bytes.text(rules);
    bytes.integer(about ? 1 : 0);
    if (about) about->write(bytes);
    return std::move(bytes).sealed();
  }

  static UserFilesQuestion read(const std::string& text) {
    ByteReader bytes(text, "a question to a shard");
    require_mark(kUsersMark, bytes);
    UserFilesQuestion question;
    question.number = bytes.integer();
    question.shards = bytes.integer();
    question.rules = bytes.text();
    if (bytes.integer() == 1) question.about = UserQuestion::read(bytes);
    bytes.require_end();
    return question;
  }
};

// The users of one shard, from the files.
class UserShardFiles {
 public:
  UserShardFiles(std::vector<std::string> paths, RatingFileOptions file,
                 std::function<void()> before)
      : paths_(std::move(paths)), file_(std::move(file)), before_(std::move(before)) {}

  std::string answer(const std::string& text, Index shard) {
    return answer_or_error([&] {
      const UserFilesQuestion question = UserFilesQuestion::read(text);
      if (!users_ || question.rules != read_by_) read(question, shard);
      const UserShard which{question.number, shard, question.shards};
      return question.about ? user_answer(*users_, rules_, *question.about, which) : counted(which);
    });
  }

  const std::vector<std::string>& facts() const { return facts_; }
  Index ratings() const { return ratings_; }  // of all users

 private:
  void read(const UserFilesQuestion& question, Index shard) {
    const ReadRules how(question.rules);
    RatingFileOptions file = file_;
    file.shard = shard;
    file.shards = question.shards;
    const ReadProgress watch([&](const ProgressReport&) {
      if (before_) before_();
      return true;
    });
    SensitiveUsers read = number_users(read_rating_files(paths_, file), how.rows);
    facts_ = user_facts(read);
    ratings_ = read.in_all;
    users_.emplace(held_users(std::move(read.entries), how.rules, before_));
    rules_ = how.rules;
    read_by_ = question.rules;
  }

  std::string counted(const UserShard& which) const {
    ShardAnswer answer;
    answer.question = which.question;
    answer.part.emplace(1, 1, which.shards);
    answer.part->add(which.shard, RowMatrix::Constant(1, 1, static_cast<double>(ratings_)));
    return answer.bytes();
  }

  std::vector<std::string> paths_;
  RatingFileOptions file_;
  std::function<void()> before_;
  std::optional<Sensitive<Users>> users_;
  UserRules rules_;
  std::string read_by_;
  std::vector<std::string> facts_;
  Index ratings_ = 0;
};

// All ranks must have seen the same files: what one of them left out another one keeps.
void require_same_files(const std::string& answers, Index own_ratings, Index shards,
                        const std::string& place) {
  const auto all = ShardAnswer::of(answers, 0);
  require_whole(all.part && all.part->rows() == 1 && all.part->cols() == 1,
                "the parts of the shards are not those of this question");
  if (static_cast<Index>(all.part->total(shards)(0, 0)) == shards * own_ratings) return;
  throw Error(
      "and the files behind it have other ratings for another rank: give all ranks the "
      "same files",
      place, Fault::unopened);
}

}  // namespace

std::vector<std::string> user_facts(const SensitiveUsers& users) {
  std::vector<std::string> facts;
  if (users.format != RatingFormat::automatic) {
    facts.push_back(format_fact(name_of(users.format)));
  }
  facts.push_back(fmt::format("that users are told apart by {}: one label is one user",
                              users.user_column.empty() ? "their number" : users.user_column));
  return facts;
}

AnswerQuestion user_file_answers(const std::vector<std::string>& paths,
                                 const RatingFileOptions& file, std::function<void()> before) {
  const auto shard = std::make_shared<UserShardFiles>(paths, file, std::move(before));
  return [shard](const std::string& question, Index number) {
    return shard->answer(question, number);
  };
}

UserInput sharded_users(const std::vector<std::string>& paths, const RatingFileOptions& file,
                        const ListedRows& rows, const UserRules& rules, Shards& shards) {
  const auto own =
      std::make_shared<UserShardFiles>(paths, file, [&shards] { shards.require_all(); });
  const auto ask = [&shards, own, rules_text = rules_bytes(rows, rules)](
                       const std::optional<UserQuestion>& about, Index number) {
    return shards.ask(
        UserFilesQuestion{number, shards.count(), rules_text, about}.bytes(),
        [own](const std::string& question, Index shard) { return own->answer(question, shard); });
  };
  const std::string read = ask(std::nullopt, 0);
  require_same_files(read, own->ratings(), shards.count(), paths.front());
  return {own->facts(), asked_users(ask, rules, shards.count())};
}

}  // namespace sotto
