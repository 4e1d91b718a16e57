// The ranks of MPI. Questions go down and answers come up a binary tree of ranks: a rank serves
// those behind it, up to the next multiple of its lowest bit, so that what it joins are
// neighbouring pieces of a sum.
//
// Open MPI burns a processor while it waits. Ranks wait for seconds here, while the coordinator or
// a slower rank works, so they look for messages now and then and sleep in between.
//
// When a rank dies, mpirun ends the others with SIGTERM, and with SIGKILL a second later. The
// coordinator uses that second to leave nothing behind.
#include <fmt/format.h>
#include <malloc.h>
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>
#include <vector>

#include "cli/ranks.h"
#include "cluster/started_by_mpirun.h"
#include "sotto/base/error.h"

namespace sotto::cli {
namespace {

constexpr int kQuestion = 1, kAnswer = 2;
// Messages are sent in pieces of at most this many bytes: MPI counts them by int.
constexpr std::size_t kLongest = std::size_t{1} << 30;

volatile std::sig_atomic_t told_to_end = 0;

extern "C" void on_end(int) { told_to_end = 1; }

void require_no_loss() {
  if (told_to_end == 0) return;
  throw Error("a rank was lost, and the run was ended without a result", "", Fault::system);
}

// Questions and parts have megabytes, and come and go. By default most of this memory is handed
// back at once, and the kernel clears it again for the next message: a third of what ranks cost.
// To be called before there are threads.
void keep_freed_memory() {
  constexpr int kMegabyte = 1 << 20;
  mallopt(M_MMAP_THRESHOLD, 32 * kMegabyte);   // NOLINT(concurrency-mt-unsafe)
  mallopt(M_TRIM_THRESHOLD, 256 * kMegabyte);  // NOLINT(concurrency-mt-unsafe)
}

// Looks more often at first: most answers come soon. A wait is longer by an eighth at most, and
// costs little of a processor, however long it is.
class Patience {
 public:
  void wait() {
    using std::chrono::microseconds;
    require_no_loss();
    const auto waited = std::chrono::steady_clock::now() - begin_;
    std::this_thread::sleep_for(
        std::clamp<std::chrono::nanoseconds>(waited / 8, microseconds(10), microseconds(5000)));
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

void finish(MPI_Request request) {
  int done = 0;
  Patience patience;
  while (MPI_Test(&request, &done, MPI_STATUS_IGNORE), done == 0) patience.wait();
}

void send_piece(const char* bytes, std::size_t count, int to, int tag) {
  MPI_Request request;
  MPI_Isend(bytes, static_cast<int>(count), MPI_BYTE, to, tag, MPI_COMM_WORLD, &request);
  finish(request);  // NOLINT(clang-analyzer-optin.mpi.MPI-Checker): waits by MPI_Test
}

void send(const std::string& message, int to, int tag) {
  const std::uint64_t size = message.size();
  send_piece(reinterpret_cast<const char*>(&size), sizeof size, to, tag);
  for (std::size_t at = 0; at < message.size(); at += kLongest) {
    send_piece(message.data() + at, std::min(kLongest, message.size() - at), to, tag);
  }
}

void receive_piece(char* bytes, std::size_t count, int from, int tag) {
  MPI_Request request;
  MPI_Irecv(bytes, static_cast<int>(count), MPI_BYTE, from, tag, MPI_COMM_WORLD, &request);
  finish(request);  // NOLINT(clang-analyzer-optin.mpi.MPI-Checker): waits by MPI_Test
}

// Into a message that had another content: its memory is not cleared again.
void receive(int from, int tag, std::string& message) {
  std::uint64_t size = 0;
  receive_piece(reinterpret_cast<char*>(&size), sizeof size, from, tag);
  message.resize(size);
  for (std::size_t at = 0; at < message.size(); at += kLongest) {
    receive_piece(message.data() + at, std::min(kLongest, message.size() - at), from, tag);
  }
}

class MpiRanks final : public Ranks {
 public:
  MpiRanks() {
    keep_freed_memory();
    // Ranks sleep between two looks at their messages. By default only three pieces of a long
    // message are on their way between two looks, and both sides would sleep most of the time.
    // NOLINTNEXTLINE(concurrency-mt-unsafe): there are no threads yet.
    ::setenv("OMPI_MCA_pml_ob1_send_pipeline_depth", "64", 0);
    // Every rank would look at all devices of its machine, a tenth of what ranks cost.
    // NOLINTNEXTLINE(concurrency-mt-unsafe): there are no threads yet.
    ::setenv("HWLOC_COMPONENTS", "-pci,-linuxio", 0);
    int level = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    MPI_Comm machine;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_size(machine, &on_this_machine_);
    MPI_Comm_free(&machine);
    const int lowest_bit = rank_ == 0 ? size_ : rank_ & -rank_;
    for (int step = 1; step < lowest_bit && rank_ + step < size_; step *= 2) {
      children_.push_back(rank_ + step);
    }
    std::signal(SIGTERM, on_end);
    // mpirun gives ranks a terminal for standard output even where its own output is a file.
    // NOLINTNEXTLINE(concurrency-mt-unsafe): the threads of MPI do not look at the environment.
    ::setenv("NO_COLOR", "1", 0);
  }

  // A rank that was told to end does not wait for others that may be gone.
  ~MpiRanks() override {
    try {
      if (rank_ == 0) pass_on("");
      require_no_loss();
      MPI_Finalize();
    } catch (const Error&) {
      std::signal(SIGTERM, SIG_DFL);
    }
  }
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;

  Index count() const override { return size_; }
  Index number() const override { return rank_; }
  Index on_this_machine() const override { return on_this_machine_; }
  void require_all() const override { require_no_loss(); }

  std::string ask(const std::string& question, const AnswerQuestion& own) override {
    ++questions_;
    longest_question_ = std::max(longest_question_, question.size());
    return pass_on_and_answer(question, own);
  }

  // An empty question is the last.
  void serve(const AnswerQuestion& answer) override {
    const int parent = rank_ & (rank_ - 1);
    for (std::string question;;) {
      receive(parent, kQuestion, question);
      if (question.empty()) return pass_on(question);
      send(pass_on_and_answer(question, answer), parent, kAnswer);
    }
  }

  std::string traffic() const override {
    return fmt::format(
        "{} ranks: {} questions of at most {} bytes, answered by parts of at most {} "
        "bytes",
        size_, questions_, longest_question_, longest_part_);
  }

 private:
  void pass_on(const std::string& question) {
    // Those with the most ranks behind them first.
    for (auto child = children_.rbegin(); child != children_.rend(); ++child) {
      send(question, *child, kQuestion);
    }
  }

  std::string pass_on_and_answer(const std::string& question, const AnswerQuestion& own) {
    pass_on(question);
    std::string answer = own(question, rank_);
    for (const int child : children_) {
      receive(child, kAnswer, part_);
      longest_part_ = std::max(longest_part_, part_.size());
      answer = joined_answers(answer, part_);
    }
    return answer;
  }

  int rank_ = 0, size_ = 1, on_this_machine_ = 1;
  std::vector<int> children_;
  Index questions_ = 0;
  std::size_t longest_question_ = 0, longest_part_ = 0;
  std::string part_;  // the last that was received
};

}  // namespace

std::unique_ptr<Ranks> join_ranks() {
  if (!started_by_mpirun()) return nullptr;
  auto ranks = std::make_unique<MpiRanks>();
  if (ranks->count() == 1) return nullptr;
  return ranks;
}

}  // namespace sotto::cli
