import { BoxError, bodies, boxes, firstBox } from "/page/media/boxes.js";
import { CaptureTimes } from "/page/media/capture-times.js";
import { tracksOfInitSegment } from "/page/media/init-segment.js";
import { SegmentReader } from "/page/media/segment-reader.js";
import { box, fullBox, hexadecimal, initSegment, prft, uint32 } from "./segments.js";
import { equal, holds, near, test, throws } from "./check.js";

const fragment = (time) => Uint8Array.from([...prft(1, 1_700_000_000_250, time), ...box("moof", [1, 2, 3]), ...box("mdat", [9, 8, 7, 6])]);

test("the first box of incomplete bytes is not known", () => {
    const bytes = Uint8Array.from(box("moof", [1, 2, 3]));
    for (let length = 0; length < bytes.length; length += 1) equal(firstBox(bytes.subarray(0, length)), null);
    equal(firstBox(bytes).type, "moof");
});

test("a box that is shorter than its header, or far too long, is refused", () => {
    for (const size of [0, 1, 7, 0x7fffffff, 0xffffffff]) {
        throws(() => firstBox(Uint8Array.from([...uint32(size), 0x6d, 0x6f, 0x6f, 0x66])), BoxError);
    }
});

test("incomplete bytes are no sequence of boxes", () => {
    throws(() => [...boxes(Uint8Array.from(box("moof", [1])).subarray(0, 8))], BoxError);
});

test("bodies are found by type and in order", () => {
    const bytes = Uint8Array.from([...box("free", [1]), ...box("trak", [2]), ...box("trak", [3])]);
    equal(bodies(bytes, "trak").map((body) => [...body]), [[2], [3]]);
});

test("an endless file is divided into segments at every split point", () => {
    const init = Uint8Array.from(initSegment([{ id: 1, kind: "vide", timescale: 90000 }]));
    const stream = Uint8Array.from([...init, ...fragment(0), ...fragment(3000)]);
    const expected = [[true, hexadecimal(init)], [false, hexadecimal(fragment(0))], [false, hexadecimal(fragment(3000))]];
    for (let split = 0; split <= stream.length; split += 1) {
        const reader = new SegmentReader();
        const segments = [...reader.read(stream.subarray(0, split)), ...reader.read(stream.subarray(split))];
        equal(segments.map(({ isInit, bytes }) => [isInit, hexadecimal(bytes)]), expected);
    }
});

test("an endless file is divided into segments byte by byte", () => {
    const reader = new SegmentReader();
    const stream = Uint8Array.from([...fragment(0), ...fragment(1)]);
    const segments = [...stream].flatMap((byte) => reader.read(Uint8Array.of(byte)));
    equal(segments.length, 2);
});

test("an init segment names its tracks in both versions of its boxes", () => {
    for (const version of [0, 1]) {
        const bytes = Uint8Array.from(initSegment([
            { id: 1, kind: "vide", timescale: 90000, version }, { id: 2, kind: "soun", timescale: 48000, version },
            { id: 3, kind: "subt", timescale: 1000, version },
        ]));
        equal(tracksOfInitSegment(bytes), [{ id: 1, kind: "video", timescale: 90000 }, { id: 2, kind: "audio", timescale: 48000 }]);
    }
});

test("the capture time of the displayed frame is found", () => {
    const times = new CaptureTimes();
    const track = { id: 1, kind: "video", timescale: 90000 };
    // A fast start: two seconds of frames are presented in 120 ms.
    for (let index = 0; index < 60; index += 1) {
        holds(times.receivedFragment(Uint8Array.from(prft(1, 1_700_000_000_000 + index * 33, index * 180)), track, 10));
    }
    near(times.captured(10), 1_700_000_000_000, 0.01);
    near(times.captured(10 + (30 * 180) / 90000), 1_700_000_000_990, 0.01);
    near(times.captured(10 + (30 * 180 + 90) / 90000), 1_700_000_000_990, 0.01);
    near(times.captured(99), 1_700_000_000_000 + 59 * 33, 0.01);
    equal(times.captured(9.9), null);
});

test("frames that are presented out of order are found", () => {
    const times = new CaptureTimes();
    const track = { id: 1, kind: "video", timescale: 1000 };
    for (const presented of [0, 120, 40, 80]) times.receivedFragment(Uint8Array.from(prft(1, presented, presented)), track, 0);
    for (const presented of [0, 40, 80, 120]) near(times.captured(presented / 1000), presented, 0.001);
});

test("fragments of other tracks and without a capture time say nothing", () => {
    const times = new CaptureTimes();
    const track = { id: 1, kind: "video", timescale: 1000 };
    equal(times.receivedFragment(Uint8Array.from(prft(2, 1, 0)), track, 0), false);
    equal(times.receivedFragment(Uint8Array.from(box("moof", [1, 2, 3])), track, 0), false);
    equal(times.receivedFragment(Uint8Array.from(fullBox("prft", 1, [1, 2, 3])), track, 0), false);
    equal(times.captured(0), null);
});

test("the memory of capture times is bounded", () => {
    const times = new CaptureTimes();
    const track = { id: 1, kind: "video", timescale: 1000 };
    for (let index = 0; index < 5000; index += 1) times.receivedFragment(Uint8Array.from(prft(1, index * 40, index * 40)), track, 0);
    near(times.captured(4999 * 0.04), 4999 * 40, 0.001);
    equal(times.captured(0), null);
});

test("any bytes are read as segments or refused as no boxes", () => {
    let state = 7;
    const random = (limit) => (state = (state * 48271) % 2147483647) % limit;
    const init = initSegment([{ id: 1, kind: "vide", timescale: 90000 }]);
    for (let round = 0; round < 20_000; round += 1) {
        // A valid stream with a few wrong bytes reaches further than random bytes do.
        const bytes = Uint8Array.from(round % 2 ? [...init, ...fragment(0)] : Array.from({ length: random(40) }, () => random(256)));
        for (let changes = random(4); changes > 0 && bytes.length > 0; changes -= 1) bytes[random(bytes.length)] = random(256);
        try {
            const segments = new SegmentReader().read(bytes);
            for (const { isInit, bytes } of segments) {
                if (isInit) tracksOfInitSegment(bytes);
                else new CaptureTimes().receivedFragment(bytes, { id: 1, kind: "video", timescale: 90000 }, 0);
            }
        } catch (error) {
            holds(error instanceof BoxError, error.stack);
        }
    }
});
