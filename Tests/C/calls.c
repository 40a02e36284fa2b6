// Every function of kvfsck.h, with what it is for and with what it must refuse. Prints nothing if all is right.
// usage: calls CLEAN DAMAGED ENCRYPTED FOLDER, copies of stores and a folder that is to be made
#include <assert.h>
#include <kvfsck.h>
#include <stdlib.h>
#include <string.h>

static bool has(kvfsck_text text, const char *part) {
  // A zero follows each text.
  return text.bytes && strstr(text.bytes, part);
}

static bool is(kvfsck_text text, const char *expected) {
  return text.count == strlen(expected) && memcmp(text.bytes, expected, text.count) == 0;
}

static void expect_failure(kvfsck_status status, kvfsck_status expected, kvfsck_text *error, const char *part) {
  assert(status == expected);
  assert(has(*error, part));
  kvfsck_text_free(error);
  assert(error->bytes == NULL && error->count == 0);
}

static void nothing_for_null(void) {
  kvfsck_text error;
  kvfsck_repair repair;
  kvfsck_store *store = (kvfsck_store *)&error;
  assert(kvfsck_open(NULL, 3, NULL, &store, NULL) == KVFSCK_STATUS_INVALID_ARGUMENT);
  assert(store == NULL);
  expect_failure(kvfsck_open("x", 1, NULL, NULL, &error), KVFSCK_STATUS_INVALID_ARGUMENT, &error, "place");
  expect_failure(kvfsck_open("x\0y", 3, NULL, &store, &error), KVFSCK_STATUS_INVALID_ARGUMENT, &error, "zero");
  expect_failure(kvfsck_open("\xff", 1, NULL, &store, &error), KVFSCK_STATUS_INVALID_ARGUMENT, &error, "UTF-8");
  expect_failure(
      kvfsck_repair_into(NULL, "x", 1, KVFSCK_ANSWER_RECOVER, &repair, &error), KVFSCK_STATUS_INVALID_ARGUMENT,
      &error, "kvfsck_open");
  assert(repair.backup.bytes == NULL && !repair.is_repaired);
  expect_failure(
      kvfsck_repair_in_place(NULL, KVFSCK_ANSWER_RECOVER, NULL, &error), KVFSCK_STATUS_INVALID_ARGUMENT, &error,
      "kvfsck_open");
  expect_failure(kvfsck_undo(NULL, 0, &error), KVFSCK_STATUS_INVALID_ARGUMENT, &error, "path");

  kvfsck_entry entry;
  kvfsck_finding finding;
  size_t index;
  int64_t number;
  double fraction;
  bool truth;
  kvfsck_close(NULL);
  kvfsck_text_free(NULL);
  assert(kvfsck_store_verdict(NULL) == KVFSCK_VERDICT_UNREADABLE);
  assert(kvfsck_store_format(NULL).bytes == NULL);
  assert(kvfsck_entry_count(NULL) == 0 && kvfsck_finding_count(NULL) == 0);
  assert(!kvfsck_entry_at(NULL, 0, &entry) && !kvfsck_finding_at(NULL, 0, &finding));
  assert(!kvfsck_entry_find(NULL, "x", 1, &index));
  assert(!kvfsck_entry_string(NULL, 0, &error) && error.bytes == NULL && !kvfsck_entry_data(NULL, 0, NULL));
  assert(!kvfsck_entry_bool(NULL, 0, &truth) && !kvfsck_entry_int(NULL, 0, &number));
  assert(!kvfsck_entry_double(NULL, 0, &fraction));
}

