/** Writes the boxes that tests read. */

export const uint32 = (value) => [24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff);
export const uint64 = (value) => [...uint32(Math.floor(value / 2 ** 32)), ...uint32(value % 2 ** 32)];
export const ascii = (text) => [...text].map((character) => character.charCodeAt(0));
export const box = (type, body) => [...uint32(8 + body.length), ...ascii(type), ...body];
export const fullBox = (type, version, body) => box(type, [version, 0, 0, 0, ...body]);
export const hexadecimal = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** `prft` of a frame that was captured at some milliseconds since 1970. */
export function prft(track, captured, mediaTime) {
    const seconds = Math.floor(captured / 1000);
    const fraction = Math.round(((captured % 1000) / 1000) * 2 ** 32);
    return fullBox("prft", 1, [...uint32(track), ...uint32(seconds + 2_208_988_800), ...uint32(fraction), ...uint64(mediaTime)]);
}

/** `ftyp` and `moov` with what the page reads of tracks. */
export function initSegment(tracks) {
    const traks = tracks.flatMap(({ id, kind, timescale, version = 0 }) => {
        const times = Array(version === 0 ? 8 : 16).fill(0);
        return box("trak", [
            ...fullBox("tkhd", version, [...times, ...uint32(id), 0, 0, 0, 0]),
            ...box("mdia", [
                ...fullBox("mdhd", version, [...times, ...uint32(timescale), 0, 0, 0, 0]),
                ...fullBox("hdlr", 0, [0, 0, 0, 0, ...ascii(kind)]),
            ]),
        ]);
    });
    return [...box("ftyp", ascii("iso6")), ...box("moov", [...fullBox("mvhd", 0, [0, 0, 0, 0]), ...traks])];
}
