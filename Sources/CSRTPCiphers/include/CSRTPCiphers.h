// The ciphers of SRTP: counter mode with HMAC-SHA1 (RFC 3711) by OpenSSL's libcrypto, GCM (RFC 7714) by GnuTLS, which needs a third less
// time per packet (decisions/022).
//
// Both libraries are loaded on first use. Encryption and decryption allocate no memory.
#ifndef CSRTPCIPHERS_H
#define CSRTPCIPHERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    // AES-128 in counter mode, authenticated by HMAC-SHA1: a salt of 14 bytes, a tag of 10.
    apus_srtp_counter_mode,
    // AES-128-GCM: a salt of 12 bytes, a tag of 16, no key to authenticate by.
    apus_srtp_gcm,
} apus_srtp_mode;

// Loads the libraries for keys and ciphers of a mode. Returns NULL on success, else the reason, valid until the thread's next call.
// Call it before the other functions. Callable from any thread; after a failure the next call tries again.
const char *apus_load_srtp(apus_srtp_mode mode);

// The first bytes of the AES-128 key stream in counter mode, from a 16-byte counter on: SRTP's key derivation
// (RFC 3711, section 4.3.3). Returns false if there is no memory.
bool apus_aes_key_stream(const uint8_t *key, const uint8_t *counter, uint8_t *stream, size_t count);

// The cipher of one session key in one direction. Confined to one thread.
typedef struct apus_srtp_cipher apus_srtp_cipher;

typedef enum { apus_srtp_seals, apus_srtp_opens } apus_srtp_direction;

// `key` has 16 bytes, `authentication_key` 20. Returns NULL if there is no memory.
apus_srtp_cipher *apus_srtp_cipher_make(
    apus_srtp_mode mode, apus_srtp_direction direction, const uint8_t *key, const uint8_t *authentication_key,
    const uint8_t *salt);
void apus_srtp_cipher_free(apus_srtp_cipher *cipher);

struct apus_srtp_packet {
    uint32_t ssrc;
    // 48 bits for RTP, 31 bits for RTCP.
    uint64_t index;
    // Data that is authenticated but not encrypted: before the payload, and possibly after it.
    const uint8_t *header;
    size_t header_count;
    const uint8_t *trailer;
    size_t trailer_count;
};

// Encrypts `count` bytes and makes their tag. `sealed` is `plain` or does not overlap it. On failure it returns false and sets both
// to zeros, so that they are not sent. With GCM, `tag` is the end of the `count` bytes, here and in `apus_srtp_open`.
bool apus_srtp_seal(
    apus_srtp_cipher *cipher, const struct apus_srtp_packet *packet, const uint8_t *plain, size_t count, uint8_t *sealed,
    uint8_t *tag);

// Decrypts `count` bytes. `plain` is `sealed` or does not overlap it. If the tag does not match, it returns false and sets `plain` to
// zeros.
bool apus_srtp_open(
    apus_srtp_cipher *cipher, const struct apus_srtp_packet *packet, const uint8_t *sealed, size_t count,
    const uint8_t *tag, uint8_t *plain);

#endif
