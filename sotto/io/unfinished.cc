#include "sotto/io/unfinished.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace sotto {
namespace {

// A signal handler may call everything below: it allocates no memory and makes only system calls.
constexpr int kSlots = 64;
std::array<std::atomic<char*>, kSlots> unfinished{};
std::atomic<int> holding = 0;
volatile std::sig_atomic_t waiting_signal = 0;

struct DirectoryEntry {
  std::uint64_t number;
  std::int64_t offset;
  std::uint16_t length;
  std::uint8_t type;
  char name[1];
};

// Removes the files in a folder, not folders in it.
void empty_folder(int folder) {
  alignas(DirectoryEntry) static char buffer[1 << 15];
  for (;;) {
    const long got = ::syscall(SYS_getdents64, folder, buffer, sizeof buffer);
    if (got <= 0) return;
    bool removed = false;
    for (long at = 0; at < got;) {
      const auto* entry = reinterpret_cast<const DirectoryEntry*>(buffer + at);
      removed |= ::unlinkat(folder, entry->name, 0) == 0;
      at += entry->length;
    }
    if (!removed) return;
    ::lseek(folder, 0, SEEK_SET);
  }
}

// The first letter of an entry says how much of it is removed.
constexpr char kAll = 'a', kIfEmpty = 'e';

void remove_path(const char* entry) {
  const char* path = entry + 1;
  if (entry[0] == kAll && ::unlink(path) != 0) {
    const int folder = ::open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (folder < 0) return;
    empty_folder(folder);
    ::close(folder);
  }
  ::rmdir(path);
}

// The latest entries are removed first: folders hold what was made after them.
void remove_unfinished() {
  for (int n = kSlots - 1; n >= 0; --n) {
    const char* path = unfinished[static_cast<std::size_t>(n)].exchange(nullptr);
    if (path != nullptr) remove_path(path);
  }
}

extern "C" void clean_up_and_end(int signal) {
  if (holding > 0) {
    waiting_signal = signal;
    return;
  }
  remove_unfinished();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

Unfinished::Unfinished(const std::string& path, Remove remove) {
  char* copy = ::strdup(((remove == Remove::all ? kAll : kIfEmpty) + path).c_str());
  if (copy == nullptr) return;
  for (int n = 0; n < kSlots; ++n) {
    char* none = nullptr;
    if (unfinished[static_cast<std::size_t>(n)].compare_exchange_strong(none, copy)) {
      slot_ = n;
      return;
    }
  }
  std::free(copy);
}

Unfinished::~Unfinished() {
  // A handler that has taken the path keeps it.
  if (slot_ >= 0) std::free(unfinished[static_cast<std::size_t>(slot_)].exchange(nullptr));
}

Uninterrupted::Uninterrupted() { ++holding; }

Uninterrupted::~Uninterrupted() {
  if (--holding == 0 && waiting_signal != 0) clean_up_and_end(waiting_signal);
}

void clean_up_when_ended() {
  std::atexit(remove_unfinished);
  for (const int signal : {SIGTERM, SIGHUP, SIGPIPE}) {
    struct sigaction before {};
    if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    std::signal(signal, clean_up_and_end);
  }
}

}  // namespace sotto
