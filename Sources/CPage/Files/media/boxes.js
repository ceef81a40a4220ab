/**
 * Boxes of ISO/IEC 14496-12, section 4.2: a size, a type and a body.
 */

/** Bytes of a box that are accepted at most. One fragment holds one frame, and no encoder here makes frames of this size. */
const maximumBoxByteCount = 64 << 20;

/** Bytes of the size and the type of a box. */
const headerByteCount = 8;

/**
 * @typedef {object} Box
 * @property {string} type - four characters, such as `moof`
 * @property {Uint8Array} bytes - the whole box
 * @property {Uint8Array} body - what follows size and type
 */

/** A stream that is not a sequence of boxes. */
export class BoxError extends Error {}

/**
 * The box at the start of some bytes.
 *
 * @param {Uint8Array} bytes
 * @returns {Box | null} null if the box is not complete
 * @throws {BoxError}
 */
export function firstBox(bytes) {
    if (bytes.length < headerByteCount) return null;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    // A size of 1 announces a longer field, and 0 reaches to the end of the file. This server writes neither.
    const byteCount = view.getUint32(0);
    if (byteCount < headerByteCount || byteCount > maximumBoxByteCount) {
        throw new BoxError(`a box of ${byteCount} bytes`);
    }
    if (byteCount > bytes.length) return null;
    return {
        type: String.fromCharCode(...bytes.subarray(4, 8)),
        bytes: bytes.subarray(0, byteCount),
        body: bytes.subarray(headerByteCount, byteCount),
    };
}

/**
 * All boxes of some bytes, such as those of a fragment or of the body of a box.
 *
 * @param {Uint8Array} bytes
 * @returns {Generator<Box>}
 * @throws {BoxError} also if the last box is not complete
 */
export function* boxes(bytes) {
    let rest = bytes;
    while (rest.length > 0) {
        const box = firstBox(rest);
        if (!box) throw new BoxError("an incomplete box");
        yield box;
        rest = rest.subarray(box.bytes.length);
    }
}

/**
 * The bodies of the boxes with a type, in their order.
 *
 * @param {Uint8Array} bytes
 * @param {string} type
 * @returns {Uint8Array[]}
 * @throws {BoxError}
 */
export function bodies(bytes, type) {
    return [...boxes(bytes)].filter((box) => box.type === type).map((box) => box.body);
}
