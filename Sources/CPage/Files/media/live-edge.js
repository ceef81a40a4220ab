/**
 * Seconds of media that are kept ahead of the displayed frame. With 130 ms of audio, Chromium has stalled: frames of AAC are 21 ms long,
 * and the device takes 20 to 40 ms at once.
 */
const shortestTarget = { withAudio: 0.15, videoAlone: 0.05 };

/** Seconds that are kept at most, whatever the network does. */
const longestTarget = 1;

/** Seconds beyond the longest step of the buffered end. A browser chooses frames up to two refreshes of the display in advance. */
const margin = 0.03;

/** What remains of the longest step after each further one: half of it after a second at 30 frames per second. */
const decayPerStep = 0.98;

/**
 * A stall extends the target by a share of its duration, but at least by so many seconds, and at most by this part of the target. After
 * so many seconds half of it is undone. With audio a stall costs most of a second, because players buffer audio again. Without, only
 * one frame is late, so the target follows only stalls that come again and again.
 */
const extension = {
    withAudio: { share: 1, least: 0.03, halfLife: 30 },
    videoAlone: { share: 0.25, least: 0.002, halfLife: 15 },
    part: 0.5,
};

/** Seconds after the first media in which a stall says nothing about the network, because players are filling their buffers. */
const beginning = 2;

/** Seconds after the first media in which a step says nothing about the network, because what a fast start holds comes at once. */
const fastStart = 0.5;

/** Seconds around the target in which the distance is not corrected. With audio, the buffered end advances in larger steps. */
const tolerance = { withAudio: 0.015, videoAlone: 0.008 };

/**
 * How the playback rate follows the distance from the target: by how much for each second beyond the tolerance, over how many seconds the
 * distance is averaged, and the fastest rate. Viewers do not notice these rates.
 */
const following = { gain: 1.5, smoothing: 0.15, fastestRate: 1.25 };

/** The same until the gap is right for the first time, so that a new viewer is at the live edge within half a second. */
const catchingUp = {
    withAudio: { gain: 6, smoothing: 0.05, fastestRate: 1.5 },
    videoAlone: { gain: 6, smoothing: 0.05, fastestRate: 2 },
};

/** The slowest playback rate. */
const slowestRate = 0.9;

/**
 * The drift of the clock that is learned in a second for each second beyond the tolerance, the distance from the target within which this is
 * done, and the drift that is believed at most. Video alone is played by the clock of the system, which does not drift.
 */
const drifting = { gain: { withAudio: 0.3, videoAlone: 0 }, within: 0.05, most: 0.08 };

/** Seconds behind the live edge from which frames are skipped: this many, or this many targets. */
const skipping = { seconds: 1, targets: 6 };

/** The same until the gap is right for the first time. To skip takes a browser 0.1 to 0.2 s, in which it would play as much faster. */
const skippingAtStart = 0.3;

/** The same for players that buffer again after each change of the rate. They skip instead of playing faster. */
const skippingWithoutRates = 0.3;

/**
 * Keeps a player close to the end of what it has buffered, which is the live edge: a proportional-integral controller.
 *
 * The gap is the media between the displayed frame and the buffered end. If it is larger than its target, the player plays a
 * little faster, and if it is smaller, a little slower. The integral part is the drift of the player's clock: audio devices play
 * faster or slower than the source records, and a browser without any plays up to 5 % too slowly.
 *
 * The target follows the network: it is above the longest step by which the end has advanced lately, and each stall extends it for a
 * while.
 *
 * ```
 *        played │ displayed           target            buffered end
 * ──────────────┴──────────────────────┴─────────────────┤
 *               │<--------------- gap ------------------>│
 * ```
 */
export class LiveEdge {
    #shortest;
    #stall;
    #tolerance;
    #driftGain;
    #catchingUp;
    #changesRate;
    /** The longest step of the buffered end, which decays. */
    #longestStep = 0;
    /** The buffered end at the last observation. */
    #end = null;
    /** Seconds by which stalls have extended the target, and when that was true, in seconds. */
    #extension = { seconds: 0, at: 0 };
    /** The averaged distance from the target, in seconds; null before the first. */
    #error = null;
    /** By how much the player's clock is slower than that of the source. */
    #drift = 0;
    /** When media were last appended, in seconds. */
    #observedAt = 0;
    /** Whether the gap has been right since the start. */
    #isSettled = false;
    /** When the first media were appended since the start, in seconds; null before. */
    #beganAt = null;

