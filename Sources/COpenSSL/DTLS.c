#include <limits.h>
#include <openssl/srtp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "TLSContext.h"

struct apus_dtls_context {
    SSL_CTX *ssl;
};

// Datagrams that wait to be sent, each preceded by its length of two bytes: `bytes[start ..< end]`.
struct datagrams {
    uint8_t *bytes;
    size_t start;
    size_t end;
    size_t capacity;
};

struct apus_dtls_connection {
    SSL *ssl;
    // The peer's datagram; NULL once it has been read.
    const uint8_t *lent;
    size_t lent_count;
    struct datagrams output;
    char failure[192];
};

// More than any flight: a peer that does not let us send costs no more memory.
static const size_t longest_output = 65536;
// The first retransmission, and the longest time between two, in microseconds. RFC 6347, section 4.2.4.1 recommends 1 s for the first;
// a connectivity check has just shown that the path is shorter, and browsers begin with 50 ms.
static const unsigned int first_timeout = 200000;
static const unsigned int longest_timeout = 2000000;
// The certificates of WebRTC are self-signed and have no chain.
static const long longest_certificate = 8192;

// MARK: - OpenSSL's input and output

static int read_datagram(BIO *bio, char *bytes, int count) {
    apus_dtls_connection *connection = libssl.BIO_get_data(bio);
    libssl.BIO_clear_flags(bio, BIO_FLAGS_RWS | BIO_FLAGS_SHOULD_RETRY);
    if (connection->lent == NULL) {
        libssl.BIO_set_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY);
        return -1;
    }
    size_t taken = connection->lent_count < (size_t)count ? connection->lent_count : (size_t)count;
    memcpy(bytes, connection->lent, taken);
    connection->lent = NULL;
    return (int)taken;
}

// A datagram that finds no room is lost, as on a network.
static int append_datagram(BIO *bio, const char *bytes, int count) {
    apus_dtls_connection *connection = libssl.BIO_get_data(bio);
    struct datagrams *output = &connection->output;
    libssl.BIO_clear_flags(bio, BIO_FLAGS_RWS | BIO_FLAGS_SHOULD_RETRY);
    if (count <= 0) return 0;
    if (count > UINT16_MAX || output->end + 2 + (size_t)count > longest_output) return count;
    size_t needed = output->end + 2 + (size_t)count;
    if (needed > output->capacity) {
        uint8_t *wider = realloc(output->bytes, needed);
        if (wider == NULL) return count;
        output->bytes = wider;
        output->capacity = needed;
    }
    uint16_t length = (uint16_t)count;
    memcpy(output->bytes + output->end, &length, sizeof length);
    memcpy(output->bytes + output->end + sizeof length, bytes, (size_t)count);
    output->end = needed;
    return count;
}

static long control_datagrams(BIO *bio, int command, long number, void *pointer) {
    return command == BIO_CTRL_FLUSH ? 1 : 0;
}

BIO_METHOD *datagram_method;

bool make_datagram_method(void) {
    if (datagram_method != NULL) return true;
    BIO_METHOD *method = libssl.BIO_meth_new(libssl.BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "datagrams of apus");
    if (method == NULL) return false;
    libssl.BIO_meth_set_read(method, read_datagram);
    libssl.BIO_meth_set_write(method, append_datagram);
    libssl.BIO_meth_set_ctrl(method, control_datagrams);
    datagram_method = method;
    return true;
}

// MARK: - Contexts

// Every certificate is accepted here: its fingerprint is compared after the handshake (RFC 8122).
static int accept_certificate(int is_verified, X509_STORE_CTX *store) { return 1; }

