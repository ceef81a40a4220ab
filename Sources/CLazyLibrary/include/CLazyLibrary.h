// A shared library that is loaded when it is first needed. The linker is not told of it: who does not need it pays for it
// neither at the start nor in memory.
//
// A file for each such library calls the functions of it that are used through pointers that are found once. Those of FFmpeg
// define them under their own names, so that callers call them as ever, and hidden: what other libraries call must not come
// to them.
#ifndef CLAZYLIBRARY_H
#define CLAZYLIBRARY_H

#include <dlfcn.h>
#include <stdbool.h>

struct lazy_library {
    // As the dynamic linker looks for it: libavfilter.so.8.
    const char *file;
    // Finds the functions; false where one is missing.
    bool (*find_functions)(void *handle);
    bool is_loaded;
};

// NULL once the library is there, at once where it has been before; else why it is not, in the dynamic linker's words, which
// live until the thread's next call. From any thread. It is tried again with each call.
const char *load_lazily(struct lazy_library *library);

// For each of a list of functions, FUNCTIONS(EACH): a pointer to it, and what `find_functions` finds it by.
#define POINTER_TO(name) __typeof__(&name) name;
#define FIND(name) &&(functions.name = (__typeof__(&name))dlsym(handle, #name)) != NULL

#endif
