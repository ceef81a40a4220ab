"""What runs about the cost of viewers share: processor time of servers, programs in C, and the stream."""
import os
import resource
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "script/network.d"))

from video import Video

TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


def processor_seconds(processes):
    """What processes have used since they began, in user and kernel mode."""
    total = 0
    for process in processes:
        fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        total += int(fields[11]) + int(fields[12])
    return total / TICKS_PER_SECOND


def compiled(name, *libraries):
    """The program of a file in C beside this one."""
    program = Path.cwd() / name
    subprocess.run(["cc", "-O2", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-o", program, Path(__file__).with_name(f"{name}.c"), *libraries], check=True)
    return str(program)


def stream_file():
    """1280×720 with 2 Mbit/s. A server plays it again and again."""
    return Video(Path.cwd(), 90).file


def allow_descriptors():
    """As many as the system allows, also for the servers that are started later."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
