#include "COpenSSL.h"

#include <CLazyLibrary.h>
#include <limits.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/opensslv.h>

#define FUNCTIONS(EACH) \
    EACH(CRYPTO_memcmp) \
    EACH(EVP_Q_digest) \
    EACH(EVP_sha256) \
    EACH(PKCS5_PBKDF2_HMAC)

static struct { FUNCTIONS(POINTER_TO) } functions;

static bool find_functions(void *handle) { return true FUNCTIONS(FIND); }

static struct lazy_library library = {
    .file = "libcrypto.so." OPENSSL_MSTR(OPENSSL_SHLIB_VERSION),
    .find_functions = find_functions,
};

static bool digest_of(const char *name, const uint8_t *bytes, size_t count, uint8_t *digest) {
    return functions.EVP_Q_digest(NULL, name, NULL, bytes, count, digest, NULL) == 1;
}

const char *apus_load_libcrypto(void) {
    const char *failure = load_lazily(&library);
    if (failure != NULL) return failure;
    uint8_t digest[32];
    if (!apus_md5(digest, 0, digest)) return "OpenSSL does not provide MD5 on this host (FIPS mode?)";
    return apus_sha256(digest, 0, digest) ? NULL : "OpenSSL does not provide SHA-256 on this host";
}

bool apus_md5(const uint8_t *bytes, size_t count, uint8_t *digest) { return digest_of("MD5", bytes, count, digest); }

bool apus_sha256(const uint8_t *bytes, size_t count, uint8_t *digest) {
    return digest_of("SHA256", bytes, count, digest);
}

bool apus_pbkdf2(
    const uint8_t *password, size_t password_count, const uint8_t *salt, size_t salt_count, int iterations,
    uint8_t *key) {
    if (password_count > INT_MAX || salt_count > INT_MAX) return false;
    return functions.PKCS5_PBKDF2_HMAC(
               (const char *)password, (int)password_count, salt, (int)salt_count, iterations, functions.EVP_sha256(),
               32, key)
        == 1;
}

bool apus_is_same(const uint8_t *left, const uint8_t *right, size_t count) {
    return functions.CRYPTO_memcmp(left, right, count) == 0;
}
