/** Milliseconds without another frame after which the age of the last one grows, because the video stands still. */
const standing = 500;

/** Frames over which the age is averaged. */
const keptCount = 15;

/** Follows which frame a video displays, and how old it is. */
export class DisplayedFrames {
    #video;
    #captured;
    #clock;
    /** The ages of the last frames when they were displayed, in milliseconds. */
    #ages = [];
    /** @type {{captured: number | null, shownAt: number} | null} */
    #last = null;
    #handle = null;
    #count = 0;

    /**
     * @param {HTMLVideoElement} video
     * @param {(presented: number, frame?: VideoFrameCallbackMetadata) => number | null} captured - when the frame that is presented at a
     *     time was captured
     * @param {import("../server/server-clock.js").ServerClock} clock
     */
    constructor(video, captured, clock) {
        this.#video = video;
        this.#captured = captured;
        this.#clock = clock;
        this.#await();
    }

    /** Frames that were displayed. */
    get count() {
        return this.#count;
    }

    /**
     * How old the displayed frame is.
     *
     * @param {number} now - in milliseconds of this page's monotonic clock
     * @returns {number | null} in milliseconds; null if it is unknown
     */
    age(now) {
        if (!this.#clock.isKnown) return null;
        if (this.#video.videoWidth === 0) return this.#audioAge(now);
        if (!this.#last || this.#last.captured === null) return null;
        if (now - this.#last.shownAt > standing) return Math.max(0, this.#clock.time(now) - this.#last.captured);
        const ages = this.#ages.toSorted((a, b) => a - b);
        return ages.length > 0 ? Math.max(0, ages[ages.length >> 1]) : null;
    }

    /** Audio alone has no frames that are displayed; what is heard is at the position of the player. */
    #audioAge(now) {
        const captured = this.#captured(this.#video.currentTime);
        return captured === null ? null : Math.max(0, this.#clock.time(now) - captured);
    }

    stop() {
        if (this.#handle !== null) this.#video.cancelVideoFrameCallback(this.#handle);
        this.#handle = null;
    }

    #await() {
        // Firefox before 132 has no such callback, and shows no age.
        this.#handle = this.#video.requestVideoFrameCallback?.((_, frame) => this.#shown(frame)) ?? null;
    }

    #shown(frame) {
        const { mediaTime, expectedDisplayTime } = frame;
        const captured = this.#captured(mediaTime, frame);
        this.#last = { captured, shownAt: expectedDisplayTime };
        this.#count += 1;
        const time = this.#clock.time(expectedDisplayTime);
        if (captured !== null && time !== null) {
            this.#ages.push(time - captured);
            if (this.#ages.length > keptCount) this.#ages.shift();
        }
        this.#await();
    }
}
