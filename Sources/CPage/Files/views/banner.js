import { sentence } from "./description.js";
import { element } from "./element.js";

/** Milliseconds for which a loss is not mentioned, because most are over by then. */
const delay = 1_000;

/** Says that the server cannot be reached, or what else concerns the whole page. */
export class Banner {
    #element;
    #timer = null;

    /** @param {HTMLElement} place - has the role `status` */
    constructor(place) {
        this.#element = place;
    }

    /** @param {string} reason @param {string | null} then - what the page does about it */
    show(reason, then) {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => {
            this.#element.replaceChildren(element("p", {}, sentence(reason), then ? ` ${then}` : null));
            this.#element.hidden = false;
        }, this.#element.hidden ? delay : 0);
    }

    hide() {
        clearTimeout(this.#timer);
        this.#element.hidden = true;
    }
}
