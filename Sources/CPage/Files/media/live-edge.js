/** Seconds of media that are kept ahead of the displayed frame. Frames of AAC are 21 ms long, and 50 ms are too few for them. */
const shortestTarget = { withAudio: 0.1, videoAlone: 0.05 };

/** Seconds that are kept at most, whatever the network does. */
const longestTarget = 1;

/** Seconds beyond the longest step of the buffered end. */
const margin = 0.017;

/** What remains of the longest step after each further one: half of it after a second at 30 frames per second. */
const decayPerStep = 0.98;

/** By how much a stall extends the target, and how many seconds without a stall undo one extension. */
const extension = { factor: 1.5, seconds: 10 };

/** Seconds around the target in which media are played at normal speed. */
const tolerance = { above: 0.04, below: 0.03 };

/** The playback rates between which the position is corrected. Viewers do not notice them. */
const slowestRate = 0.9;
const fastestRate = 1.25;

/** Seconds behind the live edge from which frames are skipped: this many, or this many targets. */
const skipping = { seconds: 1, targets: 6 };

/** The same until the gap is right for the first time: what is skipped has not been seen yet. */
const skippingAtStart = 0.15;

/** The same for players that buffer again after each change of the rate. They skip instead of playing faster. */
const skippingWithoutRates = 0.3;

/**
 * Keeps a player close to the end of what it has buffered, which is the live edge: a proportional controller.
 *
 * The gap is the media between the displayed frame and the buffered end. If it is larger than its target, the player plays a
 * little faster, and if it is smaller, a little slower. The target follows the network: it is above the longest step by which the
 * end has advanced lately, and each stall extends it for a while.
 *
 * ```
 *        played │ displayed           target            buffered end
 * ──────────────┴──────────────────────┴─────────────────┤
 *               │<--------------- gap ------------------>│
 * ```
 */
export class LiveEdge {
    #shortest;
    #changesRate;
    /** The longest step of the buffered end, which decays. */
    #longestStep = 0;
    /** The buffered end at the last observation. */
    #end = null;
    /** The factor by which stalls have extended the target. */
    #extension = 1;
    /** When the extension was last changed, in seconds. */
    #extendedAt = 0;
    /** Whether the gap has been right since the start. */
    #isSettled = false;

    /**
     * @param {object} options
     * @param {boolean} options.hasAudio
     * @param {boolean} [options.changesRate] - false for players that buffer again after each change of the rate
     */
    constructor({ hasAudio, changesRate = true }) {
        this.#shortest = hasAudio ? shortestTarget.withAudio : shortestTarget.videoAlone;
        this.#changesRate = changesRate;
    }

    /** Seconds of media that are kept ahead of the displayed frame. */
    get target() {
        const target = Math.max(this.#shortest, this.#longestStep + margin) * this.#extension;
        return Math.min(target, longestTarget);
    }

    /**
     * Media were appended.
     *
     * @param {object} state
     * @param {number} state.position - the position of the player, in seconds
     * @param {[number, number][]} state.ranges - what is buffered
     * @param {number} state.now - in seconds
     * @returns {{rate: number, jump: number | null}} the playback rate, and the position to jump to
     */
    appended({ position, ranges, now }) {
        if (ranges.length === 0) return { rate: 1, jump: null };
        const [start, end] = ranges[ranges.length - 1];
        this.#observe(start, end, now);
        const target = this.target;
        const gap = end - position;
        // Media were left out before this range. What remains before the gap is older than the target, so it is not played.
        if (position < start) return { rate: 1, jump: Math.max(start, end - target) };
        // Behind the end: the buffer was cleared.
        if (gap > this.#longestGap(target) || gap < 0) return { rate: 1, jump: Math.max(start, end - target) };
        this.#isSettled ||= gap < target + tolerance.above;
        return { rate: this.#changesRate ? rate(gap, target) : 1, jump: null };
    }

    /**
     * The player had nothing to play, although media came in time.
     *
     * @param {number} now - in seconds
     */
    stalled(now) {
        this.#extension = Math.min(this.#extension * extension.factor, longestTarget / this.#shortest);
        this.#extendedAt = now;
    }

    /** Media of another connection follow. */
    restarted() {
        this.#end = null;
        this.#isSettled = false;
    }

    /** The gap from which frames are skipped. */
    #longestGap(target) {
        if (!this.#isSettled) return target + skippingAtStart;
        return this.#changesRate ? Math.max(skipping.seconds, skipping.targets * target) : target + skippingWithoutRates;
    }

    #observe(start, end, now) {
        // The first step of a connection, or of a range behind a gap, says nothing about the network.
        const step = this.#end === null || start > this.#end ? 0 : end - this.#end;
        this.#end = end;
        if (step > 0) this.#longestStep = Math.max(step, this.#longestStep * decayPerStep);
        if (this.#extension > 1 && now - this.#extendedAt >= extension.seconds) {
            this.#extension = Math.max(1, this.#extension / extension.factor);
            this.#extendedAt = now;
        }
    }
}

/**
 * @param {number} gap
 * @param {number} target
 * @returns {number}
 */
function rate(gap, target) {
    const isNear = gap <= target + tolerance.above && gap >= target - tolerance.below;
    if (isNear) return 1;
    const wanted = 1 + (gap - target) / 2;
    // Hundredths, because some players change the rate with an audible click.
    return Math.round(Math.min(fastestRate, Math.max(slowestRate, wanted)) * 100) / 100;
}
