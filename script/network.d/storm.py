"""Viewers that receive everything, beside many that lose packets and ask for them: gaps and latencies of the former."""

import argparse
import json
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from servers import PORT, SCRIPTS, Apus

HOST = "127.0.0.1"
# Two packets a frame: 1000 viewers are sent 30 000 packets a second.
PATH = {
    "source": "testcard",
    "video": {"width": 160, "height": 120, "frameRate": 15, "bitrate": 200_000},
    "audio": {"enabled": False},
}
# What the other viewers lose, in each round; none are there without a number. The storm's is an option.
CASES = {"alone": None, "beside viewers without losses": 0.0, "storm": None}
SERVER_UDP_PORTS = range(6970, 7170)
JOINS_PER_SECOND = 100
# What joining may take on a busy machine.
SPARE_SECONDS = 120
PERCENTILES = ("p50", "p95", "p99", "max")


class Failure(Exception):
    """A run without a result, with the reason."""


@contextmanager
def process(command: list, folder: Path, name: str):
    """A process that ends with the block."""
    with (folder / f"{name}.log").open("w") as log:
        one = subprocess.Popen(list(map(str, command)), stdout=log, stderr=log, stdin=subprocess.DEVNULL)
    try:
        yield one
    finally:
        one.send_signal(signal.SIGTERM)
        try:
            one.wait(30)
        except subprocess.TimeoutExpired:
            one.kill()
            one.wait()


def wait(condition, one: subprocess.Popen, seconds: float, log: Path):
    end = time.monotonic() + seconds
    while not condition():
        if one.poll() is not None or time.monotonic() > end:
            raise Failure(f"{log.stem}: {log.read_text()[-300:]}")
        time.sleep(0.05)


def is_listening() -> bool:
    with socket.socket() as one:
        return one.connect_ex((HOST, PORT)) == 0


