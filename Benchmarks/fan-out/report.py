"""Stores results, computes medians and formats the tables."""

import json
import statistics
from pathlib import Path

BEGIN, END = "<!-- measured: script/bench -->", "<!-- end of what was measured -->"
LIMITS = {"udp": "wholeTrains", "tcp": "connections"}
# A server that delivers a smaller share of the packets, or serves a smaller share of the viewers, has failed: larger counts are
# skipped.
ENOUGH = 0.9


class Results:
    """All cells of all rounds."""

    def __init__(self, machine: str, cells=None, limits=None, storms=None, controls=None, tails=None):
        self.machine = machine
        self.cells: dict[str, list] = cells or {}
        self.limits: dict[str, list] = limits or {}
        self.storms: list[dict] = storms or []
        self.controls: list[dict] = controls or []
        self.tails: list[dict] = tails or []

    @staticmethod
    def read(file: Path) -> "Results":
        return Results(**json.loads(file.read_text()))

    def write(self, file: Path):
        file.write_text(json.dumps(vars(self), indent=1))

    def add(self, server: str, transport: str, count: int, report: dict | None, others: float, timed: dict | None):
        latency = (timed or {}).get("handOverToArrival") or {}
        figures = summary(report, count) | {"others": others, "p50": latency.get("p50"), "p99": latency.get("p99")}
        self.cells.setdefault(f"{server} {transport} {count}", []).append(figures)

    def add_limit(self, count: int, report: dict | None, others: float):
        costs = {name: report[name]["processorSecondsPerGigabyte"] for name in LIMITS.values()} if report else {}
        self.limits.setdefault(str(count), []).append(costs | {"others": others})

    def add_storm(self, watching: dict, joining: dict | None):
        delays = (joining or {}).get("playToRandomAccess") or {}
        connect = (joining or {}).get("connectToRandomAccess") or {}
        self.storms.append(
            {"joined": (joining or {}).get("established", 0), "failures": (joining or {}).get("failures", {}), "gaps": watching.get("gaps", -1)}
            | {"answerToIDR": delays.get("max"), "connectToIDR": connect.get("max"), "connectToIDRp50": connect.get("p50")}
        )

    def add_control(self, trips: dict):
        self.controls.append(trips)

    def add_tails(self, tails: dict):
        self.tails.append(tails)

    def has_given_up(self, server: str, transport: str) -> bool:
        mine = [runs for name, runs in self.cells.items() if name.rsplit(" ", 1)[0] == f"{server} {transport}"]
        return any(run["whole"] < ENOUGH for runs in mine for run in runs)

    def median(self, server: str, transport: str, count: int, figure: str) -> float | None:
        return median(run.get(figure) for run in self.cells.get(f"{server} {transport} {count}", []))

    def limit(self, transport: str, count: int) -> float | None:
        return median(run.get(LIMITS[transport]) for run in self.limits.get(str(count), []))

    def servers(self) -> list[str]:
        return sorted({name.rsplit(" ", 2)[0] for name in self.cells})

    def counts(self) -> list[int]:
        return sorted({int(name.rsplit(" ", 1)[1]) for name in self.cells})

    def line(self, server: str, transport: str, count: int, run: int) -> str:
        last = self.limits[str(count)][-1] if server == "limit" else self.cells[f"{server} {transport} {count}"][-1]
        return f"round {run + 1}: {server} {transport} {count}: {last}"


def summary(report: dict | None, count: int) -> dict:
    """The figures of one cell."""
    if not report:
        return {"whole": 0.0}
    steady, server = report.get("steady"), report.get("server")
    sent = report["packets"] + (steady["lost"] if steady else 0)
    memory = (server["playing"]["residentBytes"] - server["before"]["residentBytes"]) / count if server else None
    return {
        "whole": min(report["established"] / count, report["packets"] / sent if sent else 0.0) if steady else 0.0,
        "lost": steady and steady["lost"],
        "cost": steady and steady.get("processorSecondsPerGigabyte"),
        "serverLoad": steady and steady.get("processorSeconds", 0) / steady["seconds"],
        "receiverLoad": steady and steady["receiverLoad"],
        "megabits": steady and steady["bytes"] * 8e-6 / steady["seconds"],
        "memory": memory,
    }


