// Loaded into the pages of test_server.py.

/** Columns and rows of the overlay (docs/timestamp-overlay.md). */
const [columns, rows] = [42, 6];

/** The column of the first bit, and bits per row. */
const [firstColumn, bitsPerRow] = [7, 28];

/** Reads the timestamp overlay in the lower left corner of what a video displays. */
class TimestampOverlay {
    #video;
    #canvas = Object.assign(document.createElement("canvas"), { width: columns, height: rows });
    #context = this.#canvas.getContext("2d", { willReadFrequently: true });

    /** @param {HTMLVideoElement} video */
    constructor(video) {
        this.#video = video;
        // Without smoothing, each pixel is the middle of a cell.
        this.#context.imageSmoothingEnabled = false;
    }

    /** When the displayed frame was captured, in milliseconds since 1970; null if no overlay can be read. */
    read() {
        const { videoWidth, videoHeight } = this.#video;
        const exact = Math.floor(Math.min(videoHeight / 36, videoWidth / columns));
        const cell = exact < 8 ? exact : exact - (exact % 4);
        const strip = [0, videoHeight - rows * cell, columns * cell, rows * cell];
        this.#context.drawImage(this.#video, ...strip, 0, 0, columns, rows);
        const { data } = this.#context.getImageData(firstColumn, 1, bitsPerRow, 4);
        const bytes = new Uint8Array(14);
        for (let bit = 0; bit < bytes.length * 8; bit += 1) bytes[bit >> 3] |= (data[bit * 4] > 127 ? 128 : 0) >> (bit & 7);
        const view = new DataView(bytes.buffer);
        if (crc32(bytes.subarray(0, 10)) !== view.getUint32(10)) return null;
        return (view.getUint32(0) * 65_536 + view.getUint16(4)) / 10;
    }
}

/** The CRC of MPEG-2 systems. @param {Uint8Array} bytes */
function crc32(bytes) {
    let crc = 0xffffffff;
    for (const byte of bytes) {
        crc ^= byte << 24;
        for (let bit = 0; bit < 8; bit += 1) crc = (crc << 1) ^ (crc < 0 ? 0x04c11db7 : 0);
    }
    return crc >>> 0;
}

/**
 * The delays of frames from capture to display, and what the page says of them.
 *
 * Chromium draws a frame as soon as it calls back. Firefox may call back a refresh before it displays the frame, and until then draws
 * the one before.
 *
 * @param {HTMLVideoElement} video
 * @param {number} count
 * @param {() => number | null} statedAge
 * @param {{drawsLater?: boolean}} [options] - whether the browser draws a frame only when it displays it
 * @returns {Promise<{delay: number | null, untilCall: number | null, captureError: number | null, stated: number | null}[]>} in
 *     milliseconds; the second until the call back, which is a refresh earlier; the third between what the browser says of the capture
 *     and the overlay
 */
async function delays(video, count, statedAge, { drawsLater = false } = {}) {
    const overlay = new TimestampOverlay(video);
    const result = [];
    while (result.length < count) {
        const [now, called, { expectedDisplayTime, captureTime }] = await displayedFrame(video);
        const displayed = Math.max(now, expectedDisplayTime);
        if (drawsLater) await refresh(displayed);
        const captured = overlay.read();
        // A later frame may have come since the refresh. It is displayed now at the earliest.
        const isLater = captured !== null && captured > performance.timeOrigin + displayed;
        const instant = performance.timeOrigin + (isLater ? performance.now() : displayed);
        const since = (time) => (captured === null || time === undefined ? null : performance.timeOrigin + time - captured);
        result.push({
            delay: captured === null ? null : instant - captured,
            untilCall: since(called),
            captureError: since(captureTime),
            stated: statedAge(),
        });
    }
    return result;
}

/** Waits for the next frame. @returns {Promise<[number, number, VideoFrameCallbackMetadata]>} the refresh, the call back, the frame */
function displayedFrame(video) {
    return new Promise((resolve) => {
        video.requestVideoFrameCallback((now, frame) => resolve([now, performance.now(), frame]));
    });
}

/** Waits for the refresh of the display at a time of the page's monotonic clock, unless that is over. */
async function refresh(time) {
    // Both times are rounded to a millisecond.
    for (let now = performance.now(); now < time - 1; ) now = await new Promise((resolve) => requestAnimationFrame(resolve));
}

globalThis.delays = delays;
