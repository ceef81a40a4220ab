#define _GNU_SOURCE
#include "CLinuxThreads.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>

uint64_t clinux_this_thread(void) {
    return (uint64_t)pthread_self();
}

void clinux_name_this_thread(const char *name) {
    pthread_setname_np(pthread_self(), name);
}

int clinux_pin_this_thread(int processor) {
    if (processor < 0 || processor >= CPU_SETSIZE) return EINVAL;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    return pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
}

int clinux_usable_processors(int *numbers, int capacity) {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof(set), &set) != 0) return 0;
    int count = 0;
    for (int processor = 0; processor < CPU_SETSIZE && count < capacity; processor++) {
        if (CPU_ISSET(processor, &set)) numbers[count++] = processor;
    }
    return count;
}

void clinux_make_timers_exact(void) {
    prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
}

static void fill_with_held(sigset_t *set) {
    sigemptyset(set);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGUSR1);
    sigaddset(set, SIGHUP);
}

void clinux_hold_signals(void) {
    sigset_t set;
    fill_with_held(&set);
    signal(SIGPIPE, SIG_IGN);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}

int clinux_wait_for_signal(void) {
    sigset_t set;
    int number = 0;
    fill_with_held(&set);
    while (sigwait(&set, &number) != 0) {}
    return number;
}

int clinux_is_ended_within(int seconds) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    struct timespec span = {.tv_sec = seconds};
    int number;
    // Another signal (SIGCONT) interrupts the wait: it starts again.
    while ((number = sigtimedwait(&set, NULL, &span)) < 0 && errno == EINTR) {}
    return number > 0;
}
