/** Frames whose capture times are kept, and over which the delay in the browser is averaged. */
const keptCount = 15;

/** Ticks of RTP timestamps of video per millisecond. */
const ticksPerMillisecond = 90;

/** Milliseconds from 1900, the epoch of NTP times, to 1970. */
const ntpEpoch = 2_208_988_800_000;

/**
 * When the frames of a session were captured, and for how long the browser had them before it displayed them.
 *
 * The server states the capture time in a header extension (abs-capture-time), which a browser tells for the frame that it has decoded
 * last. Frames nearby are found by the difference of their RTP timestamps. Without the extension, a browser tells a capture time on
 * its own clock with each frame, as soon as it knows the clock of the server from reports (RTCP XR, DLRR).
 */
export class FrameTimes {
    #receiver;
    #clock;
    /** @type {{ticks: number, captured: number}[]} */
    #known = [];
    /** Milliseconds from the arrival of the last frames to their display. */
    #delays = [];

    /**
     * @param {RTCRtpReceiver} receiver
     * @param {import("../server/server-clock.js").ServerClock} clock
     */
    constructor(receiver, clock) {
        this.#receiver = receiver;
        this.#clock = clock;
    }

    /** Milliseconds between the arrival and the display of a frame; null if it is unknown. */
    get delay() {
        const delays = this.#delays.toSorted((a, b) => a - b);
        return delays.length > 0 ? Math.max(0, delays[delays.length >> 1]) : null;
    }

    /**
     * A frame is displayed.
     *
     * @param {VideoFrameCallbackMetadata} frame
     * @returns {number | null} when it was captured, in milliseconds since 1970 on the server's clock; null if it is unknown
     */
    displayed({ rtpTimestamp, captureTime, receiveTime, expectedDisplayTime }) {
        if (receiveTime !== undefined) keep(this.#delays, expectedDisplayTime - receiveTime);
        this.#learn();
        // The newest comes first among equals.
        const nearest = rtpTimestamp === undefined ? null : this.#known.reduceRight(
            (best, entry) => (best && distance(best, rtpTimestamp) <= distance(entry, rtpTimestamp) ? best : entry), null);
        if (nearest) return nearest.captured + difference(rtpTimestamp, nearest.ticks) / ticksPerMillisecond;
        return captureTime === undefined ? null : this.#clock.time(captureTime);
    }

    /** When what is heard or displayed now was captured; null if it is unknown. */
    get newest() {
        this.#learn();
        return this.#known.at(-1)?.captured ?? null;
    }

    #learn() {
        const [source] = this.#receiver.getSynchronizationSources?.() ?? [];
        if (source?.captureTimestamp === undefined || source.rtpTimestamp === this.#known.at(-1)?.ticks) return;
        keep(this.#known, { ticks: source.rtpTimestamp, captured: source.captureTimestamp - ntpEpoch });
    }
}

function keep(list, value) {
    list.push(value);
    if (list.length > keptCount) list.shift();
}

function distance({ ticks }, rtpTimestamp) {
    return Math.abs(difference(rtpTimestamp, ticks));
}

/** The difference of RTP timestamps, which are counted modulo 2³². */
function difference(later, earlier) {
    return (later - earlier) | 0;
}
