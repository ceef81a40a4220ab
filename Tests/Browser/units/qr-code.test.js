import { correctionCodewords } from "/page/qr/error-correction.js";
import { penalty } from "/page/qr/mask.js";
import { qrCode } from "/page/qr/qr-code.js";
import { Version } from "/page/qr/version.js";
import { equal, holds, test } from "./check.js";

const rows = (code) => Array.from({ length: code.side }, (_, row) =>
    Array.from({ length: code.side }, (_, column) => (code.isDark(column, row) ? "#" : ".")).join(""));

test("the codewords for correction are those of the standard's example", () => {
    // ISO/IEC 18004, annex I: version 1, level M, the digits 01234567.
    const data = [0x10, 0x20, 0x0c, 0x56, 0x61, 0x80, 0xec, 0x11, 0xec, 0x11, 0xec, 0x11, 0xec, 0x11, 0xec, 0x11];
    equal([...correctionCodewords(Uint8Array.from(data), 10)], [0xa5, 0x24, 0xd4, 0xc1, 0xed, 0x36, 0xc7, 0x87, 0x2c, 0x55]);
});

test("each version holds as many bytes as the standard says", () => {
    // Table 7, level M, bytes.
    const capacities = [14, 26, 42, 62, 84, 106, 122, 152, 180, 213, 251, 287, 331];
    capacities.forEach((capacity, index) => {
        equal(Version.for(capacity).number, index + 1);
        if (index + 1 < capacities.length) equal(Version.for(capacity + 1).number, index + 2);
    });
    equal(Version.for(332), null);
});

test("alignment patterns are where annex E has them", () => {
    equal(new Version(1).alignmentPlaces, []);
    equal(new Version(2).alignmentPlaces, [6, 18]);
    equal(new Version(7).alignmentPlaces, [6, 22, 38]);
    equal(new Version(13).alignmentPlaces, [6, 34, 62]);
});

test("finders are in three corners, and timing patterns between them", () => {
    const code = rows(qrCode("rtsp://localhost:8554/cam"));
    const finder = ["#######", "#.....#", "#.###.#", "#.###.#", "#.###.#", "#.....#", "#######"];
    equal(code.slice(0, 7).map((row) => row.slice(0, 7)), finder);
    equal(code.slice(0, 7).map((row) => row.slice(-7)), finder);
    equal(code.slice(-7).map((row) => row.slice(0, 7)), finder);
    equal(code[6].slice(8, -8), "#.".repeat(code.length).slice(0, code.length - 16));
});

test("both copies of the format say the same, with level M", () => {
    const code = qrCode("rtsp://localhost:8554/cam");
    const last = code.side - 1;
    let [first, second] = [0, 0];
    for (let index = 0; index < 15; index += 1) {
        const around = index < 6 ? [8, index] : index < 8 ? [8, index + 1] : index === 8 ? [7, 8] : [14 - index, 8];
        const beside = index < 8 ? [last - index, 8] : [8, last - 14 + index];
        first |= code.isDark(...around) << index;
        second |= code.isDark(...beside) << index;
    }
    equal(first, second);
    equal((first ^ 0b101010000010010) >> 13, 0b00);
});

test("the mask with the fewest points is chosen", () => {
    const code = qrCode("https://cams.example/yard/");
    holds(penalty(code) < 700, `${penalty(code)}`);
});

test("a text that is too long has no code", () => equal(qrCode("x".repeat(332)), null));

test("the length counts bytes, not characters", () => {
    equal(qrCode("ü".repeat(7)).side, 21);
    equal(qrCode("ü".repeat(8)).side, 25);
});
