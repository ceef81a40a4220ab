#include "CAllocations.h"

#include <errno.h>
#include <stddef.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

#ifdef SANITIZED

uint64_t allocations_of_this_thread(void) { return 0; }
int allocations_are_counted(void) { return 0; }

#else

static __thread uint64_t count;

// glibc's names of the functions that are replaced here.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

void *malloc(size_t size) {
    count++;
    return __libc_malloc(size);
}

void *calloc(size_t items, size_t size) {
    count++;
    return __libc_calloc(items, size);
}

void *realloc(void *memory, size_t size) {
    count++;
    return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count++;
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    count++;
    *memory = __libc_memalign(alignment, size);
    return *memory ? 0 : ENOMEM;
}

uint64_t allocations_of_this_thread(void) { return count; }
int allocations_are_counted(void) { return 1; }

#endif
