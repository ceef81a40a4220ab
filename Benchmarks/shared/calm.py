"""Whether anything else uses the processors: what it takes, it takes from what is measured."""

import os
import resource
import time

# Of one processor: more, and a measurement is made again.
TOLERATED = 0.25
PATIENCE = float(os.environ.get("APUS_BENCH_PATIENCE", 120))
ATTEMPTS = 4


class Watch:
    """What others use while it runs: all that is used less what our own processes did, once they have ended."""

    def __init__(self):
        self.start, self.busy, self.own = time.monotonic(), busy_seconds(), own_seconds()

    def others(self) -> float:
        """In processors."""
        used = busy_seconds() - self.busy - (own_seconds() - self.own)
        return max(0.0, used) / max(0.001, time.monotonic() - self.start)


def wait_for_calm():
    """Returns when nobody has used the processors for a second, or patience is at an end."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        watch = Watch()
        time.sleep(1)
        if watch.others() < TOLERATED:
            return


def least_disturbed(measure) -> tuple:
    """What `measure` answers when others left the processors to it, or the best of several attempts, and what others used."""
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
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