static bool prepare(SSL_CTX *ssl) {
    libssl.SSL_CTX_set_options(
        ssl,
        SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET | SSL_OP_CIPHER_SERVER_PREFERENCE
            | SSL_OP_NO_QUERY_MTU);
    libssl.SSL_CTX_ctrl(ssl, SSL_CTRL_SET_SESS_CACHE_MODE, SSL_SESS_CACHE_OFF, NULL);
    libssl.SSL_CTX_ctrl(ssl, SSL_CTRL_MODE, SSL_MODE_RELEASE_BUFFERS, NULL);
    libssl.SSL_CTX_ctrl(ssl, SSL_CTRL_SET_MAX_CERT_LIST, longest_certificate, NULL);
    libssl.SSL_CTX_set_verify(ssl, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, accept_certificate);
    // GCM costs half of what counter mode does. The function returns 0 on success.
    return libssl.SSL_CTX_set_tlsext_use_srtp(ssl, "SRTP_AEAD_AES_128_GCM:SRTP_AES128_CM_SHA1_80") == 0
        && libssl.SSL_CTX_ctrl(ssl, SSL_CTRL_SET_MIN_PROTO_VERSION, DTLS1_2_VERSION, NULL) == 1
        && libssl.SSL_CTX_set_cipher_list(ssl, "ECDHE+AESGCM:ECDHE+CHACHA20") == 1;
}

apus_dtls_context *apus_dtls_context_make(
    const uint8_t *certificate, size_t certificate_count, const uint8_t *key, size_t key_count) {
    libssl.ERR_clear_error();
    SSL_CTX *ssl = libssl.SSL_CTX_new(libssl.DTLS_method());
    if (ssl == NULL) return NULL;
    apus_dtls_context *context = NULL;
    if (prepare(ssl)
        && identify(ssl, certificate, certificate_count, key, key_count) == apus_identity_is_right) {
        context = malloc(sizeof *context);
    }
    if (context != NULL) {
        *context = (apus_dtls_context){.ssl = ssl};
    } else {
        libssl.SSL_CTX_free(ssl);
    }
    libssl.ERR_clear_error();
    return context;
}

void apus_dtls_context_free(apus_dtls_context *context) {
    if (context == NULL) return;
    libssl.SSL_CTX_free(context->ssl);
    free(context);
}

static bool digest_of(const X509 *certificate, uint8_t *digest) {
    unsigned int count = 0;
    return libssl.X509_digest(certificate, libssl.EVP_sha256(), digest, &count) == 1 && count == 32;
}

bool apus_dtls_own_fingerprint(const apus_dtls_context *context, uint8_t *digest) {
    return digest_of(libssl.SSL_CTX_get0_certificate(context->ssl), digest);
}

// MARK: - Connections

static unsigned int next_timeout(SSL *ssl, unsigned int last) {
    if (last == 0) return first_timeout;
    return last < longest_timeout / 2 ? 2 * last : longest_timeout;
}

apus_dtls_connection *apus_dtls_connection_make(
    const apus_dtls_context *context, bool is_server, unsigned int datagram_count) {
    apus_dtls_connection *connection = calloc(1, sizeof *connection);
    if (connection == NULL) return NULL;
    connection->ssl = libssl.SSL_new(context->ssl);
    BIO *bio = connection->ssl != NULL ? libssl.BIO_new(datagram_method) : NULL;
    if (bio == NULL) {
        apus_dtls_connection_free(connection);
        return NULL;
    }
    libssl.BIO_set_data(bio, connection);
    libssl.BIO_set_init(bio, 1);
    // The connection owns the BIO from now on, with one reference for both directions.
    libssl.SSL_set_bio(connection->ssl, bio, bio);
    libssl.SSL_set_options(connection->ssl, SSL_OP_NO_QUERY_MTU);
    libssl.SSL_ctrl(connection->ssl, SSL_CTRL_SET_MTU, (long)datagram_count, NULL);
    libssl.DTLS_set_timer_cb(connection->ssl, next_timeout);
    if (is_server) {
        libssl.SSL_set_accept_state(connection->ssl);
    } else {
        libssl.SSL_set_connect_state(connection->ssl);
    }
    return connection;
}

void apus_dtls_connection_free(apus_dtls_connection *connection) {
    if (connection == NULL) return;
    libssl.SSL_free(connection->ssl);
    free(connection->output.bytes);
    free(connection);
}

static apus_dtls_outcome failed(apus_dtls_connection *connection) {
    const char *reason = libssl.ERR_reason_error_string(libssl.ERR_peek_error());
    snprintf(
        connection->failure, sizeof connection->failure, "%s", reason != NULL ? reason : "OpenSSL gives no reason");
    libssl.ERR_clear_error();
    return apus_dtls_has_failed;
}

