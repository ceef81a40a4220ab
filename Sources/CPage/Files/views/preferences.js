/** What a user has chosen on this device. It works without storage, too: then it is forgotten with the page. */
class Preferences {
    #prefix = "apus.";

    /**
     * @template T
     * @param {string} name
     * @param {T} fallback
     * @returns {T}
     */
    value(name, fallback) {
        try {
            return JSON.parse(localStorage.getItem(this.#prefix + name)) ?? fallback;
        } catch {
            return fallback;
        }
    }

    /** @param {string} name @param {unknown} value */
    set(name, value) {
        try {
            localStorage.setItem(this.#prefix + name, JSON.stringify(value));
        } catch {
            // Storage is full or forbidden.
        }
    }
}

export const preferences = new Preferences();

/** Whether the user wants little motion. */
export function prefersReducedMotion() {
    return matchMedia("(prefers-reduced-motion: reduce)").matches;
}
