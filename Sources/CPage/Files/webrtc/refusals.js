/** Milliseconds for which a path is not tried again. */
const lasting = 60_000;

/** The paths that could not be played by WebRTC a short time ago, and why. They are forgotten with the page. */
export class Refusals {
    /** @type {Map<string, {reason: string, time: number}>} by path and tracks */
    #entries = new Map();

    /**
     * @param {string} path
     * @param {boolean} hasSound
     * @param {string} reason
     * @param {number} now - in milliseconds
     */
    add(path, hasSound, reason, now) {
        this.#entries.set(key(path, hasSound), { reason, time: now });
    }

    /** Why a path is not tried now; null if it can be. @param {string} path @param {boolean} hasSound @param {number} now */
    reason(path, hasSound, now) {
        const entry = this.#entries.get(key(path, hasSound));
        return entry && now - entry.time < lasting ? entry.reason : null;
    }

    /** A path has been played. @param {string} path @param {boolean} hasSound */
    remove(path, hasSound) {
        this.#entries.delete(key(path, hasSound));
    }
}

function key(path, hasSound) {
    return `${path} ${hasSound}`;
}

/** Those of this page. */
export const refusals = new Refusals();
