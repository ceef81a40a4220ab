/** Milliseconds between two announcements, so that a screen reader can finish the first. */
const interval = 1_500;

/** Announcements that wait at most. If more happens, the oldest are left out. */
const maximumCount = 5;

/** Tells users of screen readers what has happened, one thing after the other. */
export class Announcer {
    #region;
    #waiting = [];
    #timer = null;

    /** @param {HTMLElement} region - has `aria-live` */
    constructor(region) {
        this.#region = region;
    }

    /** @param {string} text */
    announce(text) {
        if (this.#waiting.at(-1) === text) return;
        this.#waiting.push(text);
        if (this.#waiting.length > maximumCount) this.#waiting.shift();
        if (this.#timer === null) this.#next();
    }

    #next() {
        const text = this.#waiting.shift();
        if (text === undefined) {
            this.#timer = null;
            return;
        }
        this.#region.textContent = text;
        this.#timer = setTimeout(() => this.#next(), interval);
    }
}
