// Fails the n-th call of one function of the C library: for tests/e2e/test_faults.py.
//
//   LD_PRELOAD=fail_nth.so FAIL_CALL=write FAIL_NTH=3 FAIL_LOG=FILE sotto ...
//
// FAIL_LOG gets a line when the call was failed, so that a loop over n knows when to end. `short`
// as FAIL_HOW lets a write or a read take half of its bytes in place of failing. Calls before main
// and after it are not counted: they are not ours.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static const char* failing;  // the name of the function
static long nth;
static atomic_long calls;
static int ready, started, takes_half;

__attribute__((constructor)) static void begin(void) {
  const char* number = getenv("FAIL_NTH");
  failing = getenv("FAIL_CALL");
  const char* how = getenv("FAIL_HOW");
  takes_half = how != NULL && strcmp(how, "short") == 0;
  nth = number != NULL ? atol(number) : 0;
  // The program may start itself again, with other settings of its threads.
  const char* path = getenv("FAIL_LOG");
  ready = failing != NULL && nth > 0 && path != NULL && getenv("GOMP_SPINCOUNT") != NULL;
}

// From main on.
static int (*real_main)(int, char**, char**);
static int counted_main(int argc, char** argv, char** environment) {
  started = ready;
  const int code = real_main(argc, argv, environment);
  started = 0;
  return code;
}

int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, void (*init)(void),
                      void (*fini)(void), void (*loader)(void), void* stack) {
  real_main = main;
  int (*start)(int (*)(int, char**, char**), int, char**, void (*)(void), void (*)(void),
               void (*)(void), void*) = dlsym(RTLD_NEXT, "__libc_start_main");
  return start(counted_main, argc, argv, init, fini, loader, stack);
}

static void note(void) {
  const int log = (int)syscall(SYS_openat, AT_FDCWD, getenv("FAIL_LOG"),
                               O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (log < 0) return;
  syscall(SYS_write, log, "failed\n", 7);
  syscall(SYS_close, log);
}

static int fails(const char* name) {
  if (!started || strcmp(name, failing) != 0) return 0;
  if (atomic_fetch_add(&calls, 1) + 1 != nth) return 0;
  note();
  return 1;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int fd, const void* bytes, size_t count) {
  if (fd > 2 && fails("write")) {
    if (takes_half && count > 1) return syscall(SYS_write, fd, bytes, count / 2);
    errno = ENOSPC;
    return -1;
  }
  const ssize_t done = syscall(SYS_write, fd, bytes, count);
  return done;
}

ssize_t read(int fd, void* bytes, size_t count) {
  if (fails("read")) {
    if (takes_half && count > 1) return syscall(SYS_read, fd, bytes, count / 2);
    errno = EIO;
    return -1;
  }
  return syscall(SYS_read, fd, bytes, count);
}

// What SQLite calls.
ssize_t pwrite64(int fd, const void* bytes, size_t count, off64_t at) {
  if (fails("write")) {
    if (takes_half && count > 1) return syscall(SYS_pwrite64, fd, bytes, count / 2, at);
    errno = ENOSPC;
    return -1;
  }
  return syscall(SYS_pwrite64, fd, bytes, count, at);
}

ssize_t pread64(int fd, void* bytes, size_t count, off64_t at) {
  if (fails("read")) {
    if (takes_half && count > 1) return syscall(SYS_pread64, fd, bytes, count / 2, at);
    errno = EIO;
    return -1;
  }
  return syscall(SYS_pread64, fd, bytes, count, at);
}

int fdatasync(int fd) {
  if (fails("fsync")) {
    errno = EIO;
    return -1;
  }
  return (int)syscall(SYS_fdatasync, fd);
}

int fsync(int fd) {
  if (fails("fsync")) {
    errno = EIO;
    return -1;
  }
  return (int)syscall(SYS_fsync, fd);
}

int close(int fd) {
  const int failed = fd > 2 && fails("close");
  const int done = (int)syscall(SYS_close, fd);
  if (failed) errno = EIO;
  return failed ? -1 : done;
}

int rename(const char* from, const char* to) {
  if (fails("rename")) {
    errno = ENOSPC;
    return -1;
  }
  return (int)syscall(SYS_rename, from, to);
}

int mkdir(const char* path, mode_t mode) {
  if (fails("mkdir")) {
    errno = ENOSPC;
    return -1;
  }
  return (int)syscall(SYS_mkdir, path, mode);
}

static int open_with(const char* path, int flags, mode_t mode) {
  if (fails("open")) {
    errno = EMFILE;
    return -1;
  }
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return open_with(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return open_with(path, flags, mode);
}

ssize_t getrandom(void* bytes, size_t count, unsigned flags) {
  if (fails("getrandom")) {
    errno = EIO;
    return -1;
  }
  return syscall(SYS_getrandom, bytes, count, flags);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
                   void* with) {
  if (fails("thread")) return EAGAIN;
  return REAL(pthread_create)(thread, attributes, run, with);
}

// Memory: what glibc itself calls them, so that finding the real ones takes no memory.
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* data, size_t size);
void* __libc_memalign(size_t alignment, size_t size);

void* malloc(size_t size) {
  if (fails("malloc")) {
    errno = ENOMEM;
    return NULL;
  }
  return __libc_malloc(size);
}

void* calloc(size_t count, size_t size) {
  if (fails("malloc")) {
    errno = ENOMEM;
    return NULL;
  }
  return __libc_calloc(count, size);
}

void* realloc(void* data, size_t size) {
  if (fails("malloc")) {
    errno = ENOMEM;
    return NULL;
  }
  return __libc_realloc(data, size);
}

void* aligned_alloc(size_t alignment, size_t size) {
  if (fails("malloc")) {
    errno = ENOMEM;
    return NULL;
  }
  return __libc_memalign(alignment, size);
}

int posix_memalign(void** data, size_t alignment, size_t size) {
  if (fails("malloc")) return ENOMEM;
  *data = __libc_memalign(alignment, size);
  return *data == NULL ? ENOMEM : 0;
}
