#ifndef KVFSCK_H
#define KVFSCK_H

/// kvfsck for C, and for whatever can call C: opens stores of MMKV and FastKV, says what is wrong with them, gives
/// their entries, and repairs them before an app's own library opens them.
///
/// Memory:
/// - Texts and bytes are a pointer and a length, and may have zeros in them. They do not end with a zero unless it is
///   said. Texts are UTF-8. Nothing that a caller passes is kept after the call.
/// - What a store gives (its format, entries and findings) is the store's, and is gone after kvfsck_close().
/// - A text that a function returns through a pointer (an error, a backup, a value) is the caller's, who frees it with
///   kvfsck_text_free(). It is set in any case: to no bytes if there is nothing to say. The pointer may be NULL, if
///   the caller does not want it.
///
/// Threads: different stores can be used by different threads. One store must not be used by two threads at a time.
///
/// Errors: a function that can fail returns a kvfsck_status and says in a text what went wrong, where, and what to do.
/// Damage is no error: it is in the verdict and the findings. No exception leaves a function.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The version of this header; kvfsck_version() is that of the library.
#define KVFSCK_VERSION "0.9.0"

/// Bytes, or text in UTF-8.
typedef struct kvfsck_text {
  /// The first byte; NULL if there is no text, which is not the same as an empty one.
  const char *bytes;
  /// The number of bytes.
  size_t count;
} kvfsck_text;

/// How a call ended: one of the KVFSCK_STATUS_ values.
typedef int32_t kvfsck_status;
enum {
  KVFSCK_STATUS_OK = 0,
  /// An argument is NULL, not UTF-8, or not one of the values that it can have.
  KVFSCK_STATUS_INVALID_ARGUMENT = 1,
  /// There is no store at the path.
  KVFSCK_STATUS_NOT_FOUND = 2,
  /// The folder holds several stores.
  KVFSCK_STATUS_SEVERAL_STORES = 3,
  /// The files exist, but no format recognizes them.
  KVFSCK_STATUS_NOT_RECOGNIZED = 4,
  /// A file cannot be read.
  KVFSCK_STATUS_CANNOT_READ = 5,
  /// No record can be read: the key does not fit, or nothing is left of the log.
  KVFSCK_STATUS_UNREADABLE = 6,
  /// The new files cannot be written, or the old ones cannot be replaced or restored.
  KVFSCK_STATUS_CANNOT_WRITE = 7
};

/// Whether a store is damaged: one of the KVFSCK_VERDICT_ values.
typedef int32_t kvfsck_verdict;
enum {
  /// Nothing is damaged.
  KVFSCK_VERDICT_CLEAN = 0,
  /// Something is damaged, but a checksum matches over the log that is kept or over each record, and
  /// nothing shows that an entry was lost or changed.
  KVFSCK_VERDICT_REPAIRABLE = 1,
  /// Entries are lost or changed, or nothing shows that none are.
  KVFSCK_VERDICT_DAMAGED = 2,
  /// No record can be read: the key is missing or wrong, or this is not a store.
  KVFSCK_VERDICT_UNREADABLE = 3
};

/// What to keep of a damaged store, as an app answers in MMKV's onMMKVCRCCheckFail: one of the KVFSCK_ANSWER_ values.
typedef int32_t kvfsck_answer;
enum {
  /// Only what a checksum verifies.
  KVFSCK_ANSWER_DISCARD = 0,
  /// All that is more likely right than wrong.
  KVFSCK_ANSWER_RECOVER = 1
};

/// How far an entry is verified: one of the KVFSCK_EVIDENCE_ values.
enum {
  KVFSCK_EVIDENCE_GUESS = 0,
  KVFSCK_EVIDENCE_STRUCTURE = 1,
  KVFSCK_EVIDENCE_CORRECTED = 2,
  KVFSCK_EVIDENCE_CHECKSUM = 3
};

/// The faults of an entry that no checksum rules out: the sum of KVFSCK_CAUTION_ values.
enum {
  KVFSCK_CAUTION_MAY_BE_DAMAGED = 1,
  KVFSCK_CAUTION_MAY_BE_STALE = 2
};

/// How serious a finding is: one of the KVFSCK_SEVERITY_ values.
enum {
  KVFSCK_SEVERITY_NOTE = 0,
  KVFSCK_SEVERITY_WARNING = 1,
  KVFSCK_SEVERITY_DAMAGE = 2
};

/// What the files of a store do not say. All zero is a store without encryption, whose format is recognized.
typedef struct kvfsck_options {
  /// The name of the format, such as `mmkv`; NULL to recognize it.
  const char *format;
  size_t format_count;
  /// The key of an encrypted store; NULL if it is not encrypted.
  const void *key;
  size_t key_count;
  /// Whether the key is for AES-256.
  bool is_aes256;
} kvfsck_options;

