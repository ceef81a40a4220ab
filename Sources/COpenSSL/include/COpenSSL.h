// Hash functions for passwords, with OpenSSL 3's libcrypto. OpenSSL's headers are not included outside this module.
//
// libcrypto is loaded on first use: it takes 6 MB of resident memory, which servers without users save.
#ifndef COPENSSL_H
#define COPENSSL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "DTLS.h"
#include "TLS.h"

// Loads the library and checks that it has MD5 and SHA-256 (a host in FIPS mode lacks MD5). Returns NULL on success, else the
// reason, valid until the thread's next call. Call it before the other functions. Callable from any thread; after a failure
// the next call tries again.
const char *apus_load_libcrypto(void);

// Hashes and keys. They return false if there is no memory and leave `digest` and `key` unchanged.

// 16 bytes (RFC 1321).
bool apus_md5(const uint8_t *bytes, size_t count, uint8_t *digest);

// 32 bytes (FIPS 180-4).
bool apus_sha256(const uint8_t *bytes, size_t count, uint8_t *digest);

// The first 32 bytes of PBKDF2 with HMAC-SHA-256 (RFC 8018, section 5.2).
bool apus_pbkdf2(
    const uint8_t *password, size_t password_count, const uint8_t *salt, size_t salt_count, int iterations,
    uint8_t *key);

// Compares two buffers in constant time: the time depends only on their length.
bool apus_is_same(const uint8_t *left, const uint8_t *right, size_t count);

#endif
