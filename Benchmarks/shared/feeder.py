#!/usr/bin/env python3
"""Writes a video's access units into a fifo at their normal rate, endlessly: feeder.py VIDEO FIFO plain|stamped|captured [IDR-BYTES].

Each unit is followed by the next one's delimiter and start code, which mark its end; in Annex B format, the end would otherwise be
known only when the next unit arrives.
"""

import fcntl
import sys
from pathlib import Path

from video import ACCESS_UNIT_DELIMITER, START_CODE, instants, units

F_SETPIPE_SZ = 1031


def main():
    video, fifo, stamps = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    idr_bytes = int(sys.argv[4]) if len(sys.argv) > 4 else 0
    end = ACCESS_UNIT_DELIMITER + START_CODE
    with open(fifo, "wb", buffering=0) as pipe:
        fcntl.fcntl(pipe, F_SETPIPE_SZ, 1 << 20)
        pipe.write(end)
        pace = instants()
        while True:
            for unit in units(video):
                number = next(pace)
                padding = max(0, idr_bytes - len(unit.slice)) if unit.is_idr else 0
                # The start code was written before.
                pipe.write(unit.handed_over(stamps, number, padding)[len(START_CODE) :] + end)


if __name__ == "__main__":
    try:
        main()
    except (BrokenPipeError, KeyboardInterrupt):
        pass
