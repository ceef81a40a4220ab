// Compression by zlib. It is linked, because FFmpeg's libraries load it anyway.
#ifndef CZLIB_H
#define CZLIB_H

#include <stddef.h>
#include <stdint.h>

// The most bytes that `count` bytes become.
size_t apus_gzip_bound(size_t count);

// Compresses bytes in the gzip format (RFC 1952) into `output`, which has `capacity` bytes: apus_gzip_bound(count). Returns the number of
// bytes, or 0 without memory. Callable from any thread.
size_t apus_gzip(const uint8_t *bytes, size_t count, uint8_t *output, size_t capacity);

#endif
