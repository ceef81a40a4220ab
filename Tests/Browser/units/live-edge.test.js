import { LiveEdge } from "/page/media/live-edge.js";
import { equal, holds, near, test } from "./check.js";

/**
 * A player in virtual time: it plays at the rate that it was told, by a clock of this speed, and stalls if it has nothing.
 */
class VirtualPlayer {
    constructor(edge, speed = 1) {
        this.edge = edge;
        this.speed = speed;
        this.now = this.position = 0;
        this.rate = 1;
        this.end = 0;
        this.stalls = this.jumps = 0;
        this.gaps = [];
    }

    /** Frames come at these intervals in seconds, each as long as `length`. */
    play(intervals, length) {
        for (const interval of intervals) {
            this.now += interval;
            const wanted = this.position + interval * this.rate * this.speed;
            if (wanted > this.end + 1e-9) {
                this.stalls += 1;
                this.edge.stalled(this.now, wanted - this.end);
            }
            this.position = Math.min(wanted, this.end);
            this.end += length;
            const { rate, jump } = this.edge.appended({ position: this.position, ranges: [[0, this.end]], now: this.now });
            this.rate = rate;
            if (jump !== null) {
                this.jumps += 1;
                this.position = jump;
            }
            this.gaps.push(this.end - this.position);
        }
    }
}

/** Intervals that vary evenly around their mean, by a generator with a seed. */
function jittered(count, mean, deviation, seed = 1) {
    let state = seed;
    const random = () => (state = (state * 48271) % 2147483647) / 2147483647;
    return Array.from({ length: count }, () => mean + (random() * 2 - 1) * deviation);
}

const thirty = (seconds) => Array(Math.round(seconds * 30)).fill(1 / 30);

test("the gap reaches the target and stays there", () => {
    for (const start of [0.12, 0.5, 0.95]) {
        const player = new VirtualPlayer(new LiveEdge({ hasAudio: false }));
        player.end = start;
        player.play(thirty(12), 1 / 30);
        near(player.gaps.at(-1), player.edge.target, 0.015);
        equal(player.stalls, 0);
    }
});

test("a new viewer is at the live edge within half a second after the fast start", () => {
    for (const hasAudio of [false, true]) {
        const edge = new LiveEdge({ hasAudio });
        const player = new VirtualPlayer(edge);
        player.end = edge.target + 0.14;
        player.play(thirty(1), 1 / 30);
        near(player.gaps.at(-1), edge.target, 0.02);
        equal(player.jumps, 0);
        holds(player.rate < 1.1, `rate ${player.rate}`);
    }
});

test("too large a gap is corrected within two seconds", () => {
    const player = new VirtualPlayer(new LiveEdge({ hasAudio: false }));
    player.end = 0.1;
    player.play(thirty(5), 1 / 30);
    player.position -= 0.3;
    player.play(thirty(2), 1 / 30);
    near(player.gaps.at(-1), player.edge.target, 0.05);
    equal(player.jumps, 0);
});

test("a clock that is too slow or too fast does not change the gap for good", () => {
    for (const speed of [0.95, 0.99, 1.01, 1.05]) {
        const player = new VirtualPlayer(new LiveEdge({ hasAudio: true }), speed);
        player.end = 0.2;
        player.play(thirty(30), 1 / 30);
        near(player.gaps.at(-1), player.edge.target, 0.025);
        equal(player.stalls, 0);
    }
});

test("at the live edge the rate stays at 1", () => {
    for (const hasAudio of [false, true]) {
        const player = new VirtualPlayer(new LiveEdge({ hasAudio }));
        player.end = player.edge.target;
        player.play(jittered(300, 1 / 30, 0.005), 1 / 30);
        equal(player.rate, 1);
    }
});

test("video alone is kept 50 ms ahead, with audio 150 ms", () => {
    equal(new LiveEdge({ hasAudio: false }).target, 0.05);
    equal(new LiveEdge({ hasAudio: true }).target, 0.15);
});

test("a player can be told to keep more", () => {
    equal(new LiveEdge({ hasAudio: false, leastTarget: 0.25 }).target, 0.25);
    equal(new LiveEdge({ hasAudio: true, leastTarget: 0.1 }).target, 0.15);
});

test("a low frame rate has a target above the length of a frame", () => {
    const player = new VirtualPlayer(new LiveEdge({ hasAudio: false }));
    player.play(Array(200).fill(0.2), 0.2);
    near(player.edge.target, 0.23, 0.001);
    equal(player.gaps.slice(50).filter((gap) => gap < 0.2).length, 0);
});

test("frames of a fast start, which come at once, do not extend the target", () => {
    const player = new VirtualPlayer(new LiveEdge({ hasAudio: false }));
    player.play([0.01, 0.01, 0.1], 0.12);
    player.play(thirty(1), 1 / 30);
    near(player.edge.target, 1 / 30 + 0.03, 0.001);
});

