// Tells ThreadSanitizer what the toolchain's libraries order, which are built without it: else it would report as a race what Swift's
// mutexes and reference counts keep apart. script/test links it into all that it builds with --sanitize=thread; these functions then
// stand in front of the libraries' own (Swift 6.3).

#define _GNU_SOURCE
#include <dlfcn.h>
#include <sanitizer/tsan_interface.h>
#include <stdbool.h>
#include <stdint.h>

#define REAL(function, name) ((__typeof__(&function))dlsym(RTLD_NEXT, name))

// Mutexes, where a thread has to wait for one: Synchronization._MutexHandle._lockSlow(UInt32) and ._unlockSlow(), as Swift spells them.
// Without a wait they are atomics of our own code.

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

// Reference counts: what was done with an object before a reference is let go comes before what its last owner does, be it to change it
// in place or to end it.

// An object's counts: the strong one, less one, is in bits 33 to 62. What is never let go has ones in its lower half; bit 63 says that the
// counts are elsewhere (RefCount.h).
static uint64_t counts(const void *object) { return ((const _Atomic uint64_t *)object)[1]; }

// Acquires only where this may be the last reference: elsewhere it would order what nothing orders.
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
