// Makes one operating system call, or all calls from one on, fail if it concerns a file below a
// folder. This library is loaded before the C library (LD_PRELOAD), because only there does it see
// every call of the tool, of Foundation and of SQLite.
//
//   KVFSCK_FAULT_ROOT    the folder, as an absolute path
//   KVFSCK_FAULT_KIND    the kind of call: open, read, write, sync, name, make, remove, cut, list;
//                        change for all that change something, even an open that creates a file
//   KVFSCK_FAULT_NUMBER  the number of the call that fails, from 1
//   KVFSCK_FAULT_ERRNO   the error, or 0 to kill the process before the call instead
//   KVFSCK_FAULT_STAYS   set if all later calls fail too
//   KVFSCK_FAULT_GATE    a file that the call waits for, instead of failing
//   KVFSCK_FAULT_MARK    a file that is created when a call has failed, or begins to wait
//   KVFSCK_FAULT_LOG     a file to which each call is written, in order: the kind, a space and the
//                        path, and for a rename a tab and the new path
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_int seen;

static int is_below(const char *path) {
  const char *root = getenv("KVFSCK_FAULT_ROOT");
  return root && path && strncmp(path, root, strlen(root)) == 0;
}

static void add_line(const char *name, const char *const *parts, int count) {
  int kept = errno;
  char line[3 * PATH_MAX];
  size_t used = 0;
  for (int i = 0; i < count; i++) used += snprintf(line + used, PATH_MAX, "%s", parts[i]);
  long file = syscall(SYS_openat, AT_FDCWD, name, O_CREAT | O_WRONLY | O_APPEND, 0600);
  if (file >= 0) {
    syscall(SYS_write, file, line, used);
    syscall(SYS_close, file);
  }
  errno = kept;
}

// Returns whether this call fails, and sets errno if so. If `to` is not NULL, it is the new name
// that the call gives.
static int fails_to(const char *kind, const char *path, const char *to) {
  if (getenv("KVFSCK_FAULT_LOG") && is_below(path))
    add_line(
        getenv("KVFSCK_FAULT_LOG"),
        (const char *[]){kind, " ", path, to ? "\t" : "", to ? to : "", "\n"}, 6);
  const char *wanted = getenv("KVFSCK_FAULT_KIND");
  if (!wanted || !is_below(path)) return 0;
  int reads = !strcmp(kind, "open") || !strcmp(kind, "read") || !strcmp(kind, "list");
  int matches = strcmp(wanted, "change") == 0 ? !reads
                : strcmp(wanted, "open") == 0 ? !strcmp(kind, "open") || !strcmp(kind, "create")
                                              : !strcmp(wanted, kind);
  if (!matches) return 0;
  int number = atoi(getenv("KVFSCK_FAULT_NUMBER"));
  int count = atomic_fetch_add(&seen, 1) + 1;
  if (count < number || (count > number && !getenv("KVFSCK_FAULT_STAYS"))) return 0;
  const char *gate = getenv("KVFSCK_FAULT_GATE");
  const char *mark = getenv("KVFSCK_FAULT_MARK");
  if (mark) add_line(mark, (const char *[]){path, "\n"}, 2);
  if (gate) {
    while (syscall(SYS_faccessat, AT_FDCWD, gate, F_OK) != 0) usleep(10000);
    return 0;
  }
  errno = atoi(getenv("KVFSCK_FAULT_ERRNO"));
  if (errno == 0) kill(getpid(), SIGKILL);
  return 1;
}

static int fails(const char *kind, const char *path) { return fails_to(kind, path, NULL); }

// Returns the same for a call on an open file.
static int fails_at(const char *kind, int descriptor) {
  char link[64], path[PATH_MAX];
  int kept = errno;
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t count = readlink(link, path, sizeof path - 1);
  errno = kept;
  if (count <= 0) return 0;
  path[count] = 0;
  return fails(kind, path);
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define OPEN(name)                                          \
  int name(const char *path, int flags, ...) {              \
    va_list list;                                           \
    va_start(list, flags);                                  \
    mode_t mode = va_arg(list, mode_t);                     \
    va_end(list);                                           \
    return fails(flags & O_CREAT ? "create" : "open", path) ? -1 : NEXT(name)(path, flags, mode); \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                        \
  int name(int folder, const char *path, int flags, ...) {  \
    va_list list;                                           \
    va_start(list, flags);                                  \
    mode_t mode = va_arg(list, mode_t);                     \
    va_end(list);                                           \
    return fails(flags & O_CREAT ? "create" : "open", path)   \
               ? -1 : NEXT(name)(folder, path, flags, mode);  \
  }
OPENAT(openat)
OPENAT(openat64)

DIR *opendir(const char *path) { return fails("open", path) ? NULL : NEXT(opendir)(path); }

struct dirent *readdir(DIR *stream) {
  return fails_at("list", dirfd(stream)) ? NULL : NEXT(readdir)(stream);
}

#define AT_FILE(type, name, kind, parameters, ...)          \
  type name parameters {                                    \
    return fails_at(kind, file) ? -1 : NEXT(name)(file, ##__VA_ARGS__); \
  }
AT_FILE(ssize_t, read, "read", (int file, void *to, size_t count), to, count)
AT_FILE(ssize_t, pread, "read", (int file, void *to, size_t count, off_t at), to, count, at)
AT_FILE(ssize_t, pread64, "read", (int file, void *to, size_t count, off64_t at), to, count, at)
AT_FILE(ssize_t, write, "write", (int file, const void *of, size_t count), of, count)
AT_FILE(ssize_t, pwrite, "write", (int file, const void *of, size_t count, off_t at), of, count, at)
AT_FILE(
    ssize_t, pwrite64, "write", (int file, const void *of, size_t count, off64_t at), of, count, at)
AT_FILE(ssize_t, writev, "write", (int file, const struct iovec *of, int count), of, count)
AT_FILE(int, fsync, "sync", (int file))
AT_FILE(int, fdatasync, "sync", (int file))
AT_FILE(int, ftruncate, "cut", (int file, off_t count), count)
AT_FILE(int, ftruncate64, "cut", (int file, off64_t count), count)

#define AT_PATH(name, kind, parameters, ...)                \
  int name parameters { return fails(kind, path) ? -1 : NEXT(name)(__VA_ARGS__); }

#define FROM_TO(name, kind, parameters, ...)                \
  int name parameters { return fails_to(kind, path, to) ? -1 : NEXT(name)(__VA_ARGS__); }
FROM_TO(rename, "name", (const char *path, const char *to), path, to)
FROM_TO(
    renameat, "name", (int folder, const char *path, int other, const char *to), folder, path,
    other, to)
FROM_TO(link, "name", (const char *path, const char *to), path, to)

AT_PATH(mkdir, "make", (const char *path, mode_t mode), path, mode)
AT_PATH(chmod, "write", (const char *path, mode_t mode), path, mode)
AT_PATH(unlink, "remove", (const char *path), path)
AT_PATH(unlinkat, "remove", (int folder, const char *path, int flags), folder, path, flags)
AT_PATH(rmdir, "remove", (const char *path), path)