static apus_dtls_outcome outcome_of(apus_dtls_connection *connection, int result) {
    switch (libssl.SSL_get_error(connection->ssl, result)) {
    case SSL_ERROR_NONE:
    case SSL_ERROR_WANT_READ: return apus_dtls_continues;
    case SSL_ERROR_ZERO_RETURN: return apus_dtls_has_ended;
    default: return failed(connection);
    }
}

apus_dtls_outcome apus_dtls_receive(apus_dtls_connection *connection, const uint8_t *datagram, size_t count) {
    libssl.ERR_clear_error();
    connection->lent = count > 0 ? datagram : NULL;
    connection->lent_count = count;
    apus_dtls_outcome outcome = apus_dtls_continues;
    if (!apus_dtls_is_established(connection)) {
        outcome = outcome_of(connection, libssl.SSL_do_handshake(connection->ssl));
    }
    // A datagram may have several records, the last of which may come after the handshake.
    while (outcome == apus_dtls_continues && apus_dtls_is_established(connection)) {
        uint8_t discarded[256];
        int result = libssl.SSL_read(connection->ssl, discarded, sizeof discarded);
        outcome = outcome_of(connection, result);
        if (result <= 0) break;
    }
    connection->lent = NULL;
    return outcome;
}

int64_t apus_dtls_timeout(const apus_dtls_connection *connection) {
    struct timeval left;
    if (libssl.SSL_ctrl(connection->ssl, DTLS_CTRL_GET_TIMEOUT, 0, &left) != 1) return -1;
    return (int64_t)left.tv_sec * 1000000 + left.tv_usec;
}

apus_dtls_outcome apus_dtls_retransmit(apus_dtls_connection *connection) {
    libssl.ERR_clear_error();
    return libssl.SSL_ctrl(connection->ssl, DTLS_CTRL_HANDLE_TIMEOUT, 0, NULL) < 0 ? failed(connection)
                                                                                  : apus_dtls_continues;
}

bool apus_dtls_is_established(const apus_dtls_connection *connection) {
    return libssl.SSL_is_init_finished(connection->ssl) == 1;
}

void apus_dtls_close(apus_dtls_connection *connection) {
    if (!apus_dtls_is_established(connection)) return;
    libssl.ERR_clear_error();
    // The peer's close_notify is not awaited.
    (void)libssl.SSL_shutdown(connection->ssl);
    libssl.ERR_clear_error();
}

const uint8_t *apus_dtls_output(const apus_dtls_connection *connection, size_t *count) {
    const struct datagrams *output = &connection->output;
    if (output->start == output->end) return NULL;
    uint16_t length;
    memcpy(&length, output->bytes + output->start, sizeof length);
    *count = length;
    return output->bytes + output->start + sizeof length;
}

void apus_dtls_sent(apus_dtls_connection *connection) {
    struct datagrams *output = &connection->output;
    size_t count;
    if (apus_dtls_output(connection, &count) == NULL) return;
    output->start += 2 + count;
    if (output->start < output->end) return;
    free(output->bytes);
    *output = (struct datagrams){0};
}

bool apus_dtls_peer_fingerprint(const apus_dtls_connection *connection, uint8_t *digest) {
    X509 *certificate = libssl.SSL_get1_peer_certificate(connection->ssl);
    if (certificate == NULL) return false;
    bool is_made = digest_of(certificate, digest);
    libssl.X509_free(certificate);
    return is_made;
}

unsigned int apus_dtls_srtp_profile(const apus_dtls_connection *connection) {
    const SRTP_PROTECTION_PROFILE *profile = libssl.SSL_get_selected_srtp_profile(connection->ssl);
    return profile != NULL ? (unsigned int)profile->id : 0;
}

bool apus_dtls_export_keys(const apus_dtls_connection *connection, uint8_t *bytes, size_t count) {
    static const char label[] = "EXTRACTOR-dtls_srtp";
    return libssl.SSL_export_keying_material(
               connection->ssl, bytes, count, label, sizeof label - 1, NULL, 0, 0)
        == 1;
}

bool apus_hmac_sha1(const uint8_t *key, size_t key_count, const uint8_t *message, size_t count, uint8_t *code) {
    size_t made = 0;
    return libssl.EVP_Q_mac(
               NULL, "HMAC", NULL, "SHA1", NULL, key, key_count, message, count, code, 20, &made)
        != NULL
        && made == 20;
}

const char *apus_dtls_failure(const apus_dtls_connection *connection) { return connection->failure; }
