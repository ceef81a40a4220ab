// The functions of libssl that are called here, and those of libcrypto, on which it depends.
#ifndef COPENSSL_LIBSSL_H
#define COPENSSL_LIBSSL_H

#include <CLazyLibrary.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#define LIBSSL_FUNCTIONS(EACH) \
    EACH(ASN1_INTEGER_set_uint64) \
    EACH(ASN1_TIME_to_tm) \
    EACH(BIO_clear_flags) \
    EACH(BIO_free) \
    EACH(BIO_get_data) \
    EACH(BIO_get_new_index) \
    EACH(BIO_meth_new) \
    EACH(BIO_meth_set_ctrl) \
    EACH(BIO_meth_set_read) \
    EACH(BIO_meth_set_write) \
    EACH(BIO_new) \
    EACH(BIO_new_mem_buf) \
    EACH(BIO_read) \
    EACH(BIO_s_mem) \
    EACH(BIO_set_data) \
    EACH(BIO_set_flags) \
    EACH(BIO_set_init) \
    EACH(DTLS_method) \
    EACH(DTLS_set_timer_cb) \
    EACH(ERR_clear_error) \
    EACH(ERR_peek_error) \
    EACH(ERR_reason_error_string) \
    EACH(EVP_PKEY_Q_keygen) \
    EACH(EVP_PKEY_free) \
    EACH(EVP_Q_mac) \
    EACH(EVP_sha256) \
    EACH(PEM_read_bio_PrivateKey) \
    EACH(PEM_read_bio_X509) \
    EACH(PEM_write_bio_PrivateKey) \
    EACH(PEM_write_bio_X509) \
    EACH(RAND_bytes) \
    EACH(SSL_CTX_ctrl) \
    EACH(SSL_CTX_free) \
    EACH(SSL_CTX_get0_certificate) \
    EACH(SSL_CTX_new) \
    EACH(SSL_CTX_set_alpn_select_cb) \
    EACH(SSL_CTX_set_default_verify_paths) \
    EACH(SSL_CTX_set_cipher_list) \
    EACH(SSL_CTX_set_ciphersuites) \
    EACH(SSL_CTX_set_num_tickets) \
    EACH(SSL_CTX_set_options) \
    EACH(SSL_CTX_set_tlsext_use_srtp) \
    EACH(SSL_CTX_set_verify) \
    EACH(SSL_CTX_use_PrivateKey) \
    EACH(SSL_CTX_use_certificate) \
    EACH(SSL_ctrl) \
    EACH(SSL_do_handshake) \
    EACH(SSL_export_keying_material) \
    EACH(SSL_free) \
    EACH(SSL_get0_alpn_selected) \
    EACH(SSL_get0_param) \
    EACH(SSL_get1_peer_certificate) \
    EACH(SSL_get_error) \
    EACH(SSL_get_rbio) \
    EACH(SSL_get_selected_srtp_profile) \
    EACH(SSL_get_verify_result) \
    EACH(SSL_get_version) \
    EACH(SSL_is_init_finished) \
    EACH(SSL_new) \
    EACH(SSL_read) \
    EACH(SSL_select_next_proto) \
    EACH(SSL_set1_host) \
    EACH(SSL_set_accept_state) \
    EACH(SSL_set_alpn_protos) \
    EACH(SSL_set_bio) \
    EACH(SSL_set_connect_state) \
    EACH(SSL_set_options) \
    EACH(SSL_shutdown) \
    EACH(SSL_write_ex) \
    EACH(TLS_client_method) \
    EACH(TLS_server_method) \
    EACH(X509_EXTENSION_free) \
    EACH(X509_VERIFY_PARAM_set1_ip_asc) \
    EACH(X509_NAME_add_entry_by_txt) \
    EACH(X509V3_EXT_conf_nid) \
    EACH(X509V3_set_ctx) \
    EACH(X509_add_ext) \
    EACH(X509_check_private_key) \
    EACH(X509_digest) \
    EACH(X509_free) \
    EACH(X509_get0_notAfter) \
    EACH(X509_get0_notBefore) \
    EACH(X509_get_serialNumber) \
    EACH(X509_get_subject_name) \
    EACH(X509_getm_notAfter) \
    EACH(X509_getm_notBefore) \
    EACH(X509_gmtime_adj) \
    EACH(X509_new) \
    EACH(X509_set_issuer_name) \
    EACH(X509_set_pubkey) \
    EACH(X509_set_version) \
    EACH(X509_sign) \
    EACH(X509_verify_cert_error_string)

struct libssl {
    LIBSSL_FUNCTIONS(POINTER_TO)
};

// Valid once `apus_load_libssl` has returned NULL.
extern struct libssl libssl;

// The BIO methods for the input and the output buffer of TLS and of DTLS; made when the library is loaded.
extern BIO_METHOD *connection_method;
bool make_connection_method(void);
extern BIO_METHOD *datagram_method;
bool make_datagram_method(void);

#endif