def median(values) -> float | None:
    known = [value for value in values if value is not None]
    return statistics.median(known) if known else None


def shown(value: float | None, digits: int = 2) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def figures_table(results: Results) -> str:
    """A row per transport, count and server."""
    rounds = max((len(runs) for runs in results.cells.values()), default=0)
    others = max((run.get("others", 0) for runs in [*results.cells.values(), *results.limits.values()] for run in runs), default=0)
    lines = [
        f"On {results.machine}; medians of up to {rounds} rounds. Other processes used at most {others:.2f} cores meanwhile.",
        "",
        "| | viewers | server | CPU-s/GB | to the limit | server's core | receivers' core | Mbit/s | packets lost "
        "| hand-over → last packet, ms, p50 / p99 |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for transport in LIMITS:
        for count in results.counts():
            limit = results.limit(transport, count)
            for server in results.servers():
                lines += row(results, transport, count, server, limit)
            if limit:
                lines.append(f"| {transport.upper()} | {count} | *limit* | {shown(limit)} | 1 | | | | | |")
    return "\n".join(lines) + "\n"


def row(results: Results, transport: str, count: int, server: str, limit: float | None) -> list[str]:
    if f"{server} {transport} {count}" not in results.cells:
        return []

    def figure(name: str) -> float | None:
        return results.median(server, transport, count, name)

    cost = figure("cost")
    if cost is None:
        return [f"| {transport.upper()} | {count} | {server} | failed | | | | | | |"]
    return [
        f"| {transport.upper()} | {count} | {server} | {shown(cost)} | {shown(limit and cost / limit)} "
        f"| {shown((figure('serverLoad') or 0) * 100, 0)} % | {shown((figure('receiverLoad') or 0) * 100, 0)} % "
        f"| {shown(figure('megabits'), 0)} | {shown(figure('lost'), 0)} | {shown(figure('p50'))} / {shown(figure('p99'))} |"
    ]


def promises_table(results: Results) -> str:
    lines = []
    if results.storms:
        worst = max(storm["connectToIDR"] for storm in results.storms)
        usual = median(storm["connectToIDRp50"] for storm in results.storms)
        joined = min(storm["joined"] for storm in results.storms)
        gaps = max(storm["gaps"] for storm in results.storms)
        lines.append(
            f"- 500 joins within a second beside 500 viewers: {joined} joined; connection → first IDR p50 {shown(usual, 0)} ms, "
            f"the last {shown(worst, 0)} ms; gaps that the 500 saw: {gaps}."
        )
    if results.controls:
        p50, p99, worst = (median(trips[name] for trips in results.controls) for name in ("p50", "p99", "max"))
        lines.append(
            f"- OPTIONS while IDRs of 100 KB go to 1 000 viewers: p50 {shown(p50)} ms, p99 {shown(p99)} ms, the worst {shown(worst)} ms."
        )
    for video, name in {"film.264": "an IDR every 2 s", "refreshed.264": "intra-refresh"}.items():
        known = [tails[video] for tails in results.tails if tails.get(video)]
        p50, p99, worst = (median(tail[figure] for tail in known) for figure in ("p50", "p99", "max"))
        if known:
            lines.append(
                f"- 1 000 viewers over UDP, hand-over → last packet with {name}: p50 {shown(p50)} ms, p99 {shown(p99)} ms, "
                f"the worst {shown(worst)} ms."
            )
    memory = results.median("Apus", "udp", max(results.counts(), default=0), "memory")
    if memory is not None:
        lines.append(f"- Resident memory of the server per viewer, at {max(results.counts())}: {memory / 1000:.1f} kB.")
    return "\n".join(lines) + "\n"
