// libarchive is loaded when the first archive is opened. With the libraries that it needs in turn,
// which on Debian include those of Unicode and XML, it takes longer to load than a small store to
// check, and most runs open no archive. The portable program (Docs/packaging/portable) has what it
// calls of libarchive in itself.

#include "CArchive.h"

#include <dlfcn.h>
#include <stdlib.h>

#ifdef __APPLE__
// There the program is linked to it, wherever Homebrew has put it.
#define LIBRARY NULL
#else
#define LIBRARY "libarchive.so.13"
#endif

bool kvfsck_archive_load(kvfsck_archive_functions *functions) {
#ifdef KVFSCK_ARCHIVE_IS_LINKED
#define LOAD(name) functions->name = name;
#else
  void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return false;
#define LOAD(name) \
  void *name##_address = dlsym(library, #name); \
  if (name##_address == NULL) return false; \
  functions->name = (__typeof__(&name))name##_address;
#endif
#ifdef __linux__
  // libarchive converts a time of each member. If the environment does not name the time zone, the C
  // library looks at this file each time, whether it has changed.
  setenv("TZ", ":/etc/localtime", 0);
#endif
  KVFSCK_ARCHIVE_FUNCTIONS(LOAD)
  return true;
}
