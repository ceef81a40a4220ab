// What both modes implement for Cipher.c. `vector` is the initialisation vector of a packet, of which GCM uses the first 12 bytes.
#ifndef MODES_H
#define MODES_H

#include "CSRTPCiphers.h"

typedef struct counter_mode counter_mode;

const char *counter_mode_load(void);
counter_mode *counter_mode_make(apus_srtp_direction direction, const uint8_t *key, const uint8_t *authentication_key);
void counter_mode_free(counter_mode *mode);
bool counter_mode_seal(
    counter_mode *mode, const uint8_t *vector, const struct apus_srtp_packet *packet, const uint8_t *plain, size_t count,
    uint8_t *sealed, uint8_t *tag);
bool counter_mode_open(
    counter_mode *mode, const uint8_t *vector, const struct apus_srtp_packet *packet, const uint8_t *sealed, size_t count,
    const uint8_t *tag, uint8_t *plain);

typedef struct gcm_mode gcm_mode;

const char *gcm_mode_load(void);
gcm_mode *gcm_mode_make(const uint8_t *key);
void gcm_mode_free(gcm_mode *mode);
bool gcm_mode_seal(
    gcm_mode *mode, const uint8_t *vector, const struct apus_srtp_packet *packet, const uint8_t *plain, size_t count,
    uint8_t *sealed, uint8_t *tag);
bool gcm_mode_open(
    gcm_mode *mode, const uint8_t *vector, const struct apus_srtp_packet *packet, const uint8_t *sealed, size_t count,
    const uint8_t *tag, uint8_t *plain);

enum { counter_mode_tag = 10, gcm_tag = 16 };

#endif