static void entries(const char *path) {
  kvfsck_store *store;
  kvfsck_entry entry, again;
  kvfsck_text text;
  size_t index;
  int64_t number;
  double fraction;
  bool truth;
  assert(kvfsck_open(path, strlen(path), NULL, &store, NULL) == KVFSCK_STATUS_OK);
  assert(is(kvfsck_store_format(store), "mmkv"));
  assert(kvfsck_store_verdict(store) == KVFSCK_VERDICT_CLEAN && kvfsck_entry_count(store) == 45);

  assert(kvfsck_entry_find(store, "flag_187.s", 10, &index));
  assert(kvfsck_entry_at(store, index, &entry) && is(entry.key, "flag_187.s") && is(entry.kind, "string"));
  assert(entry.evidence == KVFSCK_EVIDENCE_CHECKSUM && entry.cautions == 0 && entry.probability > 0.99);
  assert(entry.expires_at == 0);
  assert(kvfsck_entry_at(store, index, &again) && again.key.bytes == entry.key.bytes);
  assert(kvfsck_entry_string(store, index, &text) && is(text, "BhIgjnuxptso9oj30gne09FpksoaCFdgB"));
  // As the record stores it: a length, and the text.
  assert(entry.bytes.count == text.count + 1 && !memcmp(entry.bytes.bytes + 1, text.bytes, text.count));
  kvfsck_text_free(&text);
  assert(!kvfsck_entry_string(store, 45, &text) && !kvfsck_entry_at(store, 45, &entry));
  assert(!kvfsck_entry_at(store, (size_t)-1, &entry) && !kvfsck_entry_at(store, 0, NULL));

  assert(!kvfsck_entry_double(store, index, &fraction) && !kvfsck_entry_bool(store, index, &truth));

  assert(kvfsck_entry_find(store, "flag_187.true", 13, &index) && kvfsck_entry_bool(store, index, &truth) && truth);
  assert(kvfsck_entry_find(store, "flag_187.i32.9", 14, &index) && kvfsck_entry_int(store, index, &number));
  assert(number == INT32_MIN);
  assert(kvfsck_entry_find(store, "flag_187.d.1", 12, &index) && kvfsck_entry_double(store, index, &fraction));
  assert(fraction == -2.25 && !kvfsck_entry_string(store, index, &text) && text.bytes == NULL);
  assert(kvfsck_entry_find(store, "flag_187.b", 10, &index) && kvfsck_entry_data(store, index, &text));
  assert(text.count == 17 && !memcmp(text.bytes, "\x9a\x24\x81\x3b", 4));
  kvfsck_text_free(&text);
  assert(kvfsck_entry_find(store, "flag_187.s.empty", 16, &index) && kvfsck_entry_string(store, index, &text));
  assert(text.bytes != NULL && text.count == 0);
  kvfsck_text_free(&text);
  assert(!kvfsck_entry_find(store, "flag_187.S", 10, &index) && !kvfsck_entry_find(store, NULL, 1, &index));
  kvfsck_close(store);
}

static void repairs(const char *path, const char *folder) {
  kvfsck_store *store;
  kvfsck_finding finding;
  kvfsck_repair repair;
  kvfsck_text error;
  assert(kvfsck_open(path, strlen(path), NULL, &store, &error) == KVFSCK_STATUS_OK && error.bytes == NULL);
  assert(kvfsck_store_verdict(store) == KVFSCK_VERDICT_REPAIRABLE && kvfsck_finding_count(store) > 0);
  assert(kvfsck_finding_at(store, 0, &finding) && finding.severity == KVFSCK_SEVERITY_DAMAGE);
  assert(has(finding.code, "mmkv.") && finding.message.count > 20);
  assert(!kvfsck_finding_at(store, kvfsck_finding_count(store), &finding));

  expect_failure(
      kvfsck_repair_into(store, folder, strlen(folder), 2, &repair, &error), KVFSCK_STATUS_INVALID_ARGUMENT, &error,
      "KVFSCK_ANSWER");
  assert(
      kvfsck_repair_into(store, folder, strlen(folder), KVFSCK_ANSWER_RECOVER, &repair, &error) == KVFSCK_STATUS_OK);
  assert(repair.is_repaired && repair.is_complete && repair.kept_count == 29 && repair.left_out_count == 0);
  assert(repair.verdict == KVFSCK_VERDICT_REPAIRABLE && repair.backup.bytes == NULL);
  expect_failure(
      kvfsck_repair_into(store, folder, strlen(folder), KVFSCK_ANSWER_RECOVER, &repair, &error),
      KVFSCK_STATUS_CANNOT_WRITE, &error, "already exists");
  // What is not wanted is not left behind.
  assert(kvfsck_repair_in_place(store, KVFSCK_ANSWER_RECOVER, NULL, NULL) == KVFSCK_STATUS_OK);
  kvfsck_close(store);

  assert(
      kvfsck_repair_at_launch(path, strlen(path), NULL, KVFSCK_ANSWER_RECOVER, &repair, &error) == KVFSCK_STATUS_OK);
  assert(!repair.is_repaired && repair.is_complete && repair.kept_count == 29 && repair.backup.bytes == NULL);
  assert(repair.verdict == KVFSCK_VERDICT_CLEAN);
}

