// AES-128-GCM by GnuTLS.
#include "Modes.h"

#include <CLazyLibrary.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <string.h>

#define FUNCTIONS(EACH) \
    EACH(gnutls_aead_cipher_decrypt) \
    EACH(gnutls_aead_cipher_deinit) \
    EACH(gnutls_aead_cipher_encrypt) \
    EACH(gnutls_aead_cipher_init)

static struct { FUNCTIONS(POINTER_TO) } functions;

static bool find_functions(void *handle) { return true FUNCTIONS(FIND); }

// The version that libavformat and libsrt load, too.
static struct lazy_library library = {.file = "libgnutls.so.30", .find_functions = find_functions};

const char *gcm_mode_load(void) { return load_lazily(&library); }

enum { key_bytes = 16, vector_bytes = 12 };

// A cipher of GnuTLS seals and opens.
gcm_mode *gcm_mode_make(const uint8_t *key) {
    gnutls_aead_cipher_hd_t cipher;
    gnutls_datum_t datum = {.data = (uint8_t *)key, .size = key_bytes};
    int status = functions.gnutls_aead_cipher_init(&cipher, GNUTLS_CIPHER_AES_128_GCM, &datum);
    return status == GNUTLS_E_SUCCESS ? (gcm_mode *)cipher : NULL;
}

void gcm_mode_free(gcm_mode *mode) {
    if (mode != NULL) functions.gnutls_aead_cipher_deinit((gnutls_aead_cipher_hd_t)mode);
}

// Header and trailer of a report together: 8 and 4 bytes (RFC 7714, section 9.1). An RTP packet has no trailer (section 8.1).
enum { joined_bytes = 16 };

struct authenticated_data {
    const uint8_t *bytes;
    size_t count;
};

// GnuTLS takes the authenticated data in one piece. Returns false if they do not fit into `joined`.
static bool authenticated_data(
    const struct apus_srtp_packet *packet, uint8_t joined[joined_bytes], struct authenticated_data *data) {
    *data = (struct authenticated_data){packet->header, packet->header_count};
    if (packet->trailer_count == 0) return true;
    if (packet->header_count + packet->trailer_count > joined_bytes) return false;
    memcpy(joined, packet->header, packet->header_count);
    memcpy(joined + packet->header_count, packet->trailer, packet->trailer_count);
    *data = (struct authenticated_data){joined, packet->header_count + packet->trailer_count};
    return true;
}

bool gcm_mode_seal(
    gcm_mode *mode, const uint8_t *vector, const struct apus_srtp_packet *packet, const uint8_t *plain, size_t count,
    uint8_t *sealed, uint8_t *tag) {
    uint8_t joined[joined_bytes];
    struct authenticated_data data;
    size_t sealed_count = count + gcm_tag;
    return tag == sealed + count && authenticated_data(packet, joined, &data)
        && functions.gnutls_aead_cipher_encrypt(
               (gnutls_aead_cipher_hd_t)mode, vector, vector_bytes, data.bytes, data.count, gcm_tag, plain, count, sealed,
               &sealed_count) == GNUTLS_E_SUCCESS;
}

bool gcm_mode_open(
    gcm_mode *mode, const uint8_t *vector, const struct apus_srtp_packet *packet, const uint8_t *sealed, size_t count,
    const uint8_t *tag, uint8_t *plain) {
    uint8_t joined[joined_bytes];
    struct authenticated_data data;
    size_t plain_count = count;
    return tag == sealed + count && authenticated_data(packet, joined, &data)
        && functions.gnutls_aead_cipher_decrypt(
               (gnutls_aead_cipher_hd_t)mode, vector, vector_bytes, data.bytes, data.count, gcm_tag, sealed,
               count + gcm_tag, plain, &plain_count) == GNUTLS_E_SUCCESS;
}
