import { mediaSocket, playerPage, snapshot, streamOf } from "/page/server/address.js";
import { verdictOn } from "/page/server/close-code.js";
import { Heartbeat } from "/page/server/heartbeat.js";
import { RetrySchedule } from "/page/server/retry-schedule.js";
import { ServerClock } from "/page/server/server-clock.js";
import { StreamList, suitable } from "/page/server/stream-list.js";
import { equal, holds, near, test } from "./check.js";

const stream = (path, parent = null, width = 640) => ({
    path, substreamOf: parent, tracks: [{ kind: "video", width, height: (width * 9) / 16 }],
});

test("the quickest exchange decides how far the server's clock is ahead", () => {
    const clock = new ServerClock();
    equal(clock.time(0), null);
    clock.exchanged(1000, 1200, 51_100 + 40);
    clock.exchanged(2000, 2002, 52_001);
    clock.exchanged(3000, 3300, 53_150 - 90);
    near(clock.time(4000), 54_000, 0.001);
    equal(clock.uncertainty, 1);
});

test("a clock that was set is believed at once", () => {
    const clock = new ServerClock();
    clock.exchanged(1000, 1002, 51_001);
    clock.exchanged(2000, 2010, 80_005);
    near(clock.time(3000), 81_000, 0.001);
});

test("a slow exchange that agrees within its uncertainty changes nothing", () => {
    const clock = new ServerClock();
    clock.exchanged(1000, 1002, 51_001);
    clock.exchanged(2000, 3000, 52_500 + 400);
    near(clock.time(4000), 54_000, 0.001);
});

test("in the first minute an attempt follows within half a second", () => {
    const schedule = new RetrySchedule();
    for (let now = 0; now < 60_000; now += 1_000) holds(schedule.failed(now, 1) <= 500);
});

test("later the delay doubles up to ten seconds", () => {
    const schedule = new RetrySchedule();
    schedule.failed(0, 1);
    const delays = Array.from({ length: 8 }, (_, index) => schedule.failed(60_000 + index, 1));
    equal(delays, [500, 1000, 2000, 4000, 8000, 10000, 10000, 10000]);
});

test("after a success the delays are short again", () => {
    const schedule = new RetrySchedule();
    for (let index = 0; index < 9; index += 1) schedule.failed(100_000 * index, 1);
    schedule.succeeded();
    equal(schedule.failed(1_000_000, 1), 250);
});

test("pages that lose their server together do not return together", () => {
    const delays = new Set([0, 0.25, 0.5, 1].map((chance) => new RetrySchedule().failed(0, chance)));
    equal(delays.size, 4);
});

test("a heartbeat sends five pings quickly, and then one each two seconds", () => {
    const heartbeat = new Heartbeat();
    const pings = [];
    for (let now = 0; now < 9_000; now += 100) {
        heartbeat.heard();
        if (heartbeat.ticked(now).order === "ping") pings.push(now);
    }
    equal(pings, [0, 200, 400, 600, 800, 2800, 4800, 6800, 8800]);
});

test("a connection without an answer is given up after two and a half seconds", () => {
    const heartbeat = new Heartbeat();
    for (let now = 0; now < 10_000; now += 100) {
        if (heartbeat.ticked(now).order === "giveUp") {
            equal(now, 2_600);
            return;
        }
    }
    throw new Error("it was not given up");
});

test("timers that run once a minute do not end a connection", () => {
    const heartbeat = new Heartbeat();
    for (let now = 0; now < 600_000; now += 60_000) {
        equal(heartbeat.ticked(now).order, "ping");
        heartbeat.heard();
    }
});

test("the answer to a ping tells when it was sent, once", () => {
    const heartbeat = new Heartbeat();
    const { id } = heartbeat.ticked(70);
    equal(heartbeat.answered(id), 70);
    equal(heartbeat.answered(id), null);
    equal(heartbeat.answered(99), null);
});

test("close codes lead to the verdicts of the document", () => {
    equal(verdictOn(1006, ""), { verdict: "again", reason: "the connection was lost" });
    equal(verdictOn(4000, "by ann").verdict, "disconnected");
    equal(verdictOn(4000, "by ann").reason, "by ann");
    equal(verdictOn(4001, "").verdict, "refused");
    equal(verdictOn(4004, "").verdict, "absent");
    equal(verdictOn(4006, "").verdict, "unplayable");
    equal(verdictOn(4999, "").verdict, "again");
});

test("a list follows the messages of the server", () => {
    const list = new StreamList();
    list.received({ isComplete: true, streams: [stream("/b"), stream("/a")], removed: [] });
    list.received({ isComplete: false, streams: [stream("/c")], removed: ["/b"] });
    equal(list.families.map(([main]) => main.path), ["/a", "/c"]);
    list.received({ isComplete: true, streams: [], removed: [] });
    equal(list.count, 0);
});

test("substreams belong to the family of their parent, the largest first", () => {
    const list = new StreamList();
    list.received({
        isComplete: true, removed: [],
        streams: [stream("/cam/small", "/cam", 160), stream("/cam/sub", "/cam", 320), stream("/cam", null, 1280), stream("/lone", "/gone")],
    });
    equal(list.families.map((family) => family.map(({ path }) => path)), [["/cam", "/cam/sub", "/cam/small"], ["/lone"]]);
    equal(list.family("/cam/sub").length, 3);
    equal(list.family("/none"), []);
});

test("paths with numbers are in their order", () => {
    const list = new StreamList();
    list.received({ isComplete: true, streams: ["/cam10", "/cam9", "/cam1"].map((path) => stream(path)), removed: [] });
    equal(list.families.map(([main]) => main.path), ["/cam1", "/cam9", "/cam10"]);
});

test("the smallest stream that need not be enlarged much suits a place", () => {
    const family = [stream("/cam", null, 1280), stream("/sub", "/cam", 640), stream("/tiny", "/cam", 160)];
    equal(suitable(family, 320).path, "/sub");
    equal(suitable(family, 800).path, "/sub");
    equal(suitable(family, 900).path, "/cam");
    equal(suitable(family, 4000).path, "/cam");
    equal(suitable(family, 100).path, "/tiny");
});

test("the address of a page names its stream, and back", () => {
    for (const path of ["/cam", "/yard/cam", "/a b/ü?", "/"]) {
        equal(streamOf(playerPage(path)), path);
    }
});

test("addresses of streams escape what has a meaning in addresses", () => {
    equal(mediaSocket("/a?b", { hasAudio: false, hasVideo: true }).href, "ws://apus.test/a%3Fb/ws?audio=0");
    equal(mediaSocket("/", { hasAudio: true, hasVideo: true }).href, "ws://apus.test/ws");
    equal(snapshot("/yard/cam", 320).href, "http://apus.test/yard/cam.jpg?width=320");
});
