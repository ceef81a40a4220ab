// Counts the calling thread's heap allocations, by standing in for malloc and its kin.
#ifndef CALLOCATIONS_H
#define CALLOCATIONS_H

#include <stdint.h>

/// Allocations of the calling thread since it started; always 0 where a sanitizer owns malloc.
uint64_t allocations_of_this_thread(void);

/// Whether allocations are counted.
int allocations_are_counted(void);

#endif
