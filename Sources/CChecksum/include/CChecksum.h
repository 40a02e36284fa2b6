#ifndef CCHECKSUM_H
#define CCHECKSUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Returns whether the functions below can be called on this machine.
bool kvfsck_crc32_folds(void);

/// Returns the CRC-32 of zlib over `count` bytes after those whose digest is `digest`; `count` is at
/// least 16.
uint32_t kvfsck_crc32_fold(uint32_t digest, const uint8_t *bytes, size_t count);

/// Returns the index of the first of `count` ends up to which the bytes from `start`, after those whose
/// digest is `*digest`, have the digest `wanted`; `count` if there is none.
///
/// The ends are in ascending order, the first at least 16 bytes after `start`. Sets `*digest` to the digest
/// up to the end that was found, or up to the last one.
size_t kvfsck_crc32_find(
    uint32_t wanted, uint32_t *digest, const uint8_t *bytes, size_t start, const size_t *ends,
    size_t count);

#endif
