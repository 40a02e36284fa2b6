// Characters are read as code points, also where the headers would hide that.
#define NCURSES_WIDECHAR 1
#define _XOPEN_SOURCE_EXTENDED 1
#include <curses.h>
#include <stdio.h>

// What Swift does not import of it, or takes for unsafe to share: macros, and variables of the library.

/// Takes over the terminal of stdin and stdout; NULL where it is of no known kind.
static inline SCREEN *kv_screen(void) { return newterm(NULL, stdout, stdin); }

static inline WINDOW *kv_window(void) { return stdscr; }

/// Whether the terminal can put its cursor anywhere.
static inline bool kv_is_addressable(void) {
  extern char *tigetstr(NCURSES_CONST char *);
  static char name[] = "cup";
  char *sequence = tigetstr(name);
  return sequence != NULL && sequence != (char *)-1;
}

static inline void kv_set_style(bool bold, bool dim, bool reversed, short pair) {
  attr_t style = (bold ? A_BOLD : 0) | (dim ? A_DIM : 0) | (reversed ? A_REVERSE : 0);
  wattr_set(stdscr, style, pair, NULL);
}
