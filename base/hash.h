/* SHA-256 over libcrypto. */
#ifndef MIRDC_BASE_HASH_H
#define MIRDC_BASE_HASH_H

#include "base/str.h"

struct digest {
  uint8_t b[32];
};

struct hasher; /* streaming */
struct hasher *hash_new(void);
void hash_bytes(struct hasher *h, const void *p, size_t n);
/* A length-prefixed field, so that concatenations cannot collide. */
void hash_field(struct hasher *h, str tag, str value);
void hash_field_u64(struct hasher *h, str tag, uint64_t value);
struct digest hash_finish(struct hasher *h); /* also frees */
void hash_drop(struct hasher *h);

struct digest hash_of(const void *p, size_t n);
bool digest_eq(const struct digest *a, const struct digest *b);
/* 64 lower-case hex digits and a zero byte. */
void digest_hex(const struct digest *d, char out[65]);
bool digest_from_hex(str hex, struct digest *out) MUST_CHECK;

#endif
