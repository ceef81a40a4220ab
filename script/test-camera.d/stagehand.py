#!/usr/bin/python3
"""Runs in the guest and controls vivid and the loopback sound card for a test.

stagehand.py set CONTROL VALUE   sets a control of /dev/video0 by number
stagehand.py flash COUNT         once a second, the frame becomes bright and a tone begins at the same instant
"""

import array
import ctypes
import errno
import fcntl
import math
import struct
import sys
import threading
import time

VIDIOC_S_CTRL = 0xC008561C
BRIGHTNESS = 0x00980900  # V4L2_CID_BRIGHTNESS
DARK, BRIGHT = 128, 255

RATE = 48000
CHUNK = RATE // 100
TONE_CHUNKS = 20
SND_PCM_STREAM_PLAYBACK, SND_PCM_FORMAT_S16_LE, SND_PCM_ACCESS_RW_INTERLEAVED = 0, 2, 3


def set_control(camera, control, value):
    fcntl.ioctl(camera, VIDIOC_S_CTRL, struct.pack("Ii", control, value))


class Loudspeaker:
    """Plays audio, which the microphone hw:Loopback,1,0 captures."""

    def __init__(self):
        self.alsa = ctypes.CDLL("libasound.so.2")
        self.alsa.snd_strerror.restype = ctypes.c_char_p
        self.alsa.snd_pcm_writei.restype = ctypes.c_long
        self.pcm = ctypes.c_void_p()
        self.check(self.alsa.snd_pcm_open(ctypes.byref(self.pcm), b"plughw:Loopback,0,0", SND_PCM_STREAM_PLAYBACK, 0))
        self.check(
            self.alsa.snd_pcm_set_params(
                self.pcm, SND_PCM_FORMAT_S16_LE, SND_PCM_ACCESS_RW_INTERLEAVED, 2, RATE, 1, 200_000
            )
        )

    def check(self, code):
        if code < 0:
            sys.exit(f"sound card: {self.alsa.snd_strerror(code).decode()}")
        return code

    def go_on_after(self, code):
        """Recovers from an underrun or a write that timed out after 220 ms (EIO), which costs the tone of one flash."""
        if code < 0 and code != -errno.EIO:
            self.check(self.alsa.snd_pcm_recover(self.pcm, ctypes.c_int(code), 1))

    def seconds_ahead(self):
        """Returns the time until a sample written now is played."""
        frames = ctypes.c_long()
        self.go_on_after(self.alsa.snd_pcm_delay(self.pcm, ctypes.byref(frames)))
        return frames.value / RATE

    def play(self, samples):
        """Blocks while more than 200 ms are buffered."""
        self.go_on_after(self.alsa.snd_pcm_writei(self.pcm, samples.tobytes(), ctypes.c_ulong(CHUNK)))


def flash(camera, count):
    silence = array.array("h", [0] * 2 * CHUNK)
    wave = [round(12000 * math.sin(2 * math.pi * 1000 * i / RATE)) for i in range(CHUNK)]
    tone = array.array("h", [sample for sample in wave for _ in range(2)])
    loudspeaker = Loudspeaker()

    def light_up(instant):
        time.sleep(max(0, instant - time.monotonic()))
        set_control(camera, BRIGHTNESS, BRIGHT)
        time.sleep(TONE_CHUNKS * CHUNK / RATE)
        set_control(camera, BRIGHTNESS, DARK)

    lights = []
    for index in range(count * 100):
        phase = index % 100 - 50
        if phase == 0:
            instant = time.monotonic() + loudspeaker.seconds_ahead()
            lights.append(threading.Thread(target=light_up, args=[instant]))
            lights[-1].start()
        loudspeaker.play(tone if 0 <= phase < TONE_CHUNKS else silence)
    for light in lights:
        light.join()


with open("/dev/video0", "rb+", buffering=0) as camera:
    if sys.argv[1] == "set":
        set_control(camera, int(sys.argv[2], 0), int(sys.argv[3]))
    else:
        flash(camera, int(sys.argv[2]))
