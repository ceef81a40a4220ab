// Uses deprecated low-level digests, because EVP digests allocate memory per message (as of OpenSSL 3.0).
#define OPENSSL_SUPPRESS_DEPRECATED

#include "SRTP.h"

#include <CLazyLibrary.h>
#include <limits.h>
#include <openssl/evp.h>
#include <openssl/opensslv.h>
#include <openssl/sha.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS(EACH) \
    EACH(CRYPTO_memcmp) \
    EACH(EVP_CIPHER_CTX_ctrl) \
    EACH(EVP_CIPHER_CTX_free) \
    EACH(EVP_CIPHER_CTX_new) \
    EACH(EVP_CipherFinal_ex) \
    EACH(EVP_CipherInit_ex) \
    EACH(EVP_CipherUpdate) \
    EACH(EVP_aes_128_ctr) \
    EACH(EVP_aes_128_gcm) \
    EACH(SHA1_Final) \
    EACH(SHA1_Init) \
    EACH(SHA1_Update)

static struct { FUNCTIONS(POINTER_TO) } functions;

static bool find_functions(void *handle) { return true FUNCTIONS(FIND); }

static struct lazy_library library = {
    .file = "libcrypto.so." OPENSSL_MSTR(OPENSSL_SHLIB_VERSION),
    .find_functions = find_functions,
};

const char *apus_load_srtp(void) { return load_lazily(&library); }

// MARK: - Keys

enum { hash_block = 64, key_bytes = 16, authentication_key_bytes = 20, longest_salt = 14 };

