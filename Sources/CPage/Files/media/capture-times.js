import { firstBox } from "./boxes.js";

/** Frames whose capture times are kept: more than are ever buffered. */
const capacity = 1024;

/** Seconds from 1900, the epoch of NTP times, to 1970. */
const ntpEpochSeconds = 2_208_988_800;

/**
 * When the frames of one track were captured, by the time at which they are presented.
 *
 * Each fragment begins with `prft` (ISO/IEC 14496-12, section 8.16.5), which relates the two. They do not advance together: a fast
 * start presents seconds of frames in 120 ms, so each frame has an entry of its own.
 */
export class CaptureTimes {
    /** @type {{presented: number, captured: number}[]} in the order of their arrival */
    #entries = [];

    /**
     * Reads the capture time of a fragment, if it has one and is of this track.
     *
     * @param {Uint8Array} fragment
     * @param {import("./init-segment.js").Track} track
     * @param {number} offset - seconds by which the player presents it later than the fragment says
     * @returns {boolean} whether the fragment is of this track and has a capture time
     */
    receivedFragment(fragment, track, offset) {
        const reference = producerReferenceTime(fragment);
        if (!reference || reference.track !== track.id) return false;
        this.#entries.push({
            presented: reference.mediaTime / track.timescale + offset,
            captured: reference.captured,
        });
        if (this.#entries.length > capacity) this.#entries.splice(0, capacity / 2);
        return true;
    }

    /**
     * When the frame that is presented at a time was captured.
     *
     * @param {number} presented - seconds of the media timeline
     * @returns {number | null} milliseconds since 1970 on the server's clock; null if it is unknown
     */
    captured(presented) {
        // Times are rounded to a microsecond on their way through the player, so the frame may begin a little after `presented`.
        const latest = presented + 0.0005;
        let best = null;
        for (let index = this.#entries.length - 1; index >= 0; index -= 1) {
            const entry = this.#entries[index];
            if (entry.presented <= latest && (!best || entry.presented > best.presented)) best = entry;
            // Frames are reordered by less than a second.
            if (entry.presented < latest - 1) break;
        }
        return best && best.captured;
    }

    /** The newest capture time; null if there is none. */
    get newest() {
        return this.#entries.at(-1)?.captured ?? null;
    }

    /** Forgets all frames. */
    clear() {
        this.#entries = [];
    }
}

/**
 * @param {Uint8Array} fragment
 * @returns {{track: number, captured: number, mediaTime: number} | null} null if the fragment does not begin with `prft`
 */
function producerReferenceTime(fragment) {
    const box = firstBox(fragment);
    if (box?.type !== "prft") return null;
    const view = new DataView(box.body.buffer, box.body.byteOffset, box.body.byteLength);
    // The media time has 32 bits in version 0, 64 in version 1.
    const isLong = box.body[0] !== 0;
    if (box.body.length < (isLong ? 24 : 20)) return null;
    return {
        track: view.getUint32(4),
        captured: (view.getUint32(8) - ntpEpochSeconds + view.getUint32(12) / 2 ** 32) * 1000,
        mediaTime: isLong ? Number(view.getBigUint64(16)) : view.getUint32(16),
    };
}
