// AES-CFB-128 decrypted eight blocks at a time, with the processor's own instructions: several times as fast
// as block after block, as libraries do it.
//
// A block of cleartext is that of ciphertext XOR the encrypted block of ciphertext before it. So all blocks to
// encrypt are known, and while one is being encrypted, which takes a round 4 cycles, the others can be.
//
// References: FIPS 197 (AES), NIST SP 800-38A § 6.3 (CFB); Gueron, "Intel AES New Instructions Set", 2012,
// from which the expansion of the keys is.

#include "CCipher.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define AES __attribute__((target("aes,sse4.1")))

enum { block_count = 16, width = 8, most_rounds = 14 };

typedef struct {
  __m128i keys[most_rounds + 1];
  int rounds;
} schedule;

bool kvfsck_cfb_decrypts(size_t key_count) {
  return (key_count == 16 || key_count == 32) && __builtin_cpu_supports("aes") &&
         __builtin_cpu_supports("sse4.1");
}

AES static inline __m128i loaded(const uint8_t *bytes) {
  return _mm_loadu_si128((const __m128i *)bytes);
}

// `key` with each of its words XOR all words before it, and all of that XOR `change`.
AES static inline __m128i chained(__m128i key, __m128i change) {
  key = _mm_xor_si128(key, _mm_slli_si128(key, 4));
  key = _mm_xor_si128(key, _mm_slli_si128(key, 8));
  return _mm_xor_si128(key, change);
}

// The next key after `key`, with the word that is rotated and substituted taken from `last`. The instruction
// has the constant of the round as a part of itself.
#define ROTATED(key, last, constant) \
  chained(key, _mm_shuffle_epi32(_mm_aeskeygenassist_si128(last, constant), 0xff))
// The same in the middle of 256 bits, where the word is substituted only.
#define SUBSTITUTED(key, last) \
  chained(key, _mm_shuffle_epi32(_mm_aeskeygenassist_si128(last, 0), 0xaa))

AES static schedule expanded(const uint8_t *key, size_t key_count) {
  schedule s;
  __m128i *k = s.keys;
  k[0] = loaded(key);
  if (key_count == 16) {
    s.rounds = 10;
    k[1] = ROTATED(k[0], k[0], 0x01);
    k[2] = ROTATED(k[1], k[1], 0x02);
    k[3] = ROTATED(k[2], k[2], 0x04);
    k[4] = ROTATED(k[3], k[3], 0x08);
    k[5] = ROTATED(k[4], k[4], 0x10);
    k[6] = ROTATED(k[5], k[5], 0x20);
    k[7] = ROTATED(k[6], k[6], 0x40);
    k[8] = ROTATED(k[7], k[7], 0x80);
    k[9] = ROTATED(k[8], k[8], 0x1b);
    k[10] = ROTATED(k[9], k[9], 0x36);
  } else {
    s.rounds = 14;
    k[1] = loaded(key + block_count);
    k[2] = ROTATED(k[0], k[1], 0x01);
    k[3] = SUBSTITUTED(k[1], k[2]);
    k[4] = ROTATED(k[2], k[3], 0x02);
    k[5] = SUBSTITUTED(k[3], k[4]);
    k[6] = ROTATED(k[4], k[5], 0x04);
    k[7] = SUBSTITUTED(k[5], k[6]);
    k[8] = ROTATED(k[6], k[7], 0x08);
    k[9] = SUBSTITUTED(k[7], k[8]);
    k[10] = ROTATED(k[8], k[9], 0x10);
    k[11] = SUBSTITUTED(k[9], k[10]);
    k[12] = ROTATED(k[10], k[11], 0x20);
    k[13] = SUBSTITUTED(k[11], k[12]);
    k[14] = ROTATED(k[12], k[13], 0x40);
  }
  return s;
}

// The block before the one at `start`, which is a multiple of its size.
AES static inline __m128i before(const uint8_t *vector, const uint8_t *cipher, size_t start) {
  return loaded(start == 0 ? vector : cipher + start - block_count);
}

AES static inline __m128i encrypted(const schedule *s, __m128i block) {
  block = _mm_xor_si128(block, s->keys[0]);
  for (int round = 1; round < s->rounds; round++) block = _mm_aesenc_si128(block, s->keys[round]);
  return _mm_aesenclast_si128(block, s->keys[s->rounds]);
}

// Decrypts bytes of one block.
AES static void decrypt_part(
    const schedule *s, const uint8_t *vector, const uint8_t *cipher, size_t start, size_t end,
    uint8_t *clear) {
  size_t offset = start % block_count;
  uint8_t mask[block_count];
  _mm_storeu_si128((__m128i *)mask, encrypted(s, before(vector, cipher, start - offset)));
  for (size_t i = 0; i < end - start; i++) clear[i] = cipher[start + i] ^ mask[offset + i];
}

AES void kvfsck_cfb_decrypt(
    const uint8_t *key, size_t key_count, const uint8_t *vector, const uint8_t *cipher, size_t start,
    size_t end, uint8_t *clear) {
  schedule s = expanded(key, key_count);
  while (start < end) {
    size_t count = end - start;
    if (start % block_count == 0 && count >= width * block_count) {
      __m128i blocks[width];
      for (int i = 0; i < width; i++)
        blocks[i] = _mm_xor_si128(before(vector, cipher, start + i * block_count), s.keys[0]);
      for (int round = 1; round < s.rounds; round++)
        for (int i = 0; i < width; i++) blocks[i] = _mm_aesenc_si128(blocks[i], s.keys[round]);
      for (int i = 0; i < width; i++) {
        __m128i mask = _mm_aesenclast_si128(blocks[i], s.keys[s.rounds]);
        __m128i block = _mm_xor_si128(mask, loaded(cipher + start + i * block_count));
        _mm_storeu_si128((__m128i *)(clear + i * block_count), block);
      }
      count = width * block_count;
    } else {
      size_t rest = block_count - start % block_count;
      if (rest < count) count = rest;
      decrypt_part(&s, vector, cipher, start, start + count, clear);
    }
    start += count;
    clear += count;
  }
}

#else

// Elsewhere swift-crypto is used alone.
bool kvfsck_cfb_decrypts(size_t key_count) { return false; }

void kvfsck_cfb_decrypt(
    const uint8_t *key, size_t key_count, const uint8_t *vector, const uint8_t *cipher, size_t start,
    size_t end, uint8_t *clear) {}

#endif
