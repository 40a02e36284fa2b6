#ifndef CARCHIVE_H
#define CARCHIVE_H

#include <archive.h>
#include <archive_entry.h>
#include <stdbool.h>

// The functions of libarchive that kvfsck calls.
#define KVFSCK_ARCHIVE_FUNCTIONS(USE) \
  USE(archive_entry_filetype) \
  USE(archive_entry_hardlink) \
  USE(archive_entry_is_encrypted) \
  USE(archive_entry_pathname) \
  USE(archive_entry_pathname_utf8) \
  USE(archive_entry_size) \
  USE(archive_entry_size_is_set) \
  USE(archive_entry_symlink) \
  USE(archive_error_string) \
  USE(archive_filter_bytes) \
  USE(archive_read_data_block) \
  USE(archive_read_data_skip) \
  USE(archive_read_free) \
  USE(archive_read_header_position) \
  USE(archive_read_new) \
  USE(archive_read_next_header) \
  USE(archive_read_open1) \
  USE(archive_read_set_callback_data) \
  USE(archive_read_set_format) \
  USE(archive_read_set_format_option) \
  USE(archive_read_set_read_callback) \
  USE(archive_read_set_seek_callback) \
  USE(archive_read_support_filter_bzip2) \
  USE(archive_read_support_filter_xz) \
  USE(archive_read_support_filter_zstd) \
  USE(archive_read_support_format_tar) \
  USE(archive_read_support_format_zip_seekable)

/// The functions, by their names in libarchive.
typedef struct {
#define KVFSCK_ARCHIVE_MEMBER(name) __typeof__(&name) _Nonnull name;
  KVFSCK_ARCHIVE_FUNCTIONS(KVFSCK_ARCHIVE_MEMBER)
#undef KVFSCK_ARCHIVE_MEMBER
} kvfsck_archive_functions;

/// Loads libarchive, if it is not yet loaded, and stores its functions in `functions`.
///
/// Returns whether it has all of them.
bool kvfsck_archive_load(kvfsck_archive_functions *_Nonnull functions);

#endif
