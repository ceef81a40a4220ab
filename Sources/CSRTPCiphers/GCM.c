// AES-128-GCM by GnuTLS.
#include "Modes.h"

#include <CLazyLibrary.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <string.h>

#define FUNCTIONS(EACH) \
    EACH(gnutls_aead_cipher_decryptv2) \
    EACH(gnutls_aead_cipher_deinit) \
    EACH(gnutls_aead_cipher_encryptv2) \
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

// GnuTLS encrypts and decrypts in place.
static giovec_t moved(const uint8_t *bytes, size_t count, uint8_t *place) {
    if (place != bytes && count > 0) memcpy(place, bytes, count);
    return (giovec_t){.iov_base = place, .iov_len = count};
}

struct authenticated_data {
    giovec_t parts[2];
};

static struct authenticated_data authenticated_data(const struct apus_srtp_packet *packet) {
    return (struct authenticated_data){{
        {.iov_base = (uint8_t *)packet->header, .iov_len = packet->header_count},
        {.iov_base = (uint8_t *)packet->trailer, .iov_len = packet->trailer_count},
    }};
}

bool gcm_mode_seal(
    gcm_mode *mode, const uint8_t *vector, const struct apus_srtp_packet *packet, const uint8_t *plain, size_t count,
    uint8_t *sealed, uint8_t *tag) {
    struct authenticated_data data = authenticated_data(packet);
    giovec_t payload = moved(plain, count, sealed);
    size_t tag_count = gcm_tag;
    return functions.gnutls_aead_cipher_encryptv2(
               (gnutls_aead_cipher_hd_t)mode, vector, vector_bytes, data.parts, packet->trailer_count > 0 ? 2 : 1, &payload, 1,
               tag, &tag_count) == GNUTLS_E_SUCCESS;
}

bool gcm_mode_open(
    gcm_mode *mode, const uint8_t *vector, const struct apus_srtp_packet *packet, const uint8_t *sealed, size_t count,
    const uint8_t *tag, uint8_t *plain) {
    struct authenticated_data data = authenticated_data(packet);
    giovec_t payload = moved(sealed, count, plain);
    return functions.gnutls_aead_cipher_decryptv2(
               (gnutls_aead_cipher_hd_t)mode, vector, vector_bytes, data.parts, packet->trailer_count > 0 ? 2 : 1, &payload, 1,
               (uint8_t *)tag, gcm_tag) == GNUTLS_E_SUCCESS;
}
