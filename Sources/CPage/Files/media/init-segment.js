import { bodies } from "./boxes.js";

/**
 * A track of an init segment.
 *
 * @typedef {object} Track
 * @property {number} id - by which fragments name it
 * @property {"video" | "audio"} kind
 * @property {number} timescale - ticks per second
 */

/**
 * The tracks that an init segment describes (`moov`, ISO/IEC 14496-12, section 8.2).
 *
 * @param {Uint8Array} bytes
 * @returns {Track[]}
 * @throws {import("./boxes.js").BoxError}
 */
export function tracksOfInitSegment(bytes) {
    return bodies(bytes, "moov")
        .flatMap((movie) => bodies(movie, "trak"))
        .map(track)
        .filter((track) => track !== null);
}

/**
 * @param {Uint8Array} trak - the body of `trak`
 * @returns {Track | null} null if it is neither video nor audio
 */
function track(trak) {
    const [media] = bodies(trak, "mdia");
    const [header] = bodies(trak, "tkhd");
    if (!media || !header) return null;
    const [mediaHeader] = bodies(media, "mdhd");
    const [handler] = bodies(media, "hdlr");
    if (!mediaHeader || !handler) return null;
    const kind = { vide: "video", soun: "audio" }[String.fromCharCode(...handler.subarray(8, 12))];
    return kind ? { id: fieldBehindTimes(header), kind, timescale: fieldBehindTimes(mediaHeader) } : null;
}

/**
 * The 32 bits behind creation and modification time: the id in `tkhd`, the timescale in `mdhd`. The times have 32 bits each in
 * version 0, 64 in version 1.
 *
 * @param {Uint8Array} body
 * @returns {number}
 */
function fieldBehindTimes(body) {
    const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
    return view.getUint32(body[0] === 0 ? 12 : 20);
}
