// DTLS 1.2 (RFC 6347) with keys for SRTP (RFC 5764), with OpenSSL 3's libssl, in memory: input and output are datagrams.
//
// Call `apus_load_libssl` first.
#ifndef COPENSSL_DTLS_H
#define COPENSSL_DTLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A certificate with its key, for any number of connections in both roles on any thread.
typedef struct apus_dtls_context apus_dtls_context;

// Makes a context from PEM. NULL if the certificate or the key is unusable, or if there is no memory.
apus_dtls_context *apus_dtls_context_make(
    const uint8_t *certificate, size_t certificate_count, const uint8_t *key, size_t key_count);
void apus_dtls_context_free(apus_dtls_context *context);

// The SHA-256 digest of the own certificate, 32 bytes. False if it cannot be made.
bool apus_dtls_own_fingerprint(const apus_dtls_context *context, uint8_t *digest);

// One end of a connection. Confined to one thread.
typedef struct apus_dtls_connection apus_dtls_connection;

// Makes a new connection whose datagrams have at most `datagram_count` bytes; NULL if there is no memory.
apus_dtls_connection *apus_dtls_connection_make(
    const apus_dtls_context *context, bool is_server, unsigned int datagram_count);
void apus_dtls_connection_free(apus_dtls_connection *connection);

typedef enum {
    // More datagrams are needed.
    apus_dtls_continues,
    // The peer has said that it sends no more (close_notify).
    apus_dtls_has_ended,
    // `apus_dtls_failure` gives the reason, and the pending output contains an alert for the peer.
    apus_dtls_has_failed,
} apus_dtls_outcome;

// Continues the handshake, or reads what comes after it, with one datagram of the peer; with none, a client begins. Application data is
// discarded.
apus_dtls_outcome apus_dtls_receive(apus_dtls_connection *connection, const uint8_t *datagram, size_t count);

// Microseconds until `apus_dtls_retransmit` is due; negative if nothing waits for the peer.
int64_t apus_dtls_timeout(const apus_dtls_connection *connection);

// Sends the last flight again, if that is due.
apus_dtls_outcome apus_dtls_retransmit(apus_dtls_connection *connection);

bool apus_dtls_is_established(const apus_dtls_connection *connection);

// Closes our direction (close_notify). Has no effect before the handshake is complete.
void apus_dtls_close(apus_dtls_connection *connection);

// The first pending datagram for the peer; NULL if there is none. It is valid until the next call.
const uint8_t *apus_dtls_output(const apus_dtls_connection *connection, size_t *count);
// Removes the first pending datagram.
void apus_dtls_sent(apus_dtls_connection *connection);

// After the handshake: the SHA-256 digest of the peer's certificate, 32 bytes. False if there is none.
bool apus_dtls_peer_fingerprint(const apus_dtls_connection *connection, uint8_t *digest);

// After the handshake: the number of the SRTP profile (RFC 5764, section 4.1.2; RFC 7714, section 14.2); 0 if none was negotiated.
unsigned int apus_dtls_srtp_profile(const apus_dtls_connection *connection);

// After the handshake: `count` bytes of keying material for SRTP (RFC 5764, section 4.2).
bool apus_dtls_export_keys(const apus_dtls_connection *connection, uint8_t *bytes, size_t count);

// The HMAC-SHA1 of a message (RFC 2104), 20 bytes: connectivity checks need it before the handshake. False if it cannot be made.
bool apus_hmac_sha1(const uint8_t *key, size_t key_count, const uint8_t *message, size_t count, uint8_t *code);

// OpenSSL's message for the failure; valid as long as the connection.
const char *apus_dtls_failure(const apus_dtls_connection *connection);

#endif
