"""Compares received frames with the sent ones."""

from dataclasses import dataclass, field

from h264 import Frame

FRAMES_PER_SECOND = 30


@dataclass
class Damage:
    """What a viewer sees of its losses."""

    # Frames that did not arrive, or not with the bytes of the source.
    broken: int
    # Intact frames between a broken one and the next intact keyframe: they refer to what is broken.
    stale: int
    # The first frames of the events, which are groups of consecutive broken frames.
    begins: list[int]
    # For each event, the seconds from its first broken frame to the first that is neither broken nor stale.
    healing: list[float] = field(default_factory=list)

    @property
    def events(self) -> int:
        return len(self.begins)


def damage(is_keyframe: list[bool], broken: set[int]) -> Damage:
    is_bad, is_stale, stale, begins = [], False, 0, []
    for index, is_key in enumerate(is_keyframe):
        if index in broken:
            if index - 1 not in broken:
                begins.append(index)
            is_stale = True
        elif is_key:
            is_stale = False
        stale += is_stale and index not in broken
        is_bad.append(is_stale)
    healing = []
    for begin in begins:
        end = next((index for index in range(begin, len(is_bad)) if not is_bad[index]), len(is_bad))
        healing.append((end - begin) / FRAMES_PER_SECOND)
    return Damage(len(broken), stale, begins, healing)


@dataclass
class Comparison:
    expected: int
    # Intact frames.
    received: int
    # Received frames whose bytes are not those of any expected one.
    altered: int
    # The frames that count: those from the first sent one to the last that was received intact.
    is_keyframe: list[bool]
    broken: set[int]
    damage: Damage


def compare(sent: list[Frame], received: list[Frame]) -> Comparison:
    """Finds the received frames in the sent ones, in order. All sent frames must be different."""
    places = {frame.digest: index for index, frame in enumerate(sent)}
    if len(places) != len(sent):
        raise ValueError("two frames of the source are the same")
    found, altered, last = set(), 0, -1
    for frame in received:
        place = places.get(frame.digest)
        if place is None:
            altered += 1
        elif place > last:
            found.add(place)
            last = place
    expected = last + 1
    broken = set(range(expected)) - found
    keys = [frame.is_keyframe for frame in sent[:expected]]
    return Comparison(expected, len(found), altered, keys, broken, damage(keys, broken))


def sent_part(source: list[Frame], sent: list[Frame]) -> list[Frame]:
    """The part of the source that a server has sent, including frames that it left out."""
    places = {frame.digest: index for index, frame in enumerate(source)}
    indices = [places.get(frame.digest) for frame in sent]
    if None in indices:
        raise ValueError(f"the server has sent {indices.count(None)} frames that are not in the source")
    if any(later <= earlier for earlier, later in zip(indices, indices[1:])):
        raise ValueError("the server has sent frames of the source in another order")
    return source[indices[0] : indices[-1] + 1]
