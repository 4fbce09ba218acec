/* SHA-256 over libcrypto. Its newer interface reads configuration and loads providers before the first
 * byte, which takes longer than all the digests of a small compilation, and in `libmirdc.so` it would
 * do so in a host program that may want another configuration. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "base/hash.h"

#include <openssl/sha.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"

struct hasher {
  SHA256_CTX ctx;
};

struct hasher *hash_new(void) {
  struct hasher *h = xmalloc(sizeof *h);
  SHA256_Init(&h->ctx);
  return h;
}

void hash_bytes(struct hasher *h, const void *p, size_t n) {
  SHA256_Update(&h->ctx, p, n);
}

void hash_field(struct hasher *h, str tag, str value) {
  uint64_t sizes[2] = {tag.n, value.n};
  hash_bytes(h, sizes, sizeof sizes);
  hash_bytes(h, tag.p, tag.n);
  hash_bytes(h, value.p, value.n);
}

void hash_field_u64(struct hasher *h, str tag, uint64_t value) {
  hash_field(h, tag, (str){(const char *)&value, sizeof value});
}

void hash_drop(struct hasher *h) {
  free(h);
}

struct digest hash_finish(struct hasher *h) {
  struct digest d;
  SHA256_Final(d.b, &h->ctx);
  hash_drop(h);
  return d;
}

struct digest hash_of(const void *p, size_t n) {
  struct hasher *h = hash_new();
  hash_bytes(h, p, n);
  return hash_finish(h);
}

bool digest_eq(const struct digest *a, const struct digest *b) {
  return memcmp(a->b, b->b, sizeof a->b) == 0;
}

void digest_hex(const struct digest *d, char out[65]) {
  static const char hex[] = "0123456789abcdef";
  for (size_t i = 0; i < sizeof d->b; i++) {
    out[2 * i] = hex[d->b[i] >> 4];
    out[2 * i + 1] = hex[d->b[i] & 15];
  }
  out[64] = 0;
}

static int hex_value(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool digest_from_hex(str hex, struct digest *out) {
  if (hex.n != 2 * sizeof out->b)
    return false;
  for (size_t i = 0; i < sizeof out->b; i++) {
    int hi = hex_value(hex.p[2 * i]), lo = hex_value(hex.p[2 * i + 1]);
    if (hi < 0 || lo < 0)
      return false;
    out->b[i] = (uint8_t)(hi << 4 | lo);
  }
  return true;
}
