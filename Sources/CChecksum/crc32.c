// CRC-32 by carry-less multiplication, which Swift has no instruction for: three times as fast as zlib.
//
// A CRC is the remainder of the bytes, as a polynomial over GF(2), divided by P. Bytes that stand n bits
// before others can be taken into those: multiplied by x^n mod P they have the same remainder. Four lanes
// of 128 bits are each folded 512 bits ahead, then into one, and that is reduced to 32 bits (Barrett).
// All polynomials are bit-reflected, as zlib's are, so that a product stands one bit too low; the
// constants make up for it.
//
// Reference: Gopal and others, "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ", 2009.

#include "CChecksum.h"

#if defined(__x86_64__)

#include <immintrin.h>

// What is multiplied by x^n, with n as the comment has it, mod P; shifted and reflected.
#define FOLD_512_LOW 0x0154442bd4  // 4 * 128 + 32
#define FOLD_512_HIGH 0x01c6e41596 // 4 * 128 - 32
#define FOLD_128_LOW 0x01751997d0  // 128 + 32
#define FOLD_128_HIGH 0x00ccaa009e // 128 - 32
#define FOLD_64 0x0163cd6124       // 64
#define POLYNOMIAL 0x01db710641    // P
#define QUOTIENT 0x01f7011641      // x^64 / P

static const size_t lanes = 64;
// Fewer bytes than this are folded in one lane: four are not worth folding into one.
static const size_t least = 4 * 64;

bool kvfsck_crc32_folds(void) {
  return __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("avx");
}

// For AVX, so that the upper halves of the registers need not be cleared.
#define FOLDING __attribute__((target("avx,pclmul")))

FOLDING static inline __m128i folded(__m128i lane, __m128i constants, __m128i next) {
  __m128i low = _mm_clmulepi64_si128(lane, constants, 0x00);
  __m128i high = _mm_clmulepi64_si128(lane, constants, 0x11);
  return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

FOLDING static inline __m128i loaded(const uint8_t *bytes) {
  return _mm_loadu_si128((const __m128i *)bytes);
}

FOLDING static uint32_t reduced(__m128i sum) {
  const __m128i low = _mm_setr_epi32(-1, 0, -1, 0);
  const __m128i fold = _mm_set_epi64x(FOLD_128_HIGH, FOLD_128_LOW);
  sum = _mm_xor_si128(_mm_srli_si128(sum, 8), _mm_clmulepi64_si128(sum, fold, 0x10));
  sum = _mm_xor_si128(
      _mm_srli_si128(sum, 4),
      _mm_clmulepi64_si128(_mm_and_si128(sum, low), _mm_set_epi64x(0, FOLD_64), 0x00));
  const __m128i barrett = _mm_set_epi64x(QUOTIENT, POLYNOMIAL);
  __m128i part = _mm_clmulepi64_si128(_mm_and_si128(sum, low), barrett, 0x10);
  part = _mm_clmulepi64_si128(_mm_and_si128(part, low), barrett, 0x00);
  return (uint32_t)_mm_extract_epi32(_mm_xor_si128(sum, part), 1);
}

// What `sum` and the `count` bytes before `end`, 1 to 15, come to.
FOLDING static __m128i finished(__m128i sum, __m128i near, const uint8_t *end, size_t count) {
  // From its 16th byte on a shuffle that changes nothing; before and after it, what gives zeros.
  static const uint8_t shuffle[48] = {
      128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
      0,   1,   2,   3,   4,   5,   6,   7,   8,   9,   10,  11,  12,  13,  14,  15,
      128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128};
  const __m128i up = loaded(shuffle + count), down = loaded(shuffle + 16 + count);
  const __m128i rest = _mm_blendv_epi8(loaded(end - 16), _mm_setzero_si128(), up);
  const __m128i next = _mm_or_si128(_mm_shuffle_epi8(sum, down), rest);
  return folded(_mm_shuffle_epi8(sum, up), near, next);
}

// What `sum` and the bytes from `bytes` to `end` come to; at least 16 bytes precede `end`.
FOLDING static inline __m128i advanced(__m128i sum, const uint8_t *bytes, const uint8_t *end) {
  const __m128i near = _mm_set_epi64x(FOLD_128_HIGH, FOLD_128_LOW);
  if ((size_t)(end - bytes) >= least) {
    const __m128i far = _mm_set_epi64x(FOLD_512_HIGH, FOLD_512_LOW);
    __m128i lane[4] = {folded(sum, near, loaded(bytes))};
    for (int i = 1; i < 4; i++) lane[i] = loaded(bytes + 16 * i);
    for (bytes += lanes; (size_t)(end - bytes) >= lanes; bytes += lanes)
      for (int i = 0; i < 4; i++) lane[i] = folded(lane[i], far, loaded(bytes + 16 * i));
    sum = lane[0];
    for (int i = 1; i < 4; i++) sum = folded(sum, near, lane[i]);
  }
  for (; end - bytes >= 16; bytes += 16) sum = folded(sum, near, loaded(bytes));
  return bytes < end ? finished(sum, near, end, (size_t)(end - bytes)) : sum;
}

// The first 16 bytes after those whose digest is `digest`.
FOLDING static inline __m128i begun(uint32_t digest, const uint8_t *bytes) {
  // zlib's digest is the remainder with all bits inverted.
  return _mm_xor_si128(loaded(bytes), _mm_cvtsi32_si128((int)~digest));
}

FOLDING uint32_t kvfsck_crc32_fold(uint32_t digest, const uint8_t *bytes, size_t count) {
  return ~reduced(advanced(begun(digest, bytes), bytes + 16, bytes + count));
}

FOLDING size_t kvfsck_crc32_find(
    uint32_t wanted, uint32_t *digest, const uint8_t *bytes, size_t start, const size_t *ends,
    size_t count) {
  // Only folding depends on the bytes before, so the processor reduces several sums at a time.
  __m128i sum = begun(*digest, bytes + start);
  const uint8_t *position = bytes + start + 16;
  for (size_t i = 0; i < count; i++) {
    const uint8_t *end = bytes + ends[i];
    sum = advanced(sum, position, end);
    position = end;
    *digest = ~reduced(sum);
    if (*digest == wanted) return i;
  }
  return count;
}

#else

// Elsewhere zlib is used alone: on ARM it has instructions for it.
bool kvfsck_crc32_folds(void) { return false; }

uint32_t kvfsck_crc32_fold(uint32_t digest, const uint8_t *bytes, size_t count) { return digest; }

size_t kvfsck_crc32_find(
    uint32_t wanted, uint32_t *digest, const uint8_t *bytes, size_t start, const size_t *ends,
    size_t count) {
  return count;
}

#endif