struct apus_srtp_cipher {
    EVP_CIPHER_CTX *cipher;
    apus_srtp_mode mode;
    uint8_t salt[longest_salt];
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

apus_srtp_cipher *apus_srtp_cipher_make(
    apus_srtp_mode mode, apus_srtp_direction direction, const uint8_t *key, const uint8_t *authentication_key,
    const uint8_t *salt) {
    apus_srtp_cipher *made = calloc(1, sizeof *made);
    if (made == NULL) return NULL;
    made->mode = mode;
    made->cipher = functions.EVP_CIPHER_CTX_new();
    bool is_gcm = mode == apus_srtp_gcm;
    memcpy(made->salt, salt, is_gcm ? 12 : 14);
    const EVP_CIPHER *kind = is_gcm ? functions.EVP_aes_128_gcm() : functions.EVP_aes_128_ctr();
    bool is_made = made->cipher != NULL
        && functions.EVP_CipherInit_ex(made->cipher, kind, NULL, key, NULL, direction == apus_srtp_seals) == 1;
    if (is_made && !is_gcm) {
        is_made = begin_hash(&made->inner, authentication_key, 0x36) && begin_hash(&made->outer, authentication_key, 0x5C);
    }
    if (is_made) return made;
    apus_srtp_cipher_free(made);
    return NULL;
}

void apus_srtp_cipher_free(apus_srtp_cipher *cipher) {
    if (cipher == NULL) return;
    functions.EVP_CIPHER_CTX_free(cipher->cipher);
    free(cipher);
}

// MARK: - Packets

// Initialises the cipher for a packet. The initialisation vector is the salt XORed with SSRC and index, whose positions depend
// on the mode (RFC 3711, section 4.1.1; RFC 7714, sections 8.1 and 9.1).
static bool begin(apus_srtp_cipher *cipher, const struct apus_srtp_packet *packet) {
    uint8_t vector[16] = {0};
    size_t place = cipher->mode == apus_srtp_gcm ? 2 : 4;
    memcpy(vector, cipher->salt, longest_salt);
    for (size_t byte = 0; byte < 4; byte++) vector[place + byte] ^= (uint8_t)(packet->ssrc >> (24 - 8 * byte));
    for (size_t byte = 0; byte < 6; byte++) vector[place + 4 + byte] ^= (uint8_t)(packet->index >> (40 - 8 * byte));
    return functions.EVP_CipherInit_ex(cipher->cipher, NULL, NULL, NULL, vector, -1) == 1;
}

static bool apply(apus_srtp_cipher *cipher, const uint8_t *bytes, size_t count, uint8_t *result) {
    int written = 0;
    if (count == 0) return true;
    return count <= INT_MAX
        && functions.EVP_CipherUpdate(cipher->cipher, result, &written, bytes, (int)count) == 1;
}

// HMAC-SHA1 of the whole packet.
static bool authenticate(
    const apus_srtp_cipher *cipher, const struct apus_srtp_packet *packet, const uint8_t *sealed, size_t count,
    uint8_t digest[SHA_DIGEST_LENGTH]) {
    SHA_CTX hash = cipher->inner;
    bool is_made = functions.SHA1_Update(&hash, packet->header, packet->header_count) == 1
        && functions.SHA1_Update(&hash, sealed, count) == 1
        && functions.SHA1_Update(&hash, packet->trailer, packet->trailer_count) == 1
        && functions.SHA1_Final(digest, &hash) == 1;
    hash = cipher->outer;
    return is_made && functions.SHA1_Update(&hash, digest, SHA_DIGEST_LENGTH) == 1
        && functions.SHA1_Final(digest, &hash) == 1;
}

enum { hash_tag = 10, gcm_tag = 16 };

static bool finish_gcm(apus_srtp_cipher *cipher) {
    uint8_t none[16];
    int written = 0;
    return functions.EVP_CipherFinal_ex(cipher->cipher, none, &written) == 1;
}

static bool seal(
    apus_srtp_cipher *cipher, const struct apus_srtp_packet *packet, const uint8_t *plain, size_t count, uint8_t *sealed,
    uint8_t *tag) {
    if (!begin(cipher, packet)) return false;
    if (cipher->mode == apus_srtp_gcm) {
        return apply(cipher, packet->header, packet->header_count, NULL)
            && apply(cipher, packet->trailer, packet->trailer_count, NULL) && apply(cipher, plain, count, sealed)
            && finish_gcm(cipher)
            && functions.EVP_CIPHER_CTX_ctrl(cipher->cipher, EVP_CTRL_AEAD_GET_TAG, gcm_tag, tag) == 1;
    }
    uint8_t digest[SHA_DIGEST_LENGTH];
    if (!apply(cipher, plain, count, sealed) || !authenticate(cipher, packet, sealed, count, digest)) return false;
    memcpy(tag, digest, hash_tag);
    return true;
}

bool apus_srtp_seal(
    apus_srtp_cipher *cipher, const struct apus_srtp_packet *packet, const uint8_t *plain, size_t count, uint8_t *sealed,
    uint8_t *tag) {
    if (seal(cipher, packet, plain, count, sealed, tag)) return true;
    memset(sealed, 0, count);
    memset(tag, 0, cipher->mode == apus_srtp_gcm ? gcm_tag : hash_tag);
    return false;
}

static bool open_sealed(
    apus_srtp_cipher *cipher, const struct apus_srtp_packet *packet, const uint8_t *sealed, size_t count,
    const uint8_t *tag, uint8_t *plain) {
    if (!begin(cipher, packet)) return false;
    if (cipher->mode == apus_srtp_gcm) {
        return apply(cipher, packet->header, packet->header_count, NULL)
            && apply(cipher, packet->trailer, packet->trailer_count, NULL) && apply(cipher, sealed, count, plain)
            && functions.EVP_CIPHER_CTX_ctrl(cipher->cipher, EVP_CTRL_AEAD_SET_TAG, gcm_tag, (void *)tag) == 1
            && finish_gcm(cipher);
    }
    uint8_t digest[SHA_DIGEST_LENGTH];
    return authenticate(cipher, packet, sealed, count, digest) && functions.CRYPTO_memcmp(digest, tag, hash_tag) == 0
        && apply(cipher, sealed, count, plain);
}

bool apus_srtp_open(
    apus_srtp_cipher *cipher, const struct apus_srtp_packet *packet, const uint8_t *sealed, size_t count,
    const uint8_t *tag, uint8_t *plain) {
    if (open_sealed(cipher, packet, sealed, count, tag, plain)) return true;
    memset(plain, 0, count);
    return false;
}
