import { BoxError, bodies } from "./boxes.js";

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
 * @throws {BoxError}
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
 * @throws {BoxError}
 */
function fieldBehindTimes(body) {
    const offset = body[0] === 0 ? 12 : 20;
    if (body.length < offset + 4) throw new BoxError("a header of a track is too short");
    return new DataView(body.buffer, body.byteOffset, body.byteLength).getUint32(offset);
}
