#ifndef CCHECKSUM_H
#define CCHECKSUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Returns whether `kvfsck_crc32_fold` can be called on this machine.
bool kvfsck_crc32_folds(void);

/// Returns the CRC-32 of zlib over `count` bytes after those whose digest is `digest`; `count` is at
/// least 16.
uint32_t kvfsck_crc32_fold(uint32_t digest, const uint8_t *bytes, size_t count);

#endif
