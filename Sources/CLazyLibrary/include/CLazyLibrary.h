// Loads a shared library on first use. The program is not linked against it, so that processes that do not need it save
// the time and memory.
//
// For each such library one file defines the used functions, which call through pointers that are looked up once. The FFmpeg
// functions keep their own names, so that callers need no change, and are hidden, so that other libraries do not bind to
// them.
#ifndef CLAZYLIBRARY_H
#define CLAZYLIBRARY_H

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>

struct lazy_library {
    // The name for the dynamic linker, such as libavfilter.so.8.
    const char *file;
    // Looks up the functions; returns false if one is missing.
    bool (*find_functions)(void *handle);
    atomic_bool is_loaded;
};

// Loads the library, unless it is loaded already. Returns NULL on success, else the dynamic linker's message, valid until the
// thread's next call. Callable from any thread. After a failure, the next call tries again.
const char *load_lazily(struct lazy_library *library);

// For each function of a list, FUNCTIONS(EACH): declares a pointer, and the lookup in `find_functions`.
#define POINTER_TO(name) __typeof__(&name) name;
#define FIND(name) &&(functions.name = (__typeof__(&name))dlsym(handle, #name)) != NULL

#endif
