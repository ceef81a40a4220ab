import { element } from "../views/element.js";

/** The numbers of a mask. */
const names = ["left", "top", "width", "height"];

/** A new mask: the middle of the frame. */
const first = ["40%", "40%", "20%", "20%"];

/**
 * Edits privacy masks, rectangles in percent or in pixels of the frame, as numbers. It shows them over the video meanwhile, because
 * the video itself shows a mask only after it was changed.
 */
export class MasksEditor {
    elements;
    #place;
    #maximumCount;
    #changed;
    #add = element("button", { type: "button" }, "Add a mask");
    #list = element("div.masks-list", { role: "group", "aria-label": "Privacy masks", tabindex: "-1" });
    /** @type {(string | number)[][]} */
    #masks = [];

    /**
     * @param {HTMLElement} place - over the video
     * @param {number} maximumCount
     * @param {(masks: (string | number)[][]) => void} changed
     */
    constructor(place, maximumCount, changed) {
        this.#place = place;
        this.#maximumCount = maximumCount;
        this.#changed = changed;
        this.#add.addEventListener("click", () => this.#change([...this.#masks, first]));
        this.elements = [this.#list, this.#add];
    }

    /** @param {(string | number)[][]} masks */
    show(masks) {
        // Fields that have the focus stay.
        if (JSON.stringify(masks) === JSON.stringify(this.#masks) && this.#list.childElementCount === masks.length) return;
        this.#build(masks ?? []);
    }

    close() {
        this.#place.replaceChildren();
    }

    #row(mask, index) {
        const fields = names.map((name, place) => {
            const { number, unit } = parts(mask[place]);
            const field = element("input", { type: "number", min: 0, max: unit ? 100 : 16384, step: 1, value: number });
            field.addEventListener("change", () => {
                if (!field.validity.valid || field.value === "") return;
                const changed = mask.map((value, other) => (other === place ? joined(field.value, unit) : value));
                this.#change(this.#masks.map((value, other) => (other === index ? changed : value)));
            });
            return element("label", {}, `${name}${unit || " px"}`, field);
        });
        const remove = element("button.quiet", {
            type: "button", "aria-label": `Remove mask ${index + 1}`,
            onclick: () => this.#change(this.#masks.filter((_, other) => other !== index)),
        }, "Remove");
        return element("div.mask", { role: "group", "aria-label": `Mask ${index + 1}` }, fields, remove);
    }

    #change(masks) {
        this.#build(masks);
        this.#changed(masks);
    }

    #build(masks) {
        this.#masks = masks;
        this.#list.replaceChildren(...masks.map((mask, index) => this.#row(mask, index)));
        this.#add.disabled = masks.length >= this.#maximumCount;
        this.#draw();
    }

    /** Rectangles in percent. Those in pixels depend on the size of the captured frame, which the page does not know. */
    #draw() {
        const shown = this.#masks.filter((mask) => mask.every((value) => parts(value).unit));
        this.#place.replaceChildren(...shown.map(([left, top, width, height]) => {
            const rectangle = element("div");
            Object.assign(rectangle.style, { left, top, width, height });
            return rectangle;
        }));
    }
}

/** `20%` → 20 and `%`; 640 → 640 and nothing. */
function parts(value) {
    const text = `${value}`;
    return { number: Number.parseFloat(text), unit: text.endsWith("%") ? "%" : "" };
}

function joined(number, unit) {
    return unit ? `${Number(number)}${unit}` : Number(number);
}
