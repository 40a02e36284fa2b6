// Repairs a store before the app's library opens it, and prints what is in it.
#include <kvfsck.h>
#include <stdio.h>
#include <string.h>

static int fail(kvfsck_text error) {
  fprintf(stderr, "%.*s\n", (int)error.count, error.bytes);
  kvfsck_text_free(&error);
  return 1;
}

int main(int argc, char **argv) {
  if (argc != 2) return 16;
  const char *path = argv[1];
  kvfsck_text error;

  kvfsck_repair repair;
  if (kvfsck_repair_at_launch(path, strlen(path), NULL, KVFSCK_ANSWER_RECOVER, &repair, &error)) return fail(error);
  printf("%s, kept %zu, left out %zu\n", repair.is_repaired ? "repaired" : "nothing to repair", repair.kept_count,
         repair.left_out_count);
  kvfsck_text_free(&repair.backup);

  kvfsck_store *store;
  if (kvfsck_open(path, strlen(path), NULL, &store, &error)) return fail(error);
  kvfsck_entry entry;
  for (size_t i = 0; kvfsck_entry_at(store, i, &entry); i++) {
    kvfsck_text text;
    printf("%.*s: %.*s, %.4f", (int)entry.key.count, entry.key.bytes, (int)entry.kind.count, entry.kind.bytes,
           entry.probability);
    if (kvfsck_entry_string(store, i, &text)) printf(", \"%.*s\"", (int)text.count, text.bytes);
    kvfsck_text_free(&text);
    putchar('\n');
  }
  kvfsck_close(store);
  return 0;
}
