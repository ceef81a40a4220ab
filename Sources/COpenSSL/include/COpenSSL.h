// What passwords are proved with, by OpenSSL 3's libcrypto: a room that no OpenSSL header leaves.
//
// libcrypto is loaded when it is first needed: 6 MB of resident memory that who has no users does not pay.
#ifndef COPENSSL_H
#define COPENSSL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "SRTP.h"
#include "TLS.h"

// NULL once the library is there and has shown that it knows MD5 and SHA-256, which a host in FIPS mode does not; else why
// not, which lives until the thread's next call. To be called before anything else is. From any thread; what failed is
// tried again.
const char *apus_load_libcrypto(void);

// Hashes and keys: false where there is no memory, and then `digest` and `key` are as they were.

// 16 bytes (RFC 1321).
bool apus_md5(const uint8_t *bytes, size_t count, uint8_t *digest);

// 32 bytes (FIPS 180-4).
bool apus_sha256(const uint8_t *bytes, size_t count, uint8_t *digest);

// The first 32 bytes of PBKDF2 with HMAC-SHA-256 (RFC 8018, section 5.2).
bool apus_pbkdf2(
    const uint8_t *password, size_t password_count, const uint8_t *salt, size_t salt_count, int iterations,
    uint8_t *key);

// Whether so many bytes are the same, told in a time that depends on their number alone.
bool apus_is_same(const uint8_t *left, const uint8_t *right, size_t count);

#endif
