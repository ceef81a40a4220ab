/** Milliseconds before the first attempt, and before each further one at most, early and late. */
const first = 250;
const early = { longest: 500, until: 60_000 };
const late = { longest: 10_000 };

/**
 * When to try again what has failed.
 *
 * In the first minute an attempt follows after half a second at most, so that a connection returns quickly. Later it may take ten.
 */
export class RetrySchedule {
    #failedAt = null;
    #delay = first;

    /**
     * An attempt has failed.
     *
     * @param {number} now - in milliseconds
     * @param {number} chance - from 0 to 1. Many pages lose their server at once, and come back at different times
     * @returns {number} milliseconds until the next attempt
     */
    failed(now, chance) {
        this.#failedAt ??= now;
        const isEarly = now - this.#failedAt < early.until;
        const delay = Math.min(this.#delay, isEarly ? early.longest : late.longest);
        this.#delay = delay * 2;
        return delay * (0.75 + chance / 4);
    }

    /** An attempt has succeeded, and lasts. */
    succeeded() {
        this.#failedAt = null;
        this.#delay = first;
    }
}