    /**
     * @param {object} options
     * @param {boolean} options.hasAudio
     * @param {boolean} [options.changesRate] - false for players that buffer again after each change of the rate
     * @param {number} [options.leastTarget] - seconds
     */
    constructor({ hasAudio, changesRate = true, leastTarget = 0 }) {
        const kind = hasAudio ? "withAudio" : "videoAlone";
        this.#shortest = Math.max(shortestTarget[kind], leastTarget);
        this.#stall = extension[kind];
        this.#tolerance = tolerance[kind];
        this.#driftGain = drifting.gain[kind];
        this.#catchingUp = catchingUp[kind];
        this.#changesRate = changesRate;
    }

    /** Seconds of media that are kept ahead of the displayed frame. */
    get target() {
        const target = Math.max(this.#shortest, this.#longestStep + margin) + this.#extension.seconds;
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
        // Or the position is behind the end, because the buffer was cleared.
        if (position < start || gap > this.#longestGap(target) || gap < 0) {
            this.#error = null;
            return { rate: 1, jump: Math.max(start, end - target) };
        }
        // Before, what a fast start holds passes by the position of a player that has not begun.
        if (now - this.#beganAt >= fastStart) this.#isSettled ||= gap < target + 2 * this.#tolerance;
        return { rate: this.#changesRate ? this.#rate(gap - target, now) : 1, jump: null };
    }

    /**
     * The player had nothing to play, although media came in time.
     *
     * @param {number} now - in seconds
     * @param {number} duration - how long, in seconds
     */
    stalled(now, duration) {
        this.#error = null;
        if (this.#beganAt === null || now - this.#beganAt < beginning) return;
        this.#forget(now);
        const seconds = Math.min(Math.max(this.#stall.share * duration, this.#stall.least), extension.part * this.target);
        this.#extension.seconds = Math.min(this.#extension.seconds + seconds, longestTarget);
    }

    /** Media of another connection follow. */
    restarted() {
        this.#end = this.#error = this.#beganAt = null;
        this.#isSettled = false;
    }

    /** The gap from which frames are skipped. */
    #longestGap(target) {
        if (!this.#isSettled) return target + skippingAtStart;
        return this.#changesRate ? Math.max(skipping.seconds, skipping.targets * target) : target + skippingWithoutRates;
    }

    #observe(start, end, now) {
        this.#beganAt ??= now;
        // The step to a range behind a gap says nothing about the network, either.
        const isStep = this.#end !== null && start <= this.#end && now - this.#beganAt >= fastStart;
        const step = isStep ? end - this.#end : 0;
        this.#end = end;
        if (step > 0) this.#longestStep = Math.max(step, this.#longestStep * decayPerStep);
        this.#forget(now);
    }

    /** Undoes a part of the extension. */
    #forget(now) {
        const { seconds, at } = this.#extension;
        this.#extension = { seconds: seconds * 0.5 ** ((now - at) / this.#stall.halfLife), at: now };
    }

    /** The playback rate at a distance from the target. */
    #rate(error, now) {
        const elapsed = this.#error === null ? 0 : now - this.#observedAt;
        this.#observedAt = now;
        const { gain, smoothing, fastestRate } = this.#isSettled ? following : this.#catchingUp;
        this.#error ??= error;
        this.#error += (error - this.#error) * Math.min(1, elapsed / smoothing);
        const excess = Math.sign(this.#error) * Math.max(0, Math.abs(this.#error) - this.#tolerance);
        if (Math.abs(excess) < drifting.within) {
            this.#drift = clamp(this.#drift + this.#driftGain * excess * elapsed, -drifting.most, drifting.most);
        }
        // Hundredths, because some players change the rate with an audible click.
        return Math.round(clamp(1 + gain * excess + this.#drift, slowestRate, fastestRate) * 100) / 100;
    }
}

function clamp(value, least, most) {
    return Math.min(most, Math.max(least, value));
}
