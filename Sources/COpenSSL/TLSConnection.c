#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "TLSContext.h"

// Bytes that wait to be sent: `bytes[start ..< start + count]`.
struct output {
    uint8_t *bytes;
    size_t start;
    size_t count;
    size_t capacity;
};

struct apus_tls_connection {
    SSL *ssl;
    // Input from the peer that has not been read yet.
    const uint8_t *lent;
    size_t lent_count;
    struct output output;
    bool is_server;
    // The application protocols that a server accepts, preferred ones first; none if it ignores what the client offers.
    uint8_t protocols[64];
    unsigned int protocols_count;
    char failure[192];
};

// MARK: - OpenSSL's input and output

static int read_lent(BIO *bio, char *bytes, int count) {
    apus_tls_connection *connection = libssl.BIO_get_data(bio);
    libssl.BIO_clear_flags(bio, BIO_FLAGS_RWS | BIO_FLAGS_SHOULD_RETRY);
    if (connection->lent_count == 0) {
        libssl.BIO_set_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY);
        return -1;
    }
    size_t taken = connection->lent_count < (size_t)count ? connection->lent_count : (size_t)count;
    memcpy(bytes, connection->lent, taken);
    connection->lent += taken;
    connection->lent_count -= taken;
    return (int)taken;
}

// The caller limits the output: it writes one record, and the next one after that has been sent.
static int append_output(BIO *bio, const char *bytes, int count) {
    apus_tls_connection *connection = libssl.BIO_get_data(bio);
    struct output *output = &connection->output;
    libssl.BIO_clear_flags(bio, BIO_FLAGS_RWS | BIO_FLAGS_SHOULD_RETRY);
    if (count <= 0) return 0;
    if (output->start > 0) {
        memmove(output->bytes, output->bytes + output->start, output->count);
        output->start = 0;
    }
    size_t needed = output->count + (size_t)count;
    if (needed > output->capacity) {
        uint8_t *wider = realloc(output->bytes, needed);
        if (wider == NULL) return -1;
        output->bytes = wider;
        output->capacity = needed;
    }
    memcpy(output->bytes + output->count, bytes, (size_t)count);
    output->count = needed;
    return count;
}

static long control(BIO *bio, int command, long number, void *pointer) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

BIO_METHOD *connection_method;

bool make_connection_method(void) {
    if (connection_method != NULL) return true;
    BIO_METHOD *method = libssl.BIO_meth_new(libssl.BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "memory of apus");
    if (method == NULL) return false;
    libssl.BIO_meth_set_read(method, read_lent);
    libssl.BIO_meth_set_write(method, append_output);
    libssl.BIO_meth_set_ctrl(method, control);
    connection_method = method;
    return true;
}

// MARK: - Creating and freeing

apus_tls_connection *apus_tls_connection_make(const apus_tls_context *context) {
    apus_tls_connection *connection = calloc(1, sizeof *connection);
    if (connection == NULL) return NULL;
    connection->ssl = libssl.SSL_new(context->ssl);
    BIO *bio = connection->ssl != NULL ? libssl.BIO_new(connection_method) : NULL;
    if (bio == NULL) {
        apus_tls_connection_free(connection);
        return NULL;
    }
    libssl.BIO_set_data(bio, connection);
    libssl.BIO_set_init(bio, 1);
    // The connection owns the BIO from now on, with one reference for both directions.
    libssl.SSL_set_bio(connection->ssl, bio, bio);
    connection->is_server = context->is_server;
    if (context->is_server) {
        libssl.SSL_set_accept_state(connection->ssl);
    } else {
        libssl.SSL_set_connect_state(connection->ssl);
    }
    return connection;
}

bool apus_tls_set_peer(apus_tls_connection *connection, const char *host) {
    // A numeric address is compared with the addresses in the certificate, and is no server name (RFC 6066, section 3).
    if (libssl.X509_VERIFY_PARAM_set1_ip_asc(libssl.SSL_get0_param(connection->ssl), host) == 1) return true;
    libssl.ERR_clear_error();
    return libssl.SSL_set1_host(connection->ssl, host) == 1
        && libssl.SSL_ctrl(connection->ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, (void *)host) == 1;
}

bool apus_tls_set_protocols(apus_tls_connection *connection, const uint8_t *list, unsigned int count) {
    // Returns 0 on success.
    if (!connection->is_server) return libssl.SSL_set_alpn_protos(connection->ssl, list, count) == 0;
    if (count > sizeof connection->protocols) return false;
    memcpy(connection->protocols, list, count);
    connection->protocols_count = count;
    return true;
}

