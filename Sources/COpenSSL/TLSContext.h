#ifndef COPENSSL_TLS_CONTEXT_H
#define COPENSSL_TLS_CONTEXT_H

#include "COpenSSL.h"
#include "Libssl.h"

struct apus_tls_context {
    SSL_CTX *ssl;
    bool is_server;
};

#endif
