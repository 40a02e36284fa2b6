#include "kvfsck.h"

const char *kvfsck_version(void) { return KVFSCK_VERSION; }