static void undoes(const char *path) {
  kvfsck_repair repair;
  kvfsck_text error;
  kvfsck_store *store;
  assert(
      kvfsck_repair_at_launch(path, strlen(path), NULL, KVFSCK_ANSWER_DISCARD, &repair, &error) == KVFSCK_STATUS_OK);
  assert(repair.is_repaired && repair.verdict == KVFSCK_VERDICT_REPAIRABLE && repair.backup.count > 0);
  assert(kvfsck_undo(repair.backup.bytes, repair.backup.count, &error) == KVFSCK_STATUS_OK);
  kvfsck_text_free(&repair.backup);
  assert(kvfsck_open(path, strlen(path), NULL, &store, NULL) == KVFSCK_STATUS_OK);
  assert(kvfsck_store_verdict(store) == KVFSCK_VERDICT_REPAIRABLE);
  kvfsck_close(store);
  expect_failure(kvfsck_undo(path, strlen(path), &error), KVFSCK_STATUS_CANNOT_WRITE, &error, "backup");
}

static void keys(const char *path) {
  kvfsck_store *store;
  kvfsck_text error;
  kvfsck_options options = {0};
  options.key = "0123456789abcdef";
  options.key_count = 16;
  assert(kvfsck_open(path, strlen(path), &options, &store, &error) == KVFSCK_STATUS_OK);
  assert(kvfsck_store_verdict(store) == KVFSCK_VERDICT_CLEAN && kvfsck_entry_count(store) > 0);
  kvfsck_close(store);
  options.is_aes256 = true;
  assert(kvfsck_open(path, strlen(path), &options, &store, &error) == KVFSCK_STATUS_OK);
  assert(kvfsck_store_verdict(store) == KVFSCK_VERDICT_UNREADABLE && kvfsck_entry_count(store) == 0);
  kvfsck_close(store);
  options.format = "no-format";
  options.format_count = 9;
  expect_failure(
      kvfsck_open(path, strlen(path), &options, &store, &error), KVFSCK_STATUS_NOT_RECOGNIZED, &error, "no-format");
  assert(store == NULL);
  options.format = "\xff";
  options.format_count = 1;
  expect_failure(
      kvfsck_open(path, strlen(path), &options, &store, &error), KVFSCK_STATUS_INVALID_ARGUMENT, &error, "format");
}

int main(int argc, char **argv) {
  assert(argc == 6);
  assert(strcmp(kvfsck_version(), KVFSCK_VERSION) == 0);
  kvfsck_store *store;
  kvfsck_text error;
  expect_failure(kvfsck_open("/none", 5, NULL, &store, &error), KVFSCK_STATUS_NOT_FOUND, &error, "/none");
  nothing_for_null();
  entries(argv[1]);
  repairs(argv[2], argv[5]);
  undoes(argv[3]);
  keys(argv[4]);
  return 0;
}
