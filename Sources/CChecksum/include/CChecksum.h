#ifndef CCHECKSUM_H
#define CCHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/// Returns how many bytes at the start of `count` bytes `kvfsck_crc32_fold` takes on this machine: a
/// multiple of 16, or 0 where it takes none.
size_t kvfsck_crc32_foldable(size_t count);

/// Returns the CRC-32 of zlib over `count` bytes after those whose digest is `digest`; `count` is what
/// `kvfsck_crc32_foldable` has returned, and not 0.
uint32_t kvfsck_crc32_fold(uint32_t digest, const uint8_t *bytes, size_t count);

#endif
