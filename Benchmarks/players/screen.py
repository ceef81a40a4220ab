"""Reads frame numbers from a virtual display: one line of pixels, many times a second."""

import ctypes
import os
import subprocess
import threading
import time

from video import HEIGHT, SQUARE, SQUARES, WIDTH, number_in


class Display:
    """A virtual X server without a window manager, larger than the video, so that players do not scale."""

    WIDTH, HEIGHT = 2560, 1440

    def __init__(self, number: int):
        self.name = f":{number}"
        self._process = subprocess.Popen(
            ["Xvfb", self.name, "-screen", "0", f"{self.WIDTH}x{self.HEIGHT}x24", "-nolisten", "tcp", "-noreset"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        deadline = time.monotonic() + 5
        while not os.path.exists(f"/tmp/.X11-unix/X{number}"):
            if time.monotonic() > deadline or self._process.poll() is not None:
                raise SystemExit(f"Xvfb {self.name} does not start; if another server uses this number, choose one with --display")
            time.sleep(0.05)

    def close(self):
        self._process.terminate()
        self._process.wait()


class _Image(ctypes.Structure):
    """The first members of Xlib's XImage."""

    _fields_ = [
        ("width", ctypes.c_int), ("height", ctypes.c_int), ("xoffset", ctypes.c_int), ("format", ctypes.c_int),
        ("data", ctypes.POINTER(ctypes.c_ubyte)),
    ]  # fmt: skip


class _Geometry(ctypes.Structure):
    """The results of XGetGeometry for a window."""

    _fields_ = [
        ("root", ctypes.c_ulong), ("x", ctypes.c_int), ("y", ctypes.c_int), ("width", ctypes.c_uint),
        ("height", ctypes.c_uint), ("border", ctypes.c_uint), ("depth", ctypes.c_uint),
    ]  # fmt: skip


class ScreenReader(threading.Thread):
    """Reads the frame number on the screen repeatedly and records when each number first appeared."""

    PERIOD = 0.004

    def __init__(self, display: str):
        super().__init__(daemon=True)
        # (first seen, number) of each frame; the number is None while none is readable.
        self.seen: list[tuple[float, int | None]] = []
        self.looks = 0
        self._closing = threading.Event()
        self._x11 = _xlib()
        self._display = self._x11.XOpenDisplay(display.encode())
        if not self._display:
            raise SystemExit(f"cannot open the display {display}")
        self._root = self._x11.XDefaultRootWindow(self._display)

    def run(self):
        while not self._closing.is_set():
            number = self._look()
            if not self.seen or self.seen[-1][1] != number:
                self.seen.append((time.time(), number))
            self.looks += 1
            time.sleep(self.PERIOD)
        self._x11.XCloseDisplay(self._display)

    def close(self):
        self._closing.set()
        self.join()

    def _look(self) -> int | None:
        corner = self._video_corner()
        if corner is None:
            return None
        all_planes, z_pixmap, bytes_per_pixel = 0xFFFFFFFF, 2, 4
        image = self._x11.XGetImage(
            self._display, self._root, corner[0], corner[1] + SQUARE // 2, SQUARE * SQUARES, 1, all_planes, z_pixmap
        )
        if not image:
            return None
        pixels = image.contents.data
        greens = [pixels[(square * SQUARE + SQUARE // 2) * bytes_per_pixel + 1] for square in range(SQUARES)]
        self._x11.XDestroyImage(image)
        # Neither black nor white: another image, or a damaged frame.
        if any(64 < green < 192 for green in greens):
            return None
        return number_in([int(green > 128) for green in greens])

    def _video_corner(self) -> tuple[int, int] | None:
        """The position of the window that has the size of the video and is completely on the screen."""
        unused, windows, count = ctypes.c_ulong(), ctypes.POINTER(ctypes.c_ulong)(), ctypes.c_uint()
        self._x11.XQueryTree(
            self._display, self._root, ctypes.byref(unused), ctypes.byref(unused), ctypes.byref(windows),
            ctypes.byref(count),
        )  # fmt: skip
        corner = None
        for window in windows[: count.value]:
            place = _Geometry()
            members = [ctypes.byref(place, getattr(_Geometry, name).offset) for name, _ in _Geometry._fields_]
            if not self._x11.XGetGeometry(self._display, window, *members):
                continue
            right, bottom = place.x + place.width, place.y + place.height
            is_inside = place.x >= 0 and place.y >= 0 and right <= Display.WIDTH and bottom <= Display.HEIGHT
            if (place.width, place.height) == (WIDTH, HEIGHT) and is_inside:
                corner = (place.x, place.y)
        if windows:
            self._x11.XFree(windows)
        return corner


_ErrorHandler = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
# Windows may close while they are queried; this must not make Xlib exit the process.
_ignoring_errors = _ErrorHandler(lambda display, event: 0)


def _xlib() -> ctypes.CDLL:
    """Xlib with the signatures of the used functions."""
    xlib = ctypes.CDLL("libX11.so.6")
    pointer, window, integer, natural = ctypes.c_void_p, ctypes.c_ulong, ctypes.c_int, ctypes.c_uint
    xlib.XOpenDisplay.restype = pointer
    xlib.XDefaultRootWindow.argtypes = [pointer]
    xlib.XDefaultRootWindow.restype = window
    xlib.XQueryTree.argtypes = [pointer, window, pointer, pointer, pointer, pointer]
    xlib.XGetGeometry.argtypes = [pointer, window] + 7 * [pointer]
    xlib.XGetImage.argtypes = [pointer, window, integer, integer, natural, natural, window, integer]
    xlib.XGetImage.restype = ctypes.POINTER(_Image)
    xlib.XDestroyImage.argtypes = [ctypes.POINTER(_Image)]
    xlib.XFree.argtypes = [pointer]
    xlib.XCloseDisplay.argtypes = [pointer]
    xlib.XSetErrorHandler.argtypes = [_ErrorHandler]
    xlib.XSetErrorHandler.restype = pointer
    xlib.XSetErrorHandler(_ignoring_errors)
    return xlib
