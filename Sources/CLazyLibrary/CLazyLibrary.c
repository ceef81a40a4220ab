#include "CLazyLibrary.h"

#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local char failure[512];

const char *load_lazily(struct lazy_library *library) {
    pthread_mutex_lock(&loading);
    if (!library->is_loaded) {
        void *handle = dlopen(library->file, RTLD_NOW | RTLD_LOCAL);
        library->is_loaded = handle != NULL && library->find_functions(handle);
        if (!library->is_loaded) {
            snprintf(failure, sizeof failure, "%s", dlerror());
            if (handle != NULL) dlclose(handle);
        }
    }
    bool is_loaded = library->is_loaded;
    pthread_mutex_unlock(&loading);
    return is_loaded ? NULL : failure;
}
