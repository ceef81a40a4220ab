"""Runs the cells of the table one after the other: see script/network."""

import argparse
import itertools
import json
import sys
import time
from pathlib import Path

import rates
import renditions
import self_test
import storm
from cell import LOSSES, Failure, Setup, run
from clients import CLIENTS
from results import Results
from servers import WITHOUT_REPAIR, Apus, GStreamer, merged
from video import Video

# The video is longer than a run, by what joining and ending may take.
SPARE_SECONDS = 30
MODES = {"rates": rates, "renditions": renditions, "storm": storm}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="script/network", description="Clients on lossy networks.", allow_abbrev=False)
    parser.add_argument("--self-test", action="store_true", help="check the scripts, without a network")
    parser.add_argument("--table", action="store_true", help="print the table of earlier runs")
    parser.add_argument("--clients", nargs="+", choices=CLIENTS, default=[name for name, client in CLIENTS.items() if client.is_installed])
    parser.add_argument("--servers", nargs="+", choices=("apus", "gst-rtsp-server"), default=["apus", "gst-rtsp-server"])
    parser.add_argument("--source", choices=("file", "testcard"), default="file")
    parser.add_argument("--losses", nargs="+", choices=LOSSES, default=[loss for loss in LOSSES if loss != "none"])
    parser.add_argument("--round-trips", nargs="+", type=int, default=[5, 40], metavar="MS")
    parser.add_argument("--seeds", nargs="+", type=int, default=[1, 2, 3], metavar="N")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--without", action="store_true", help="also measure Apus with repair switched off")
    parser.add_argument("--label", default="Apus", metavar="NAME", help="what the results call Apus")
    parser.add_argument("--config-extra", type=json.loads, default={}, metavar="JSON", help="options for Apus")
    parser.add_argument("--results", type=Path, default=Path("results.json"), metavar="FILE")
    parser.add_argument("--wait-while", type=Path, metavar="FILE", help="start no run while this file exists")
    return parser.parse_args()


def main():
    if sys.argv[1:2] and sys.argv[1] in MODES:
        MODES[sys.argv[1]].main(sys.argv[2:], wait_while)
        return
    options = arguments()
    if options.self_test:
        sys.exit(self_test.run())
    results = Results(options.results)
    if options.table:
        print(results.table())
        return
    servers = {"apus": [Apus(options.config_extra, options.label)], "gst-rtsp-server": [GStreamer()]}
    if options.without:
        servers["apus"].append(Apus(merged(options.config_extra, WITHOUT_REPAIR), f"{options.label} without repair"))
    wait_while(options.wait_while)
    video = Video(Path.cwd(), options.seconds + SPARE_SECONDS) if options.source == "file" else None
    failures = 0
    for loss, round_trip, client, seed, kind in itertools.product(
        options.losses, options.round_trips, options.clients, options.seeds, options.servers
    ):
        # VLC plays over SAT>IP, and gst-rtsp-server refuses the URL of its PLAY.
        if kind == "gst-rtsp-server" and client == "vlc":
            continue
        for server in servers[kind]:
            wait_while(options.wait_while)
            setup = Setup(server.name, client, loss, round_trip, seed, options.seconds, options.source)
            try:
                figures = run(setup, server, CLIENTS[client], video, Path.cwd() / "run")
            except Failure as failure:
                print(f"BROKEN  {line(setup)}: {failure}", flush=True)
                failures += 1
                continue
            results.add(figures)
            print(f"{line(setup)}: {brief(figures)}", flush=True)
    print(f"\n{results.table()}")
    sys.exit(1 if failures else 0)


def wait_while(file: Path | None):
    while file and file.exists():
        time.sleep(1)


def line(setup: Setup) -> str:
    return f"{setup.client}, {setup.server}, loss {setup.loss}, {setup.round_trip_milliseconds} ms, seed {setup.seed}"


def after_report(run: dict) -> str:
    count = run["eventsAfterReport"]
    return "" if count is None else f" ({count} after the first report)"


def brief(run: dict) -> str:
    return (
        f"{run['expected']} frames, {run['broken']} broken, {run['stale']} stale, {run['events']} events{after_report(run)}, healed after "
        f"{run['healedMean']:.2f} s (worst {run['healedWorst']:.2f}); lost {run['lostDown']} of {run['packetsDown']} down, {run['lostUp']} up, {run['neverArrived']} never arrived; "
        f"{run['requests']} NACKs, {run['repeated']} repeated ({100 * run['repeatedShare']:.1f} %); predicted broken "
        f"{run.get('withoutRepairBroken', '–')} without repair, {run.get('ffmpegModelBroken', '–')} with ffmpeg's NACKs; "
        f"first frame after {1000 * run['firstFrameSeconds']:.0f} ms"
        + (f"; ENDED EARLY, {run['sentAfterLast']} frames before the server" if run["sentAfterLast"] > 90 else "")
    )


if __name__ == "__main__":
    main()
