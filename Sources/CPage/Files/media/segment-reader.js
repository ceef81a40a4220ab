import { firstBox } from "./boxes.js";

/**
 * Divides an endless MP4, which comes in pieces of any length, into its init segment and its fragments.
 *
 * A WebSocket message holds one of them as a whole. A response to `fetch` does not show where they end.
 */
export class SegmentReader {
    /** Bytes of an incomplete box. */
    #rest = new Uint8Array(0);
    /** Complete boxes of an incomplete segment. */
    #boxes = [];

    /**
     * @param {Uint8Array} piece
     * @returns {{isInit: boolean, bytes: Uint8Array}[]} the segments that the piece completes
     * @throws {import("./boxes.js").BoxError}
     */
    read(piece) {
        const segments = [];
        let rest = joined([this.#rest, piece]);
        for (let box = firstBox(rest); box; box = firstBox(rest)) {
            rest = rest.subarray(box.bytes.length);
            this.#boxes.push(box.bytes);
            // An init segment ends with `moov`, a fragment with `mdat`.
            if (box.type === "moov" || box.type === "mdat") {
                segments.push({ isInit: box.type === "moov", bytes: joined(this.#boxes) });
                this.#boxes = [];
            }
        }
        // A copy, because the rest would keep the memory of all pieces before it.
        this.#rest = rest.slice();
        return segments;
    }
}

/**
 * @param {Uint8Array[]} pieces
 * @returns {Uint8Array}
 */
export function joined(pieces) {
    if (pieces.length === 1) return pieces[0];
    const result = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
    let offset = 0;
    for (const piece of pieces) {
        result.set(piece, offset);
        offset += piece.length;
    }
    return result;
}
