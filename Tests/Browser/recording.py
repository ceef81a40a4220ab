"""A test picture and a tone, encoded once and sent again and again: the media of the stand-in."""

import asyncio
import copy
import functools
import itertools
import struct
import subprocess
import time

# Seconds from the epoch of NTP to that of Unix.
NTP_EPOCH = 2_208_988_800


def boxes(data):
    """The top-level boxes of complete bytes, as (type, bytes)."""
    offset = 0
    while offset < len(data):
        size = struct.unpack_from(">I", data, offset)[0]
        yield data[offset + 4:offset + 8], data[offset:offset + size]
        offset += size


def find(data, *types):
    """The offset of a nested box's body."""
    offset, end = 0, len(data)
    for kind in types:
        while data[offset + 4:offset + 8] != kind:
            offset += struct.unpack_from(">I", data, offset)[0]
            if offset >= end:
                raise ValueError(kind)
        offset += 8
    return offset


class Fragment:
    """One access unit of one track: `prft`, `moof` and `mdat`, whose times can be rewritten."""

    def __init__(self, data):
        self.data = data
        moof = find(data, b"moof") - 8
        body = moof + 8
        traf = body + find(data[body:], b"traf")
        self.track = struct.unpack_from(">I", data, traf + find(data[traf:], b"tfhd") + 4)[0]
        self.tfdt = traf + find(data[traf:], b"tfdt") + 4
        self.time = struct.unpack_from(">Q", data, self.tfdt)[0]
        trun = traf + find(data[traf:], b"trun")
        flags = struct.unpack_from(">I", data, trun)[0] & 0xFFFFFF
        self.is_key = bool(flags & 4) or self.track != 1
        self.has_prft = data[4:8] == b"prft"

    def at(self, time, captured):
        """The same with another time, in ticks, and captured at this time, in seconds since 1970."""
        result = copy.copy(self)
        result.time, result.captured = time, captured
        return result

    def rewritten(self, moved):
        """The bytes with times that are moved by so many ticks."""
        data = bytearray(self.data)
        struct.pack_into(">Q", data, self.tfdt, max(0, self.time - moved))
        if self.has_prft:
            struct.pack_into(">QQ", data, 16, int((self.captured + NTP_EPOCH) * (1 << 32)), max(0, self.time - moved))
        return bytes(data)


class Recording:
    """A test picture and a tone of eight seconds, as fragments by ffmpeg, which are sent again and again.

    An ffmpeg process for each stream of each test would take a third of a second of a processor before the first frame."""

    # 240 frames at 30 Hz, and 375 AAC frames of 1024 samples at 48 kHz: both tracks end at the same time.
    SECONDS = 8

    def __init__(self, picture, rate, has_audio):
        self.init = b""
        # Pairs of the seconds since the beginning and the fragment.
        self.fragments = []
        self.scales = ([90_000] if picture else []) + ([48_000] if has_audio else [])
        steps = ([90_000 // rate] if picture else []) + ([1024] if has_audio else [])
        counts = [0] * len(self.scales)
        pending = b""
        for kind, box in boxes(self.encoded(picture, rate, has_audio)):
            if kind in (b"ftyp", b"moov"):
                self.init += box
            elif kind in (b"prft", b"moof", b"mdat"):
                pending += box
                if kind == b"mdat":
                    fragment, pending = Fragment(pending), b""
                    track = fragment.track - 1
                    # ffmpeg delays all frames of video but the first by the samples that AAC has before the first.
                    fragment.time = counts[track] * steps[track]
                    counts[track] += 1
                    seconds = fragment.time / self.scales[track]
                    # AAC has a frame more, because of the same samples.
                    if seconds < self.SECONDS:
                        self.fragments.append((seconds, fragment))
        self.fragments.sort(key=lambda pair: pair[0])

    def encoded(self, picture, rate, has_audio):
        inputs = [
            option for source in (picture, "sine=frequency=330:sample_rate=48000" if has_audio else None) if source
            for option in ("-f", "lavfi", "-t", str(self.SECONDS), "-i", source)]
        return subprocess.run(
            ["ffmpeg", "-nostdin", "-v", "error", *inputs,
             "-c:v", "libx264", "-preset", "ultrafast", "-tune", "zerolatency", "-profile:v", "baseline", "-pix_fmt", "yuv420p",
             "-b:v", "1M", "-g", str(rate * 4), "-threads", "1", "-c:a", "aac", "-b:a", "64k",
             "-video_track_timescale", "90000",
             "-movflags", "empty_moov+default_base_moof+frag_every_frame+separate_moof", "-write_prft", "wallclock",
             "-f", "mp4", "pipe:1"], check=True, stdout=subprocess.PIPE).stdout

    async def play(self, receive):
        """Passes each fragment to a function at its time, without an end."""
        began = time.monotonic()
        for count in itertools.count():
            for seconds, fragment in self.fragments:
                seconds += count * self.SECONDS
                delay = began + seconds - time.monotonic()
                if delay > 0:
                    await asyncio.sleep(delay)
                added = count * self.SECONDS * self.scales[fragment.track - 1]
                receive(fragment.at(fragment.time + added, time.time()))


@functools.cache
def recording(picture, rate, has_audio):
    """The recording of this picture, of which one suffices for all streams of the process."""
    return Recording(picture, rate, has_audio)


@functools.cache
def snapshot(picture, width):
    """A JPEG of the picture."""
    return subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", picture, "-frames:v", "1", "-vf", f"scale={width}:-2",
         "-f", "mjpeg", "pipe:1"], check=True, stdout=subprocess.PIPE).stdout
