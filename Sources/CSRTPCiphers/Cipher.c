#include "Modes.h"

#include <stdlib.h>
#include <string.h>

enum { longest_salt = 14 };

// One of the two ciphers is not NULL.
struct apus_srtp_cipher {
    counter_mode *counter_mode;
    gcm_mode *gcm;
    uint8_t salt[longest_salt];
};

// Keys of both modes are derived by counter mode.
const char *apus_load_srtp(apus_srtp_mode mode) {
    const char *failure = counter_mode_load();
    return failure != NULL || mode != apus_srtp_gcm ? failure : gcm_mode_load();
}

apus_srtp_cipher *apus_srtp_cipher_make(
    apus_srtp_mode mode, apus_srtp_direction direction, const uint8_t *key, const uint8_t *authentication_key,
    const uint8_t *salt) {
    apus_srtp_cipher *made = calloc(1, sizeof *made);
    if (made == NULL) return NULL;
    bool is_gcm = mode == apus_srtp_gcm;
    memcpy(made->salt, salt, is_gcm ? 12 : longest_salt);
    if (is_gcm) {
        made->gcm = gcm_mode_make(key);
    } else {
        made->counter_mode = counter_mode_make(direction, key, authentication_key);
    }
    if (made->gcm != NULL || made->counter_mode != NULL) return made;
    free(made);
    return NULL;
}

void apus_srtp_cipher_free(apus_srtp_cipher *cipher) {
    if (cipher == NULL) return;
    counter_mode_free(cipher->counter_mode);
    gcm_mode_free(cipher->gcm);
    free(cipher);
}

// The initialisation vector is the salt XORed with SSRC and index, whose positions depend on the mode (RFC 3711, section 4.1.1;
// RFC 7714, sections 8.1 and 9.1).
static void make_vector(const apus_srtp_cipher *cipher, const struct apus_srtp_packet *packet, uint8_t vector[16]) {
    size_t place = cipher->gcm != NULL ? 2 : 4;
    memset(vector, 0, 16);
    memcpy(vector, cipher->salt, longest_salt);
    for (size_t byte = 0; byte < 4; byte++) vector[place + byte] ^= (uint8_t)(packet->ssrc >> (24 - 8 * byte));
    for (size_t byte = 0; byte < 6; byte++) vector[place + 4 + byte] ^= (uint8_t)(packet->index >> (40 - 8 * byte));
}

bool apus_srtp_seal(
    apus_srtp_cipher *cipher, const struct apus_srtp_packet *packet, const uint8_t *plain, size_t count, uint8_t *sealed,
    uint8_t *tag) {
    uint8_t vector[16];
    make_vector(cipher, packet, vector);
    bool is_sealed = cipher->gcm != NULL
        ? gcm_mode_seal(cipher->gcm, vector, packet, plain, count, sealed, tag)
        : counter_mode_seal(cipher->counter_mode, vector, packet, plain, count, sealed, tag);
    if (is_sealed) return true;
    memset(sealed, 0, count);
    memset(tag, 0, cipher->gcm != NULL ? gcm_tag : counter_mode_tag);
    return false;
}

bool apus_srtp_open(
    apus_srtp_cipher *cipher, const struct apus_srtp_packet *packet, const uint8_t *sealed, size_t count,
    const uint8_t *tag, uint8_t *plain) {
    uint8_t vector[16];
    make_vector(cipher, packet, vector);
    bool is_open = cipher->gcm != NULL
        ? gcm_mode_open(cipher->gcm, vector, packet, sealed, count, tag, plain)
        : counter_mode_open(cipher->counter_mode, vector, packet, sealed, count, tag, plain);
    if (is_open) return true;
    memset(plain, 0, count);
    return false;
}
