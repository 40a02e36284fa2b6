#include <sqlite3.h>

// What Swift cannot call: functions with a variable number of arguments, and a macro that is a cast.

static inline int kvfsck_sqlite3_switch(sqlite3 *connection, int option, int isOn) {
  return sqlite3_db_config(connection, option, isOn, (int *)0);
}

static inline sqlite3_destructor_type kvfsck_sqlite3_copied(void) { return SQLITE_TRANSIENT; }
