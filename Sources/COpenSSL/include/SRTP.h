// The ciphers of SRTP (RFC 3711, RFC 7714) by OpenSSL 3's libcrypto: what one session key seals and opens.
//
// libcrypto is loaded when it is first needed; sealing and opening allocate nothing.
#ifndef COPENSSL_SRTP_H
#define COPENSSL_SRTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// NULL once libcrypto is there; else why not, which lives until the thread's next call. To be called before anything else
// here is. From any thread; what failed is tried again.
const char *apus_load_srtp(void);

// The first bytes of the key stream of AES-128 in counter mode, from a counter of 16 bytes on: SRTP's function to derive keys
// (RFC 3711, section 4.3.3). False where there is no memory.
bool apus_aes_key_stream(const uint8_t *key, const uint8_t *counter, uint8_t *stream, size_t count);

// What one session key does in one direction. Each confined to one thread.
typedef struct apus_srtp_cipher apus_srtp_cipher;

typedef enum {
    // AES-128 in counter mode, authenticated by HMAC-SHA1: a salt of 14 bytes, a tag of 10.
    apus_srtp_counter_mode,
    // AES-128-GCM: a salt of 12 bytes, a tag of 16, no key to authenticate by.
    apus_srtp_gcm,
} apus_srtp_mode;

typedef enum { apus_srtp_seals, apus_srtp_opens } apus_srtp_direction;

// `key` is of 16 bytes, `authentication_key` of 20. NULL where there is no memory.
apus_srtp_cipher *apus_srtp_cipher_make(
    apus_srtp_mode mode, apus_srtp_direction direction, const uint8_t *key, const uint8_t *authentication_key,
    const uint8_t *salt);
void apus_srtp_cipher_free(apus_srtp_cipher *cipher);

struct apus_srtp_packet {
    uint32_t ssrc;
    // Of RTP 48 bits, of RTCP 31.
    uint64_t index;
    // What is authenticated and not encrypted: it stands before the payload, and may follow it.
    const uint8_t *header;
    size_t header_count;
    const uint8_t *trailer;
    size_t trailer_count;
};

// Encrypts so many bytes and makes their tag. False where that failed, and then both are zeros: nobody takes them for a packet.
bool apus_srtp_seal(
    apus_srtp_cipher *cipher, const struct apus_srtp_packet *packet, const uint8_t *plain, size_t count, uint8_t *sealed,
    uint8_t *tag);

// Decrypts so many bytes; false where the tag is not theirs, and then `plain` is zeros.
bool apus_srtp_open(
    apus_srtp_cipher *cipher, const struct apus_srtp_packet *packet, const uint8_t *sealed, size_t count,
    const uint8_t *tag, uint8_t *plain);

#endif