/// An entry.
typedef struct kvfsck_entry {
  kvfsck_text key;
  /// The value's bytes as the record stores them, decrypted.
  kvfsck_text bytes;
  /// The name of the value's likeliest type, such as `string`, as Docs/JSON.md lists them.
  kvfsck_text kind;
  /// The probability, from 0 to 1, that the app had exactly this value.
  double probability;
  /// When the entry expires, in seconds since 1970; 0 if it does not.
  uint32_t expires_at;
  int32_t evidence;
  uint32_t cautions;
} kvfsck_entry;

/// Something that is wrong with a store, or worth knowing about it.
typedef struct kvfsck_finding {
  /// Its stable name, such as `mmkv.checksum-mismatch`.
  kvfsck_text code;
  /// For people.
  kvfsck_text message;
  int32_t severity;
} kvfsck_finding;

/// What a repair did.
typedef struct kvfsck_repair {
  /// The verdict on the store as it was found.
  kvfsck_verdict verdict;
  /// Whether files were written. A clean store is not repaired at launch.
  bool is_repaired;
  /// Whether nothing is known to be missing from the new store.
  bool is_complete;
  /// The number of entries in the new store, or in the clean one.
  size_t kept_count;
  /// The number of entries that were found but are not in the new store.
  size_t left_out_count;
  /// The folder with the old files, for kvfsck_undo(); no text if they were not replaced. The caller's.
  kvfsck_text backup;
} kvfsck_repair;

/// An opened store.
typedef struct kvfsck_store kvfsck_store;

/// Returns the version of the library, such as `0.9.0`, which ends with a zero and stays for ever.
const char *kvfsck_version(void);

/// Frees a text that is the caller's, and sets it to none.
void kvfsck_text_free(kvfsck_text *text);

/// Opens the store at `path` (its data file, one of its side files, or a folder with one store) and reads it. Changes
/// nothing. `options` may be NULL. `store` is set to NULL if this fails.
kvfsck_status kvfsck_open(
    const char *path, size_t path_count, const kvfsck_options *options, kvfsck_store **store, kvfsck_text *error);

/// Closes a store; NULL is none.
void kvfsck_close(kvfsck_store *store);

/// Returns the verdict on a store.
kvfsck_verdict kvfsck_store_verdict(const kvfsck_store *store);

/// Returns the name of a store's format.
kvfsck_text kvfsck_store_format(const kvfsck_store *store);

/// Returns the number of entries: one for each key, with all that could be recovered of a damaged store.
size_t kvfsck_entry_count(const kvfsck_store *store);

/// Sets `entry` to the one at `index`, in file order. Returns false if there is none.
bool kvfsck_entry_at(kvfsck_store *store, size_t index, kvfsck_entry *entry);

/// Sets `index` to that of the entry with this key. Returns false if there is none.
bool kvfsck_entry_find(const kvfsck_store *store, const void *key, size_t key_count, size_t *index);

/// The value of the entry at `index` as one of this type. Each returns false if its bytes are not such a value, or if
/// there is no such entry. Texts and bytes are the caller's.
bool kvfsck_entry_string(const kvfsck_store *store, size_t index, kvfsck_text *value);
bool kvfsck_entry_data(const kvfsck_store *store, size_t index, kvfsck_text *value);
bool kvfsck_entry_bool(const kvfsck_store *store, size_t index, bool *value);
bool kvfsck_entry_int(const kvfsck_store *store, size_t index, int64_t *value);
bool kvfsck_entry_double(const kvfsck_store *store, size_t index, double *value);

/// Returns the number of findings.
size_t kvfsck_finding_count(const kvfsck_store *store);

/// Sets `finding` to the one at `index`, the worst first. Returns false if there is none.
bool kvfsck_finding_at(kvfsck_store *store, size_t index, kvfsck_finding *finding);

/// Writes a clean, compact store into `folder`, which is made if its parent exists. Overwrites nothing.
kvfsck_status kvfsck_repair_into(
    const kvfsck_store *store, const char *folder, size_t folder_count, kvfsck_answer answer, kvfsck_repair *repair,
    kvfsck_text *error);

/// Replaces the files of a store with a clean, compact one, and keeps a backup beside them.
kvfsck_status kvfsck_repair_in_place(
    const kvfsck_store *store, kvfsck_answer answer, kvfsck_repair *repair, kvfsck_text *error);

/// Repairs the store at `path` in place, unless it is clean: to be called before the app's own library opens it.
kvfsck_status kvfsck_repair_at_launch(
    const char *path, size_t path_count, const kvfsck_options *options, kvfsck_answer answer, kvfsck_repair *repair,
    kvfsck_text *error);

/// Restores the files that a repair in place has replaced; `backup` is what it returned.
kvfsck_status kvfsck_undo(const char *backup, size_t backup_count, kvfsck_text *error);

#ifdef __cplusplus
}
#endif

#endif
