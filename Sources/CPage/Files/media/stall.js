/** Seconds for which a player without media is believed to wait for the network. A source that has ended gives nothing for longer. */
const longest = 1.5;

/**
 * Seconds of the shortest stall. Browsers say for some milliseconds that they wait although they have media: Chromium does if a frame
 * has not been decoded when it chooses one for the display, two refreshes in advance.
 */
const shortest = 0.01;

/** Whether a player had nothing to play, and for how long. All times are in seconds. */
export class Stall {
    /** When the player said that it waits; null while it plays. */
    #beganAt = null;
    /** For how long it had waited when media came; null before. */
    #lateness = null;

    /** The player waits. */
    waited(now) {
        this.#beganAt ??= now;
    }

    /** Media came, which may not have been decoded yet. */
    mediaCame(now) {
        if (this.#beganAt !== null) this.#lateness ??= now - this.#beganAt;
    }

    /**
     * The player plays again.
     *
     * @returns {number | null} for how long media were missing; null if that was no stall of the network
     */
    played(now) {
        if (this.#beganAt === null) return null;
        const duration = now - this.#beganAt;
        const lateness = this.#lateness ?? duration;
        this.ended();
        return duration < shortest || lateness > longest ? null : lateness;
    }

    /** Forgets that the player waits. */
    ended() {
        this.#beganAt = this.#lateness = null;
    }
}
