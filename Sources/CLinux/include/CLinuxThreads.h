// Threads, processors and signals, where glibc offers macros.
#pragma once

#include <stdint.h>

/// The calling thread, as a number that is never 0 and that no other living thread has.
uint64_t clinux_this_thread(void);

/// Names the calling thread; longer names than 15 bytes are ignored.
void clinux_name_this_thread(const char *name);

/// Keeps the calling thread on one processor; answers 0 or an errno.
int clinux_pin_this_thread(int processor);

/// Writes the numbers of the processors that the process may use; answers how many.
int clinux_usable_processors(int *numbers, int capacity);

/// Lets the calling thread's timers fire when they are due, not up to 50 microseconds later.
void clinux_make_timers_exact(void);

/// Ignores SIGPIPE, and blocks SIGTERM, SIGINT, SIGUSR1 and SIGHUP in this thread and in those that it starts.
void clinux_hold_signals(void);

/// Waits for one of the signals that clinux_hold_signals has blocked; answers which came.
int clinux_wait_for_signal(void);

/// Waits so long for SIGTERM or SIGINT, which clinux_hold_signals has blocked; answers whether one came.
int clinux_is_ended_within(int seconds);