test("a jittery network extends the target until there are no stalls", () => {
    const player = new VirtualPlayer(new LiveEdge({ hasAudio: true }));
    player.play(jittered(900, 1 / 30, 0.03), 1 / 30);
    const early = player.stalls;
    player.play(jittered(900, 1 / 30, 0.03, 7), 1 / 30);
    holds(player.stalls - early < 5, `${player.stalls - early} late stalls`);
    holds(player.edge.target < 0.6, `target ${player.edge.target}`);
});

test("a stall extends the target, which is forgotten when the network is quiet", () => {
    // With audio by its duration, of video alone by a quarter of it.
    for (const [hasAudio, added] of [[true, 0.04], [false, 0.01]]) {
        const player = new VirtualPlayer(new LiveEdge({ hasAudio }));
        player.play(thirty(3), 1 / 30);
        const { edge } = player;
        const before = edge.target;
        edge.stalled(player.now, 0.04);
        near(edge.target, before + added, 0.001);
        player.play(thirty(180), 1 / 30);
        near(edge.target, before, 0.002);
    }
});

test("video alone with a jittery network stalls ever less", () => {
    const player = new VirtualPlayer(new LiveEdge({ hasAudio: false }));
    player.play(jittered(900, 1 / 30, 0.03), 1 / 30);
    const early = player.stalls;
    player.play(jittered(900, 1 / 30, 0.03, 7), 1 / 30);
    holds(player.stalls - early <= 15, `${player.stalls - early} stalls in half a minute`);
    holds(player.edge.target < 0.4, `target ${player.edge.target}`);
});

test("a long stall extends the target by half", () => {
    const player = new VirtualPlayer(new LiveEdge({ hasAudio: true }));
    player.play(thirty(3), 1 / 30);
    player.edge.stalled(player.now, 1);
    near(player.edge.target, 0.225, 0.001);
});

test("a stall at the start does not extend the target", () => {
    const edge = new LiveEdge({ hasAudio: true });
    edge.stalled(0, 1);
    edge.appended({ position: 0, ranges: [[0, 0.02]], now: 0.5 });
    edge.stalled(1, 1);
    equal(edge.target, 0.15);
});

test("the target is never above a second", () => {
    const edge = new LiveEdge({ hasAudio: true });
    edge.appended({ position: 0, ranges: [[0, 0.02]], now: 0 });
    for (let index = 0; index < 100; index += 1) edge.stalled(3, 1);
    equal(edge.target, 1);
});

test("the playback rate stays between 0.9 and 1.25", () => {
    const edge = new LiveEdge({ hasAudio: false });
    edge.appended({ position: 0, ranges: [[0, 0.05]], now: 0 });
    for (let gap = 0; gap < 1; gap += 0.01) {
        const { rate } = edge.appended({ position: 10 - gap, ranges: [[0, 10]], now: 0 });
        holds(rate >= 0.9 && rate <= 1.25, `${rate} at ${gap}`);
    }
});

test("a gap of more than a second is skipped", () => {
    const edge = new LiveEdge({ hasAudio: false });
    edge.appended({ position: 0, ranges: [[0, 0.05]], now: 0 });
    equal(edge.appended({ position: 0, ranges: [[0, 0.06]], now: 0 }).jump, null);
    const { jump } = edge.appended({ position: 10, ranges: [[0, 20]], now: 0 });
    holds(jump > 18.9 && jump < 20);
});

test("at the start a small gap is skipped already", () => {
    const edge = new LiveEdge({ hasAudio: false });
    near(edge.appended({ position: 0, ranges: [[0, 0.5]], now: 0 }).jump, 0.45, 0.001);
});

test("media behind a gap are played at once", () => {
    const edge = new LiveEdge({ hasAudio: true });
    edge.appended({ position: 4.9, ranges: [[0, 5]], now: 0 });
    edge.restarted();
    equal(edge.appended({ position: 4.9, ranges: [[0, 5], [7, 7.02]], now: 1 }).jump, 7);
});

test("the step over a gap does not count as jitter", () => {
    const edge = new LiveEdge({ hasAudio: true });
    edge.appended({ position: 4.9, ranges: [[0, 5]], now: 0 });
    edge.appended({ position: 4.9, ranges: [[0, 5], [7, 7.02]], now: 1 });
    equal(edge.target, 0.15);
});

test("a player that buffers again after changes of the rate only jumps", () => {
    const player = new VirtualPlayer(new LiveEdge({ hasAudio: true, changesRate: false }));
    player.end = 0.9;
    player.play(thirty(5), 1 / 30);
    equal(player.rate, 1);
    equal(player.jumps, 1);
    near(player.gaps.at(-1), 0.15, 0.05);
});

test("an empty buffer changes nothing", () => {
    equal(new LiveEdge({ hasAudio: true }).appended({ position: 0, ranges: [], now: 0 }), { rate: 1, jump: null });
});
