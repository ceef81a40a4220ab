"""What fragmented MP4 says about time (ISO/IEC 14496-12): the ticks of tracks, and when a fragment begins and was captured."""

NTP_EPOCH = 2_208_988_800
# The identifier of the SEI timestamp (docs/timestamps.md). It contains no two zeros, so H.264 never escapes it.
SEI_IDENTIFIER = bytes.fromhex("9c2b6c9e5e9d4444903f1866e524bed6")


def number(data, offset, count):
    return int.from_bytes(data[offset:offset + count], "big")


def boxes(data):
    """The boxes in these bytes: their types and contents."""
    while len(data) >= 8:
        size = number(data, 0, 4)
        if not 8 <= size <= len(data):
            raise ValueError(f"a box of {size} bytes in {len(data)}")
        yield data[4:8].decode("latin-1"), data[8:size]
        data = data[size:]


def inside(data, *path):
    """The contents of all boxes at this path of types."""
    for kind, content in boxes(data):
        if kind == path[0]:
            yield from inside(content, *path[1:]) if len(path) > 1 else [content]


def timescales(init_segment):
    """Ticks per second of each track, by its identifier."""
    found = {}
    for track in inside(init_segment, "moov", "trak"):
        header, media = next(inside(track, "tkhd")), next(inside(track, "mdia", "mdhd"))
        found[number(header, 20 if header[0] else 12, 4)] = number(media, 20 if media[0] else 12, 4)
    return found


def ntp(data, offset):
    """Seconds since 1970."""
    return number(data, offset, 8) / 2**32 - NTP_EPOCH


def first_sample(run):
    """The flags of the first sample of a `trun`, and the ticks from its decoding to its showing."""
    flags = number(run, 1, 3)
    offset = 8 + sum(4 for flag in (0x1, 0x4, 0x100, 0x200) if flags & flag)
    sample_flags = number(run, offset, 4) if flags & 0x400 else 0
    offset += 4 if flags & 0x400 else 0
    return sample_flags, int.from_bytes(run[offset:offset + 4], "big", signed=True) if flags & 0x800 else 0


class Fragment:
    """A part of LL-HLS: when the first frame of its first track is shown, in seconds of media, and when it was captured."""

    def __init__(self, data, scales):
        self.captured = self.start = self.stamped = None
        begins_with_keyframe = False
        for kind, content in boxes(data):
            if kind == "prft" and self.captured is None:
                self.captured = ntp(content, 8)
            elif kind == "moof" and self.start is None:
                track = next(inside(content, "traf"))
                identifier = number(next(inside(track, "tfhd")), 4, 4)
                decode_time = next(inside(track, "tfdt"))
                flags, offset = first_sample(next(inside(track, "trun")))
                self.start = (number(decode_time, 4, 8 if decode_time[0] else 4) + offset) / scales[identifier]
                begins_with_keyframe = not flags & 0x10000
            elif kind == "mdat" and begins_with_keyframe and self.stamped is None:
                self.stamped = self.stamp(content)

    @staticmethod
    def stamp(content):
        """The time of capture in the SEI of a keyframe; None without one."""
        at = content.find(SEI_IDENTIFIER)
        if at < 0:
            return None
        # A 3 after two zeros is not part of the message (ITU-T H.264, 7.4.1).
        message = content[at + 16:at + 48].replace(b"\0\0\3", b"\0\0")
        return ntp(message, 6)
