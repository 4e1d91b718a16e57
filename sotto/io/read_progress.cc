#include "sotto/io/read_progress.h"

#include <utility>

namespace sotto {
namespace {

// Readers are many layers below those who watch them, and most have nobody who does.
thread_local ReadProgress* watching = nullptr;

}  // namespace

ReadProgress::ReadProgress(ProgressCallback report)
    : report_(std::move(report)), before_(std::exchange(watching, this)) {}

ReadProgress::~ReadProgress() { watching = before_; }

void ReadProgress::tell(std::uint64_t bytes, std::uint64_t in_all) {
  if (watching == nullptr || in_all == 0) return;
  watching->report_({"reading", static_cast<std::int64_t>(bytes), static_cast<std::int64_t>(in_all),
                     /*has_rate=*/false});
}

}  // namespace sotto
