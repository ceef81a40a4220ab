"""Detects other load on the processors, which would distort a measurement."""

import os
import resource
import time

# The accepted load, in processors; if it is exceeded, a measurement is repeated.
TOLERATED = 0.25
WAIT_SECONDS = float(os.environ.get("APUS_BENCH_PATIENCE", 120))
ATTEMPTS = 4


class Watch:
    """The load by other processes: the total load minus that of our own processes that have ended."""

    def __init__(self):
        self.start, self.busy, self.own = time.monotonic(), busy_seconds(), own_seconds()

    def others(self) -> float:
        """The load in processors."""
        used = busy_seconds() - self.busy - (own_seconds() - self.own)
        return max(0.0, used) / max(0.001, time.monotonic() - self.start)


def wait_for_calm():
    """Returns when other processes have been idle for a second, or after WAIT_SECONDS."""
    end = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < end:
        watch = Watch()
        time.sleep(1)
        if watch.others() < TOLERATED:
            return


def least_disturbed(measure) -> tuple:
    """The result of `measure` without other load, or the best of several attempts; and the other load."""
    attempts = []
    for _ in range(ATTEMPTS):
        wait_for_calm()
        watch = Watch()
        result = measure()
        attempts.append((watch.others(), result))
        if attempts[-1][0] < TOLERATED:
            break
    others, result = min(attempts, key=lambda attempt: attempt[0])
    return result, others


def busy_seconds() -> float:
    fields = [int(field) for field in open("/proc/stat").readline().split()[1:9]]
    return (sum(fields) - fields[3] - fields[4]) / os.sysconf("SC_CLK_TCK")


def own_seconds() -> float:
    return sum(sum(resource.getrusage(scope)[:2]) for scope in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
