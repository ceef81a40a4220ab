// AES-128 in counter mode with HMAC-SHA1, by OpenSSL 3's libcrypto. Uses deprecated low-level digests, because EVP digests allocate
// memory per message (as of OpenSSL 3.0).
#define OPENSSL_SUPPRESS_DEPRECATED

#include "Modes.h"

#include <CLazyLibrary.h>
#include <limits.h>
#include <openssl/evp.h>
#include <openssl/opensslv.h>
#include <openssl/sha.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS(EACH) \
    EACH(CRYPTO_memcmp) \
    EACH(EVP_CIPHER_CTX_free) \
    EACH(EVP_CIPHER_CTX_new) \
    EACH(EVP_CipherInit_ex) \
    EACH(EVP_CipherUpdate) \
    EACH(EVP_aes_128_ctr) \
    EACH(SHA1_Final) \
    EACH(SHA1_Init) \
    EACH(SHA1_Update)

static struct { FUNCTIONS(POINTER_TO) } functions;

static bool find_functions(void *handle) { return true FUNCTIONS(FIND); }

static struct lazy_library library = {
    .file = "libcrypto.so." OPENSSL_MSTR(OPENSSL_SHLIB_VERSION),
    .find_functions = find_functions,
};

const char *counter_mode_load(void) { return load_lazily(&library); }

// MARK: - Keys

enum { hash_block = 64, authentication_key_bytes = 20 };

struct counter_mode {
    EVP_CIPHER_CTX *cipher;
    // HMAC-SHA1 (RFC 2104) initialised with its key; each packet starts with a copy.
    SHA_CTX inner;
    SHA_CTX outer;
};

bool apus_aes_key_stream(const uint8_t *key, const uint8_t *counter, uint8_t *stream, size_t count) {
    EVP_CIPHER_CTX *cipher = functions.EVP_CIPHER_CTX_new();
    int written = 0;
    memset(stream, 0, count);
    bool is_made = cipher != NULL && count <= INT_MAX
        && functions.EVP_CipherInit_ex(cipher, functions.EVP_aes_128_ctr(), NULL, key, counter, 1) == 1
        && functions.EVP_CipherUpdate(cipher, stream, &written, stream, (int)count) == 1;
    functions.EVP_CIPHER_CTX_free(cipher);
    return is_made;
}

// The state of a hash after the key, which is padded to a block and XORed with `pad`.
static bool begin_hash(SHA_CTX *hash, const uint8_t *key, uint8_t pad) {
    uint8_t block[hash_block];
    memset(block, pad, sizeof block);
    for (size_t index = 0; index < authentication_key_bytes; index++) block[index] ^= key[index];
    return functions.SHA1_Init(hash) == 1 && functions.SHA1_Update(hash, block, sizeof block) == 1;
}

counter_mode *counter_mode_make(apus_srtp_direction direction, const uint8_t *key, const uint8_t *authentication_key) {
    counter_mode *made = calloc(1, sizeof *made);
    if (made == NULL) return NULL;
    made->cipher = functions.EVP_CIPHER_CTX_new();
    if (made->cipher != NULL
        && functions.EVP_CipherInit_ex(
               made->cipher, functions.EVP_aes_128_ctr(), NULL, key, NULL, direction == apus_srtp_seals) == 1
        && begin_hash(&made->inner, authentication_key, 0x36) && begin_hash(&made->outer, authentication_key, 0x5C)) {
        return made;
    }
    counter_mode_free(made);
    return NULL;
}

void counter_mode_free(counter_mode *mode) {
    if (mode == NULL) return;
    functions.EVP_CIPHER_CTX_free(mode->cipher);
    free(mode);
}

// MARK: - Packets

static bool apply(counter_mode *mode, const uint8_t *vector, const uint8_t *bytes, size_t count, uint8_t *result) {
    int written = 0;
    return count <= INT_MAX && functions.EVP_CipherInit_ex(mode->cipher, NULL, NULL, NULL, vector, -1) == 1
        && (count == 0 || functions.EVP_CipherUpdate(mode->cipher, result, &written, bytes, (int)count) == 1);
}

// HMAC-SHA1 of the whole packet.
static bool authenticate(
    const counter_mode *mode, const struct apus_srtp_packet *packet, const uint8_t *sealed, size_t count,
    uint8_t digest[SHA_DIGEST_LENGTH]) {
    SHA_CTX hash = mode->inner;
    bool is_made = functions.SHA1_Update(&hash, packet->header, packet->header_count) == 1
        && functions.SHA1_Update(&hash, sealed, count) == 1
        && functions.SHA1_Update(&hash, packet->trailer, packet->trailer_count) == 1
        && functions.SHA1_Final(digest, &hash) == 1;
    hash = mode->outer;
    return is_made && functions.SHA1_Update(&hash, digest, SHA_DIGEST_LENGTH) == 1
        && functions.SHA1_Final(digest, &hash) == 1;
}

bool counter_mode_seal(
    counter_mode *mode, const uint8_t *vector, const struct apus_srtp_packet *packet, const uint8_t *plain, size_t count,
    uint8_t *sealed, uint8_t *tag) {
    uint8_t digest[SHA_DIGEST_LENGTH];
    if (!apply(mode, vector, plain, count, sealed) || !authenticate(mode, packet, sealed, count, digest)) return false;
    memcpy(tag, digest, counter_mode_tag);
    return true;
}

bool counter_mode_open(
    counter_mode *mode, const uint8_t *vector, const struct apus_srtp_packet *packet, const uint8_t *sealed, size_t count,
    const uint8_t *tag, uint8_t *plain) {
    uint8_t digest[SHA_DIGEST_LENGTH];
    return authenticate(mode, packet, sealed, count, digest)
        && functions.CRYPTO_memcmp(digest, tag, counter_mode_tag) == 0 && apply(mode, vector, sealed, count, plain);
}
