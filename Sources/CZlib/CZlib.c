#include "CZlib.h"

#include <limits.h>
#include <zlib.h>

// The header and the trailer of gzip.
enum { gzip_size = 18 };

size_t apus_gzip_bound(size_t count) { return compressBound(count) + gzip_size; }

size_t apus_gzip(const uint8_t *bytes, size_t count, uint8_t *output, size_t capacity) {
    if (count > UINT_MAX || capacity > UINT_MAX) return 0;
    z_stream stream = {0};
    // 16 more than the largest window means gzip. 8 is zlib's default for memory.
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) return 0;
    stream.next_in = (Bytef *)bytes;
    stream.avail_in = (uInt)count;
    stream.next_out = output;
    stream.avail_out = (uInt)capacity;
    int result = deflate(&stream, Z_FINISH);
    size_t written = stream.total_out;
    deflateEnd(&stream);
    return result == Z_STREAM_END ? written : 0;
}