def run(loss: float | None, options: argparse.Namespace, folder: Path) -> dict:
    """One server, the clean viewers, and the others if there is a loss."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    # The command is a line for bash, which it replaces by `exec`.
    serve = ["bash", "-c", Apus(options.config_extra).command(folder, PATH)]
    with process(serve, folder, "serve") as server:
        wait(is_listening, server, 20, folder / "serve.log")
        if loss is None:
            return measured(options, server, folder)
        seconds = options.seconds + SPARE_SECONDS
        crowd = [sys.executable, SCRIPTS / "network.d/lossy_crowd.py", HOST, PORT, options.others, loss, seconds, folder / "crowd.json"]
        with process(crowd, folder, "crowd") as others:
            wait((folder / "crowd.json.playing").exists, others, SPARE_SECONDS / 2, folder / "crowd.log")
            clean = measured(options, server, folder)
        return {**clean, "others": json.loads((folder / "crowd.json").read_text())}


def measured(options: argparse.Namespace, server: subprocess.Popen, folder: Path) -> dict:
    """What the clean viewers report, and what the server counts."""
    binary = os.environ["APUS_BINARY"]
    bench = [binary, "bench", "viewers", f"rtsp://{HOST}:{PORT}/cam", "--count", options.viewers, "--seconds", options.seconds]
    bench += ["--ramp", JOINS_PER_SECOND, "--json", "--server-pid", server.pid]
    done = subprocess.run(list(map(str, bench)), capture_output=True, text=True, timeout=options.seconds + SPARE_SECONDS)
    (folder / "bench.json").write_text(done.stdout)
    report = json.loads(done.stdout)
    if "error" in report:
        raise Failure(report["error"])
    status = subprocess.run([binary, "status", "--config", folder / "apus.yml", "--json"], capture_output=True, text=True, timeout=30)
    loops = json.loads(status.stdout)["loops"]
    return {
        "viewers": report["established"],
        "failed": report["failures"],
        "gaps": report["gaps"],
        "lost": report["lost"],
        "packets": report["packets"],
        "latency": report["captureToArrival"],
        "serverLoad": report["server"]["processorSeconds"] / report["seconds"],
        "retransmitted": sum(loop["retransmittedPackets"] for loop in loops),
        "droppedRequests": dropped_requests(),
        "refused": sum(loop["refusedMessages"] for loop in loops),
    }


def dropped_requests() -> int:
    """Datagrams to the server that its kernel dropped, because it did not read them in time."""
    drops = 0
    for file in ("/proc/net/udp", "/proc/net/udp6"):
        for line in Path(file).read_text().splitlines()[1:]:
            words = line.split()
            if int(words[1].split(":")[1], 16) in SERVER_UDP_PORTS:
                drops += int(words[-1])
    return drops


def brief(one: dict) -> str:
    latency = ", ".join(f"{name} {one['latency'][name]:.1f}" for name in PERCENTILES)
    others = f"; others: {one['others']}" if "others" in one else ""
    return f"{one['viewers']} viewers, {one['gaps']} gaps, {one['lost']} lost, latency {latency} ms, {one['retransmitted']} sent again, {one['droppedRequests']} requests dropped{others}"


def table(rounds: list[dict[str, dict]]) -> str:
    heads = ("others", "clean viewers", "gaps", "lost packets", *(f"{name} (ms)" for name in PERCENTILES), "server (cores)", "requests (1/s)", "dropped by the server's kernel", "packets asked for (1/s)", "sent again (1/s)", "repaired", "given up", "duplicates")  # fmt: skip
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    for case in rounds[0]:
        runs = [one[case] for one in rounds]
        others = [one["others"] for one in runs if "others" in one]

        def middle(value, runs=runs):
            return median(value(one) for one in runs)

        cells = [
            case, " / ".join(str(one["viewers"]) for one in runs),
            " / ".join(str(one["gaps"]) for one in runs), " / ".join(str(one["lost"]) for one in runs),
            *(f"{middle(lambda one, name=name: one['latency'][name]):.2f}" for name in PERCENTILES),
            f"{middle(lambda one: one['serverLoad']):.2f}",
            f"{median(one['requestsPerSecond'] for one in others):.0f}" if others else "–",
            " / ".join(str(one["droppedRequests"]) for one in runs),
            f"{median(one['askedPerSecond'] for one in others):.0f}" if others else "–",
            f"{median((one['repairedPerSecond'] + one['duplicatesPerSecond']) for one in others):.0f}" if others else "–",
            *(f"{100 * sum(one[name] for one in others) / max(1, sum(one['lost'] for one in others)):.1f} %" if others else "–" for name in ("repaired", "given_up")),
            " / ".join(str(one["duplicates"]) for one in others) or "–",
        ]  # fmt: skip
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def comparison(rounds: list[dict[str, dict]]) -> str:
    """How much the latency of the clean viewers differs from the other cases, by the medians of all rounds."""
    lines = []
    for reference in [case for case in rounds[0] if case != "storm"]:
        changes = []
        for name in PERCENTILES[:3]:
            with_storm, without = (median(one[case]["latency"][name] for one in rounds) for case in ("storm", reference))
            changes.append(f"{name} {100 * (with_storm / without - 1):+.1f} %")
        lines.append(f"Latency in the storm, compared with {reference}: {', '.join(changes)}")
    return "\n".join(lines)


def main(words: list[str], wait_while):
    parser = argparse.ArgumentParser(prog="script/network storm", allow_abbrev=False)
    parser.add_argument("--viewers", type=int, default=500, metavar="N", help="clean ones")
    parser.add_argument("--others", type=int, default=500, metavar="N", help="that lose packets")
    parser.add_argument("--loss", type=float, default=0.1, metavar="SHARE")
    parser.add_argument("--seconds", type=int, default=30, help="of each run")
    parser.add_argument("--rounds", type=int, default=3, metavar="N")
    parser.add_argument("--config-extra", type=json.loads, default={}, metavar="JSON")
    parser.add_argument("--name", default="storm", help="of the file NAME.json")
    parser.add_argument("--wait-while", type=Path, metavar="FILE")
    options = parser.parse_args(words)
    # Each viewer of the crowd has three sockets.
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    rounds = []
    for number in range(options.rounds):
        try:
            rounds.append(one_round(options, number + 1, wait_while))
        except Failure as failure:
            print(f"BROKEN  round {number + 1}: {failure}", flush=True)
    if not rounds:
        raise SystemExit(1)
    Path(f"{options.name}.json").write_text(json.dumps(rounds, indent=1) + "\n")
    print(f"\n{table(rounds)}\n\n{comparison(rounds)}")


def one_round(options: argparse.Namespace, number: int, wait_while) -> dict[str, dict]:
    result = {}
    for case, loss in {**CASES, "storm": options.loss}.items():
        wait_while(options.wait_while)
        result[case] = run(loss, options, Path.cwd() / "run")
        print(f"round {number}, {case}: {brief(result[case])}", flush=True)
    return result
