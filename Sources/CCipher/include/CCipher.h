#ifndef CCIPHER_H
#define CCIPHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Returns whether `kvfsck_cfb_decrypt` can be called on this machine with a key of `key_count` bytes.
bool kvfsck_cfb_decrypts(size_t key_count);

/// Decrypts the bytes from `start` to `end` of a message in AES-CFB-128 into `clear`.
///
/// `cipher` is the start of the message, `vector` the 16 bytes that count as the block before it.
void kvfsck_cfb_decrypt(
    const uint8_t *key, size_t key_count, const uint8_t *vector, const uint8_t *cipher, size_t start,
    size_t end, uint8_t *clear);

#endif
