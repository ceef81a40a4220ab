// TLS (RFC 5246, RFC 8446) with OpenSSL 3's libssl, in memory: input and output are buffers, not a descriptor.
//
// libssl is loaded on first use, so that servers without rtsps do not pay for it.
#ifndef COPENSSL_TLS_H
#define COPENSSL_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Loads libssl and libcrypto. Returns NULL on success, else the reason, valid until the thread's next call. Call it before the
// other functions. Callable from any thread; after a failure the next call tries again.
const char *apus_load_libssl(void);

// MARK: - Contexts

// A server's identity, or a client's requirements, for any number of connections on any thread. A connection keeps a reference
// to the parts that it needs.
typedef struct apus_tls_context apus_tls_context;

typedef enum {
    apus_identity_is_right,
    apus_identity_has_no_certificate,
    apus_identity_has_no_key,
    // The key is encrypted with a passphrase.
    apus_identity_has_locked_key,
    apus_identity_has_other_key,
    // The key is too short for OpenSSL's security level on this host.
    apus_identity_has_weak_key,
    // OpenSSL has no memory, or the host's policy forbids the request.
    apus_identity_is_impossible,
} apus_identity_problem;

// Makes a server context from PEM: the server's own certificate, its chain, and its key. NULL if `problem` is not
// `apus_identity_is_right`.
apus_tls_context *apus_tls_server(
    const uint8_t *certificates, size_t certificates_count, const uint8_t *key, size_t key_count,
    apus_identity_problem *problem);

// The validity period of the server's own certificate, in seconds since 1970.
void apus_tls_validity(const apus_tls_context *context, int64_t *first, int64_t *last);

// Makes a client context with the certification authorities of the system, for versions in the given range: 0x0303 is TLS 1.2. NULL if there is
// no memory, or if OpenSSL supports none of the versions.
apus_tls_context *apus_tls_client(int oldest, int newest);

void apus_tls_context_free(apus_tls_context *context);

// MARK: - Connections, each confined to one thread

typedef struct apus_tls_connection apus_tls_connection;

// Makes a new connection of this context; NULL if there is no memory.
apus_tls_connection *apus_tls_connection_make(const apus_tls_context *context);
void apus_tls_connection_free(apus_tls_connection *connection);

// Sets the server's host name or numeric address, before the first bytes. False if there is no memory.
bool apus_tls_set_peer(apus_tls_connection *connection, const char *host);

// Sets the application protocols (RFC 7301) before the first bytes, as a list of names that are each preceded by their length. A client
// offers them. A server chooses the first of them that the client offers, and refuses a client that offers only others; without a list it
// ignores what the client offers. False if the list has more than 64 bytes, or if there is no memory.
bool apus_tls_set_protocols(apus_tls_connection *connection, const uint8_t *list, unsigned int count);

// After the handshake: the name of the application protocol; NULL if none was negotiated. It is valid as long as the connection.
const uint8_t *apus_tls_protocol(const apus_tls_connection *connection, unsigned int *count);

// After a client's handshake: why the server's certificate cannot be trusted; NULL if it can.
const char *apus_tls_verify_problem(const apus_tls_connection *connection);

// After a client's handshake: the SHA-256 digest of the server's certificate, 32 bytes. False if there is none.
bool apus_tls_peer_fingerprint(const apus_tls_connection *connection, uint8_t *digest);

// Sets the peer's bytes for `apus_tls_read`. They must stay valid until that returns `apus_tls_needs_more` or until the next
// call.
void apus_tls_lend(apus_tls_connection *connection, const uint8_t *bytes, size_t count);

enum {
    apus_tls_needs_more = 0,
    // The peer has closed its direction (close_notify).
    apus_tls_has_ended = -1,
    // Fatal: `apus_tls_failure` gives the reason, and the pending output contains an alert for the peer.
    apus_tls_has_failed = -2,
};

// Continues the handshake, or decrypts input into `bytes`. Returns the number of bytes, or one of the above.
long apus_tls_read(apus_tls_connection *connection, uint8_t *bytes, size_t count);

// Whether the handshake is complete.
bool apus_tls_is_established(const apus_tls_connection *connection);

// Encrypts `count` bytes for the peer, at least one, after the handshake. Returns false after a fatal error.
bool apus_tls_write(apus_tls_connection *connection, const uint8_t *bytes, size_t count);

// Closes our direction (close_notify). Has no effect before the handshake is complete.
void apus_tls_close(apus_tls_connection *connection);

// The pending output to the peer; valid until the next call.
const uint8_t *apus_tls_output(const apus_tls_connection *connection, size_t *count);
// Removes the bytes that were sent from the pending output.
void apus_tls_sent(apus_tls_connection *connection, size_t count);

// OpenSSL's message for the failure; valid as long as the connection.
const char *apus_tls_failure(const apus_tls_connection *connection);
// The negotiated version, such as "TLSv1.3".
const char *apus_tls_version(const apus_tls_connection *connection);

// MARK: - Certificates

// Makes a P-256 key and a self-signed certificate, valid from yesterday for the given days, as zero-terminated PEM. `names` are
// the names of the host, such as "DNS:garden,IP:192.0.2.7"; `common_name` has at most 64 bytes. Returns false if they are
// invalid, do not fit `capacity`, or the host does not support the algorithms.
bool apus_make_certificate(
    const char *common_name, const char *names, long days, char *certificate, char *key, size_t capacity);

#endif
