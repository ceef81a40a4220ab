#include <limits.h>
#include <string.h>

#include "TLSContext.h"

static const long day = 24 * 60 * 60;

static bool add_extension(X509 *certificate, int kind, const char *value) {
    X509V3_CTX context = {0};
    libssl.X509V3_set_ctx(&context, certificate, certificate, NULL, NULL, 0);
    X509_EXTENSION *extension = libssl.X509V3_EXT_conf_nid(NULL, &context, kind, value);
    bool is_added = extension != NULL && libssl.X509_add_ext(certificate, extension, -1) == 1;
    libssl.X509_EXTENSION_free(extension);
    return is_added;
}

static bool number_randomly(X509 *certificate) {
    uint64_t number = 0;
    return libssl.RAND_bytes((unsigned char *)&number, sizeof number) == 1
        && libssl.ASN1_INTEGER_set_uint64(libssl.X509_get_serialNumber(certificate), number >> 1) == 1;
}

static bool name(X509 *certificate, const char *common_name) {
    X509_NAME *subject = libssl.X509_get_subject_name(certificate);
    return libssl.X509_NAME_add_entry_by_txt(
               subject, "CN", MBSTRING_UTF8, (const unsigned char *)common_name, -1, -1, 0)
        == 1
        && libssl.X509_set_issuer_name(certificate, subject) == 1;
}

// Valid from yesterday, so that hosts whose clock is slightly slow can connect.
static bool fill(X509 *certificate, EVP_PKEY *key, const char *common_name, const char *names, long days) {
    return libssl.X509_set_version(certificate, X509_VERSION_3) == 1 && number_randomly(certificate)
        && libssl.X509_gmtime_adj(libssl.X509_getm_notBefore(certificate), -day) != NULL
        && libssl.X509_gmtime_adj(libssl.X509_getm_notAfter(certificate), days * day) != NULL
        && libssl.X509_set_pubkey(certificate, key) == 1 && name(certificate, common_name)
        && add_extension(certificate, NID_basic_constraints, "critical,CA:FALSE")
        && add_extension(certificate, NID_key_usage, "critical,digitalSignature")
        && add_extension(certificate, NID_ext_key_usage, "serverAuth")
        && add_extension(certificate, NID_subject_alt_name, names)
        && libssl.X509_sign(certificate, key, libssl.EVP_sha256()) > 0;
}

// A copy of the content of `memory`, with a terminating zero.
static bool take(BIO *memory, char *text, size_t capacity) {
    if (capacity > INT_MAX) return false;
    int count = libssl.BIO_read(memory, text, (int)capacity);
    if (count <= 0 || (size_t)count >= capacity) return false;
    text[count] = 0;
    return true;
}

static bool write_out(X509 *certificate, EVP_PKEY *key, char *certificate_text, char *key_text, size_t capacity) {
    BIO *first = libssl.BIO_new(libssl.BIO_s_mem());
    BIO *second = libssl.BIO_new(libssl.BIO_s_mem());
    bool is_written = first != NULL && second != NULL && libssl.PEM_write_bio_X509(first, certificate) == 1
        && libssl.PEM_write_bio_PrivateKey(second, key, NULL, NULL, 0, NULL, NULL) == 1
        && take(first, certificate_text, capacity) && take(second, key_text, capacity);
    libssl.BIO_free(first);
    libssl.BIO_free(second);
    return is_written;
}

bool apus_make_certificate(
    const char *common_name, const char *names, long days, char *certificate, char *key, size_t capacity) {
    libssl.ERR_clear_error();
    EVP_PKEY *pair = libssl.EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256");
    X509 *draft = libssl.X509_new();
    bool is_made = pair != NULL && draft != NULL && fill(draft, pair, common_name, names, days)
        && write_out(draft, pair, certificate, key, capacity);
    libssl.X509_free(draft);
    libssl.EVP_PKEY_free(pair);
    libssl.ERR_clear_error();
    return is_made;
}
