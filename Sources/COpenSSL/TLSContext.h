#ifndef COPENSSL_TLS_CONTEXT_H
#define COPENSSL_TLS_CONTEXT_H

#include "COpenSSL.h"
#include "Libssl.h"

struct apus_tls_context {
    SSL_CTX *ssl;
    bool is_server;
};

// Uses a certificate, its chain and a key, all PEM.
apus_identity_problem identify(
    SSL_CTX *ssl, const uint8_t *certificates, size_t certificates_count, const uint8_t *key, size_t key_count);

// Chooses the application protocol of a server's connection.
int choose_protocol(
    SSL *ssl, const unsigned char **chosen, unsigned char *count, const unsigned char *offered, unsigned int offered_count,
    void *nothing);

#endif
