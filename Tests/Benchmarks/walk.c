// The least that anything does that shows the values of a store of MMKV: reads the file and puts all records into a
// hash table by their keys. Prints how many keys there are. The store is whole; nothing is checked.
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct slot {
  uint64_t hash;
  uint32_t key, key_count, value, value_count;
};

static const uint8_t *data;
static struct slot *slots;
static uint64_t slot_count = 1 << 16, key_count;

static uint64_t varint(const uint8_t **at) {
  uint64_t value = 0;
  for (int shift = 0;; shift += 7) {
    uint8_t byte = *(*at)++;
    value |= (uint64_t)(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
}

static struct slot *find(uint64_t hash, const uint8_t *key, uint64_t count) {
  uint64_t index = hash & (slot_count - 1);
  while (slots[index].hash != 0) {
    struct slot *slot = &slots[index];
    if (slot->hash == hash && slot->key_count == count && !memcmp(data + slot->key, key, count)) break;
    index = (index + 1) & (slot_count - 1);
  }
  return &slots[index];
}

static void grow(void) {
  struct slot *old = slots;
  uint64_t count = slot_count;
  slot_count *= 2;
  slots = calloc(slot_count, sizeof *slots);
  for (uint64_t index = 0; index < count; index++) {
    if (old[index].hash != 0) *find(old[index].hash, data + old[index].key, old[index].key_count) = old[index];
  }
  free(old);
}

int main(int count, char **arguments) {
  if (count != 2) return 2;
  int file = open(arguments[1], O_RDONLY);
  struct stat status;
  if (file < 0 || fstat(file, &status) != 0) return 1;
  uint8_t *bytes = malloc(status.st_size);
  if (read(file, bytes, status.st_size) != status.st_size) return 1;
  data = bytes;
  slots = calloc(slot_count, sizeof *slots);
  uint32_t size;
  memcpy(&size, data, 4);
  const uint8_t *at = data + 4, *end = at + size;
  varint(&at);
  while (at < end) {
    uint64_t length = varint(&at);
    const uint8_t *key = at;
    at += length;
    uint64_t value_count = varint(&at);
    uint64_t hash = length;
    for (uint64_t index = 0; index < length; index++) hash = (hash ^ key[index]) * 0x100000001b3;
    struct slot *slot = find(hash | 1, key, length);
    if (slot->hash == 0) key_count++;
    *slot = (struct slot){hash | 1, key - data, length, at - data, value_count};
    at += value_count;
    if (key_count * 2 > slot_count) grow();
  }
  printf("%llu\n", (unsigned long long)key_count);
  return 0;
}
