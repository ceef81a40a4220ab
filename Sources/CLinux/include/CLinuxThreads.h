// Threads, processors and signals: functions for glibc's macros.
#pragma once

#include <stdint.h>

/// The id of the calling thread: never 0, and unique among living threads.
uint64_t clinux_this_thread(void);

/// Names the calling thread. Names longer than 15 bytes are ignored.
void clinux_name_this_thread(const char *name);

/// Pins the calling thread to one processor; returns 0 or an errno.
int clinux_pin_this_thread(int processor);

/// Writes the numbers of the processors that the process may use; returns how many.
int clinux_usable_processors(int *numbers, int capacity);

/// Makes timers of the calling thread fire when due, not up to 50 microseconds later.
void clinux_make_timers_exact(void);

/// Ignores SIGPIPE, and blocks SIGTERM, SIGINT, SIGUSR1 and SIGHUP in this thread and the threads that it starts.
void clinux_hold_signals(void);

/// Waits for one of the signals that clinux_hold_signals has blocked; returns its number.
int clinux_wait_for_signal(void);

/// Waits up to a timeout for SIGTERM or SIGINT, which clinux_hold_signals has blocked; returns whether one came.
int clinux_is_ended_within(int seconds);
