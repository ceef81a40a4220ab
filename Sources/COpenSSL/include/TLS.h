// TLS (RFC 5246, RFC 8446) by OpenSSL 3's libssl, over memory: the peer's bytes in, bytes for the peer out, no descriptor.
//
// libssl is loaded when it is first needed: who serves no rtsps does not pay for it.
#ifndef COPENSSL_TLS_H
#define COPENSSL_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// NULL once libssl and libcrypto are there; else why not, which lives until the thread's next call. To be called before
// anything else here is. From any thread; what failed is tried again.
const char *apus_load_libssl(void);

// MARK: - What connections are made with

// What a server shows to be itself, or what a client asks for: for any number of connections, from any thread. A connection
// keeps what it needs of it.
typedef struct apus_tls_context apus_tls_context;

typedef enum {
    apus_identity_is_right,
    apus_identity_has_no_certificate,
    apus_identity_has_no_key,
    // By a passphrase, which nobody is asked for.
    apus_identity_has_locked_key,
    apus_identity_has_other_key,
    // Shorter than OpenSSL's security level on this host allows.
    apus_identity_has_weak_key,
    // OpenSSL has no memory, or the host forbids what is asked of it.
    apus_identity_is_impossible,
} apus_identity_problem;

// From PEM: the server's own certificate and then those that vouch for it, and its key. NULL where `problem` is not
// `apus_identity_is_right`.
apus_tls_context *apus_tls_server(
    const uint8_t *certificates, size_t certificates_count, const uint8_t *key, size_t key_count,
    apus_identity_problem *problem);

// From when to when the server's own certificate is good, in seconds since 1970.
void apus_tls_validity(const apus_tls_context *context, int64_t *first, int64_t *last);

// A client that believes every certificate, and offers no version but those between two: 0x0303 is TLS 1.2. NULL where there is
// no memory, or where OpenSSL speaks none of them.
apus_tls_context *apus_tls_client(int oldest, int newest);

void apus_tls_context_free(apus_tls_context *context);

// MARK: - Connections, each confined to one thread

typedef struct apus_tls_connection apus_tls_connection;

// The context's end of a new connection; NULL where there is no memory.
apus_tls_connection *apus_tls_connection_make(const apus_tls_context *context);
void apus_tls_connection_free(apus_tls_connection *connection);

// Bytes of the peer, which `apus_tls_read` takes from now on: lent until it answers `apus_tls_needs_more`, or until others are.
void apus_tls_lend(apus_tls_connection *connection, const uint8_t *bytes, size_t count);

enum {
    apus_tls_needs_more = 0,
    // The peer has said that it sends no more (close_notify).
    apus_tls_has_ended = -1,
    // For good; `apus_tls_failure` says why, and what waits to be sent tells the peer.
    apus_tls_has_failed = -2,
};

// Goes on with the handshake, or writes what the peer has said into `bytes`: how many of them, or one of the above.
long apus_tls_read(apus_tls_connection *connection, uint8_t *bytes, size_t count);

// Whether the handshake is complete.
bool apus_tls_is_established(const apus_tls_connection *connection);

// Says so many bytes to the peer, at least one, after the handshake; false where that failed for good.
bool apus_tls_write(apus_tls_connection *connection, const uint8_t *bytes, size_t count);

// Tells the peer that nothing follows (close_notify); without effect before the handshake is complete.
void apus_tls_close(apus_tls_connection *connection);

// What waits to be sent to the peer; valid until the next call.
const uint8_t *apus_tls_output(const apus_tls_connection *connection, size_t *count);
// So much of it has been.
void apus_tls_sent(apus_tls_connection *connection, size_t count);

// What failed, in OpenSSL's words; as long as the connection.
const char *apus_tls_failure(const apus_tls_connection *connection);
// The version that was agreed upon, as "TLSv1.3".
const char *apus_tls_version(const apus_tls_connection *connection);

// MARK: - Certificates

// Makes a key (P-256) and a certificate for it that it signs itself, good from yesterday on for so many days, as PEM that ends
// with a zero. `names` are those of the host, as "DNS:garden,IP:192.0.2.7"; `common_name` is of 64 bytes at most. False where
// they are none, do not fit `capacity`, or cannot be made on this host.
bool apus_make_certificate(
    const char *common_name, const char *names, long days, char *certificate, char *key, size_t capacity);

#endif
