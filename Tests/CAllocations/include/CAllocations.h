// Counts the heap allocations of the calling thread by replacing malloc and related functions.
#ifndef CALLOCATIONS_H
#define CALLOCATIONS_H

#include <stdint.h>

/// Allocations of the calling thread since its start; always 0 if a sanitizer replaces malloc.
uint64_t allocations_of_this_thread(void);

/// Whether allocations are counted.
int allocations_are_counted(void);

#endif
