#include "TLSContext.h"

#include <limits.h>
#include <stdlib.h>
#include <time.h>

// A server has no terminal for a passphrase; without this function, OpenSSL would ask for one.
static int no_passphrase(char *passphrase, int capacity, int is_writing, void *is_asked) {
    if (is_asked != NULL) *(bool *)is_asked = true;
    return -1;
}

static BIO *memory_of(const uint8_t *bytes, size_t count) {
    return count <= INT_MAX ? libssl.BIO_new_mem_buf(bytes, (int)count) : NULL;
}

static bool is_too_weak(void) {
    unsigned long error = libssl.ERR_peek_error();
    if (ERR_GET_LIB(error) != ERR_LIB_SSL) return false;
    int reason = ERR_GET_REASON(error);
    return reason == SSL_R_EE_KEY_TOO_SMALL || reason == SSL_R_CA_KEY_TOO_SMALL || reason == SSL_R_CA_MD_TOO_WEAK;
}

// The server's own certificate, then the chain.
static apus_identity_problem use_certificates(SSL_CTX *ssl, BIO *pem) {
    X509 *own = libssl.PEM_read_bio_X509(pem, NULL, no_passphrase, NULL);
    if (own == NULL) return apus_identity_has_no_certificate;
    bool is_used = libssl.SSL_CTX_use_certificate(ssl, own) == 1;
    libssl.X509_free(own);
    if (!is_used) return is_too_weak() ? apus_identity_has_weak_key : apus_identity_is_impossible;
    X509 *other;
    while ((other = libssl.PEM_read_bio_X509(pem, NULL, no_passphrase, NULL)) != NULL) {
        // The context owns the chain from now on (SSL_CTX_add0_chain_cert).
        if (libssl.SSL_CTX_ctrl(ssl, SSL_CTRL_CHAIN_CERT, 0, other) == 1) continue;
        libssl.X509_free(other);
        return is_too_weak() ? apus_identity_has_weak_key : apus_identity_is_impossible;
    }
    return apus_identity_is_right;
}

static apus_identity_problem use_key(SSL_CTX *ssl, BIO *pem) {
    bool is_locked = false;
    EVP_PKEY *key = libssl.PEM_read_bio_PrivateKey(pem, NULL, no_passphrase, &is_locked);
    if (key == NULL) return is_locked ? apus_identity_has_locked_key : apus_identity_has_no_key;
    bool is_own = libssl.X509_check_private_key(libssl.SSL_CTX_get0_certificate(ssl), key) == 1;
    bool is_used = is_own && libssl.SSL_CTX_use_PrivateKey(ssl, key) == 1;
    libssl.EVP_PKEY_free(key);
    if (!is_own) return apus_identity_has_other_key;
    return is_used ? apus_identity_is_right : apus_identity_is_impossible;
}

apus_identity_problem identify(
    SSL_CTX *ssl, const uint8_t *certificates, size_t certificates_count, const uint8_t *key, size_t key_count) {
    BIO *certificate_pem = memory_of(certificates, certificates_count);
    BIO *key_pem = memory_of(key, key_count);
    apus_identity_problem problem = apus_identity_is_impossible;
    if (certificate_pem != NULL && key_pem != NULL) {
        problem = use_certificates(ssl, certificate_pem);
        if (problem == apus_identity_is_right) problem = use_key(ssl, key_pem);
    }
    libssl.BIO_free(certificate_pem);
    libssl.BIO_free(key_pem);
    return problem;
}

// Settings of both ends: TLS 1.2 and newer, only with forward secrecy and authenticated encryption (RFC 9325, section 4.2). No
// sessions and tickets, so that no key outlives its connection. No renegotiation and compression, which a peer could
// abuse.
static bool restrict_context(SSL_CTX *ssl, int oldest, int newest) {
    libssl.SSL_CTX_set_options(
        ssl, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET | SSL_OP_CIPHER_SERVER_PREFERENCE);
    libssl.SSL_CTX_ctrl(ssl, SSL_CTRL_SET_SESS_CACHE_MODE, SSL_SESS_CACHE_OFF, NULL);
    // Frees the buffers of idle connections: 17 KB each way.
    libssl.SSL_CTX_ctrl(ssl, SSL_CTRL_MODE, SSL_MODE_RELEASE_BUFFERS, NULL);
    return libssl.SSL_CTX_set_num_tickets(ssl, 0) == 1
        && libssl.SSL_CTX_ctrl(ssl, SSL_CTRL_SET_MIN_PROTO_VERSION, oldest, NULL) == 1
        && libssl.SSL_CTX_ctrl(ssl, SSL_CTRL_SET_MAX_PROTO_VERSION, newest, NULL) == 1
        && libssl.SSL_CTX_set_cipher_list(ssl, "ECDHE+AESGCM:ECDHE+CHACHA20") == 1
        && libssl.SSL_CTX_set_ciphersuites(
               ssl, "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256")
        == 1;
}

static apus_tls_context *context_of(SSL_CTX *ssl, bool is_server) {
    apus_tls_context *context = malloc(sizeof *context);
    if (context != NULL) *context = (apus_tls_context){.ssl = ssl, .is_server = is_server};
    return context;
}

apus_tls_context *apus_tls_server(
    const uint8_t *certificates, size_t certificates_count, const uint8_t *key, size_t key_count,
    apus_identity_problem *problem) {
    libssl.ERR_clear_error();
    *problem = apus_identity_is_impossible;
    SSL_CTX *ssl = libssl.SSL_CTX_new(libssl.TLS_server_method());
    if (ssl == NULL) return NULL;
    apus_tls_context *context = NULL;
    libssl.SSL_CTX_set_alpn_select_cb(ssl, choose_protocol, NULL);
    if (restrict_context(ssl, TLS1_2_VERSION, 0)) {
        *problem = identify(ssl, certificates, certificates_count, key, key_count);
    }
    if (*problem == apus_identity_is_right && (context = context_of(ssl, true)) == NULL) {
        *problem = apus_identity_is_impossible;
    }
    if (context == NULL) libssl.SSL_CTX_free(ssl);
    libssl.ERR_clear_error();
    return context;
}

apus_tls_context *apus_tls_client(int oldest, int newest) {
    SSL_CTX *ssl = libssl.SSL_CTX_new(libssl.TLS_client_method());
    if (ssl == NULL) return NULL;
    // OpenSSL verifies each certificate, and continues whatever the result is: the caller looks at it after the handshake.
    apus_tls_context *context = libssl.SSL_CTX_set_default_verify_paths(ssl) == 1 && restrict_context(ssl, oldest, newest)
        ? context_of(ssl, false)
        : NULL;
    if (context == NULL) libssl.SSL_CTX_free(ssl);
    return context;
}

void apus_tls_context_free(apus_tls_context *context) {
    if (context == NULL) return;
    libssl.SSL_CTX_free(context->ssl);
    free(context);
}

static int64_t seconds_of(const ASN1_TIME *time) {
    struct tm parts;
    return libssl.ASN1_TIME_to_tm(time, &parts) == 1 ? (int64_t)timegm(&parts) : 0;
}

void apus_tls_validity(const apus_tls_context *context, int64_t *first, int64_t *last) {
    const X509 *own = libssl.SSL_CTX_get0_certificate(context->ssl);
    *first = seconds_of(libssl.X509_get0_notBefore(own));
    *last = seconds_of(libssl.X509_get0_notAfter(own));
}
