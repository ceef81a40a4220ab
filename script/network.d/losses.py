"""Which packets script/impair loses: the same numbers as Sources/Impairment, from seed, direction and a packet's number."""

MASK = (1 << 64) - 1
INCREMENT = 0x9E3779B97F4A7C15
UP, DOWN = 1, 2
LOSS, CHANNEL_STATE = 1, 2


def mixed(state: int) -> int:
    """The output function of SplitMix64."""
    bits = (state + INCREMENT) & MASK
    bits = ((bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    bits = ((bits ^ (bits >> 27)) * 0x94D049BB133111EB) & MASK
    return bits ^ (bits >> 31)


class Numbers:
    """Random numbers for one purpose in one direction."""

    def __init__(self, seed: int, direction: int, purpose: int):
        self.base = mixed((mixed(seed) + (direction << 32) + purpose) & MASK)

    def fraction(self, position: int) -> float:
        return (mixed((self.base + position * INCREMENT) & MASK) >> 11) * 2.0**-53


class LossProcess:
    """Decides about one packet after the other. `setting` is a loss as script/impair has it, such as `1%` or
    `gilbert-elliott 0.25% 25%`."""

    def __init__(self, seed: int, direction: int, setting: str):
        self.losses, self.changes = Numbers(seed, direction, LOSS), Numbers(seed, direction, CHANNEL_STATE)
        words = setting.split()
        self.is_bursty = words[0] == "gilbert-elliott"
        shares = [float(word.rstrip("%")) / 100 for word in words[self.is_bursty :]]
        self.enter, self.leave = shares if self.is_bursty else (0, 0)
        self.share = shares[0]
        self.number, self.is_bad = 0, False

    def loses_next(self) -> bool:
        number, probability = self.number, self.share
        self.number += 1
        if self.is_bursty:
            if self.changes.fraction(number) < (self.leave if self.is_bad else self.enter):
                self.is_bad = not self.is_bad
            probability = 1.0 if self.is_bad else 0.0
        return self.losses.fraction(number) < probability