int choose_protocol(
    SSL *ssl, const unsigned char **chosen, unsigned char *count, const unsigned char *offered, unsigned int offered_count,
    void *nothing) {
    const apus_tls_connection *connection = libssl.BIO_get_data(libssl.SSL_get_rbio(ssl));
    if (connection->protocols_count == 0) return SSL_TLSEXT_ERR_NOACK;
    int result = libssl.SSL_select_next_proto(
        (unsigned char **)chosen, count, connection->protocols, connection->protocols_count, offered, offered_count);
    return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

const uint8_t *apus_tls_protocol(const apus_tls_connection *connection, unsigned int *count) {
    const uint8_t *name = NULL;
    libssl.SSL_get0_alpn_selected(connection->ssl, &name, count);
    return name;
}

const char *apus_tls_verify_problem(const apus_tls_connection *connection) {
    long result = libssl.SSL_get_verify_result(connection->ssl);
    return result == X509_V_OK ? NULL : libssl.X509_verify_cert_error_string(result);
}

bool apus_tls_peer_fingerprint(const apus_tls_connection *connection, uint8_t *digest) {
    X509 *certificate = libssl.SSL_get1_peer_certificate(connection->ssl);
    if (certificate == NULL) return false;
    unsigned int count = 0;
    bool is_made = libssl.X509_digest(certificate, libssl.EVP_sha256(), digest, &count) == 1 && count == 32;
    libssl.X509_free(certificate);
    return is_made;
}

void apus_tls_connection_free(apus_tls_connection *connection) {
    if (connection == NULL) return;
    libssl.SSL_free(connection->ssl);
    free(connection->output.bytes);
    free(connection);
}

// MARK: - Failures

// OpenSSL's message, preceded by an explanation if it would be unclear in a log.
static void note_failure(apus_tls_connection *connection) {
    unsigned long error = libssl.ERR_peek_error();
    const char *reason = libssl.ERR_reason_error_string(error);
    const char *meaning = "";
    if (ERR_GET_LIB(error) == ERR_LIB_SSL) {
        switch (ERR_GET_REASON(error)) {
        case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
        case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
        case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN: meaning = "the peer does not trust the certificate: "; break;
        case SSL_R_UNSUPPORTED_PROTOCOL: meaning = "TLS 1.2 or later is not offered: "; break;
        case SSL_R_NO_SHARED_CIPHER: meaning = "no modern cipher is offered: "; break;
        default: break;
        }
    }
    snprintf(
        connection->failure, sizeof connection->failure, "%s%s", meaning, reason != NULL ? reason : "OpenSSL gives no reason");
    libssl.ERR_clear_error();
}

const char *apus_tls_failure(const apus_tls_connection *connection) { return connection->failure; }

// MARK: - Reading and writing

void apus_tls_lend(apus_tls_connection *connection, const uint8_t *bytes, size_t count) {
    connection->lent = bytes;
    connection->lent_count = count;
}

long apus_tls_read(apus_tls_connection *connection, uint8_t *bytes, size_t count) {
    libssl.ERR_clear_error();
    int outcome = libssl.SSL_read(connection->ssl, bytes, count < INT_MAX ? (int)count : INT_MAX);
    if (outcome > 0) return outcome;
    switch (libssl.SSL_get_error(connection->ssl, outcome)) {
    case SSL_ERROR_WANT_READ: return apus_tls_needs_more;
    case SSL_ERROR_ZERO_RETURN: return apus_tls_has_ended;
    default: note_failure(connection); return apus_tls_has_failed;
    }
}

bool apus_tls_is_established(const apus_tls_connection *connection) {
    return libssl.SSL_is_init_finished(connection->ssl) == 1;
}

bool apus_tls_write(apus_tls_connection *connection, const uint8_t *bytes, size_t count) {
    size_t written = 0;
    libssl.ERR_clear_error();
    if (libssl.SSL_write_ex(connection->ssl, bytes, count, &written) == 1 && written == count) return true;
    note_failure(connection);
    return false;
}

void apus_tls_close(apus_tls_connection *connection) {
    if (!apus_tls_is_established(connection)) return;
    libssl.ERR_clear_error();
    // The peer's close_notify is not awaited.
    (void)libssl.SSL_shutdown(connection->ssl);
    libssl.ERR_clear_error();
}

const uint8_t *apus_tls_output(const apus_tls_connection *connection, size_t *count) {
    *count = connection->output.count;
    return connection->output.bytes + connection->output.start;
}

void apus_tls_sent(apus_tls_connection *connection, size_t count) {
    struct output *output = &connection->output;
    output->start += count;
    output->count -= count;
    if (output->count > 0) return;
    // A viewer that sends nothing costs nothing here.
    free(output->bytes);
    *output = (struct output){0};
}

const char *apus_tls_version(const apus_tls_connection *connection) { return libssl.SSL_get_version(connection->ssl); }
