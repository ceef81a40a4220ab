// The files of the web page, which the compiler takes into the binary (#embed of C23). They are constant data: they cost no time at
// the start, and no memory until they are read.
#pragma once

/// A file below `Files`.
struct PageFileData {
    /// Relative to `Files`, with slashes.
    const char *_Nonnull name;
    const unsigned char *_Nonnull bytes;
    unsigned long byteCount;
};

/// The first of all files, in no particular order.
const struct PageFileData *_Nonnull pageFileData(void);

extern const unsigned long pageFileDataCount;
