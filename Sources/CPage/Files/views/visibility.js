/** Milliseconds for which an element must be in view. Those that are scrolled past show nothing. */
const delay = 150;

/** Pixels around the viewport in which an element counts as in view. */
const margin = "120px";

/**
 * Tells elements whether the user can see them: in the viewport, of a page that is not hidden.
 */
export class Visibility {
    /** @type {Map<Element, {isInView: boolean, isShown: boolean, timer: number | null, changed: (isShown: boolean) => void}>} */
    #observed = new Map();
    #observer = new IntersectionObserver((entries) => this.#intersected(entries), { rootMargin: margin });

    constructor() {
        document.addEventListener("visibilitychange", () => this.#observed.forEach((state) => this.#update(state)));
    }

    /** @param {Element} element @param {(isShown: boolean) => void} changed */
    observe(element, changed) {
        this.#observed.set(element, { isInView: false, isShown: false, timer: null, changed });
        this.#observer.observe(element);
    }

    /** @param {Element} element */
    forget(element) {
        this.#observer.unobserve(element);
        clearTimeout(this.#observed.get(element)?.timer);
        this.#observed.delete(element);
    }

    #intersected(entries) {
        for (const { target, isIntersecting } of entries) {
            const state = this.#observed.get(target);
            if (!state) continue;
            state.isInView = isIntersecting;
            this.#update(state);
        }
    }

    #update(state) {
        clearTimeout(state.timer);
        const isShown = state.isInView && !document.hidden;
        if (isShown === state.isShown) return;
        const change = () => {
            state.isShown = isShown;
            state.changed(isShown);
        };
        if (isShown) state.timer = setTimeout(change, delay);
        else change();
    }
}
