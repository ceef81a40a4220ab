// Tells ThreadSanitizer about the synchronisation in Swift's libraries, which are built without it. Otherwise it would report
// accesses as races that Swift's mutexes and reference counts order. script/test links this file into all that it builds with
// --sanitize=thread; these functions then replace those of the libraries (Swift 6.3).

#define _GNU_SOURCE
#include <dlfcn.h>
#include <sanitizer/tsan_interface.h>
#include <stdbool.h>
#include <stdint.h>

#define REAL(function, name) ((__typeof__(&function))dlsym(RTLD_NEXT, name))

// The slow path of mutexes: Synchronization._MutexHandle._lockSlow(UInt32) and ._unlockSlow(), by their mangled names. The fast
// path consists of atomic operations in instrumented code.

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void lock_slow(uint32_t thread, SELF void *mutex) __asm__(LOCK);
SWIFT void unlock_slow(SELF void *mutex) __asm__(UNLOCK);

SWIFT void lock_slow(uint32_t thread, SELF void *mutex) {
    REAL(lock_slow, LOCK)(thread, mutex);
    __tsan_acquire(mutex);
}

SWIFT void unlock_slow(SELF void *mutex) {
    __tsan_release(mutex);
    REAL(unlock_slow, UNLOCK)(mutex);
}

// Reference counts: everything that happens before a reference is released also happens before the last owner changes or destroys
// the object.

// The counts of an object: bits 33 to 62 hold the strong count minus one. An immortal object has ones in the lower half; bit 63
// means that the counts are stored elsewhere (RefCount.h).
static uint64_t counts(const void *object) { return ((const _Atomic uint64_t *)object)[1]; }

// Acquires only if this may be the last reference; otherwise it would add an order that does not exist.
static void order(void *object, uint32_t count) {
    if ((intptr_t)object <= 0 || (uint32_t)counts(object) == UINT32_MAX) return;
    __tsan_release(object);
    uint64_t now = counts(object);
    if (now >> 63 || now >> 33 <= count) __tsan_acquire(object);
}

void swift_release(void *object);
void swift_release(void *object) {
    static __typeof__(&swift_release) real;
    if (!real) real = REAL(swift_release, "swift_release");
    order(object, 1);
    real(object);
}

void swift_release_n(void *object, uint32_t count);
void swift_release_n(void *object, uint32_t count) {
    static __typeof__(&swift_release_n) real;
    if (!real) real = REAL(swift_release_n, "swift_release_n");
    order(object, count);
    real(object, count);
}

#define ORDERED_UNIQUENESS(function)                                              \
    bool function(void *object);                                                  \
    bool function(void *object) {                                                 \
        static __typeof__(&function) real;                                        \
        if (!real) real = REAL(function, #function);                              \
        bool is_unique = real(object);                                            \
        if (is_unique && (intptr_t)object > 0) __tsan_acquire(object);            \
        return is_unique;                                                         \
    }

ORDERED_UNIQUENESS(swift_isUniquelyReferenced_native)
ORDERED_UNIQUENESS(swift_isUniquelyReferenced_nonNull_native)
