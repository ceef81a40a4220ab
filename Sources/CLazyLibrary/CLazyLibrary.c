#include "CLazyLibrary.h"

#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local char failure[512];

const char *load_lazily(struct lazy_library *library) {
    // A caller of a loaded library does not wait until another one is.
    if (atomic_load_explicit(&library->is_loaded, memory_order_acquire)) return NULL;
    pthread_mutex_lock(&loading);
    if (!library->is_loaded) {
        void *handle = dlopen(library->file, RTLD_NOW | RTLD_LOCAL);
        bool is_complete = handle != NULL && library->find_functions(handle);
        atomic_store_explicit(&library->is_loaded, is_complete, memory_order_release);
        if (!is_complete) {
            snprintf(failure, sizeof failure, "%s", dlerror());
            if (handle != NULL) dlclose(handle);
        }
    }
    bool is_loaded = library->is_loaded;
    pthread_mutex_unlock(&loading);
    return is_loaded ? NULL : failure;
}
