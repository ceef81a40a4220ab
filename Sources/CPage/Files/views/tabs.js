import { element } from "./element.js";

/**
 * A part of a page that is shown alone.
 *
 * @typedef {object} Panel
 * @property {string} name - a word, in lower case
 * @property {string} title
 * @property {HTMLElement} element
 * @property {() => void} [shown]
 * @property {() => void} [hidden]
 */

/** Panels of which one is shown, chosen by tabs (the pattern *Tabs* of the ARIA Authoring Practices Guide). */
export class Tabs {
    #list = element("div.tabs", { role: "tablist" });
    #element;
    /** @type {{panel: Panel, tab: HTMLElement}[]} */
    #entries = [];
    /** @type {Panel | null} */
    #shown = null;

    /** @param {HTMLElement} place @param {string} label */
    constructor(place, label) {
        this.#element = place;
        this.#list.setAttribute("aria-label", label);
        this.#list.addEventListener("keydown", (event) => this.#pressed(event));
        place.append(this.#list);
    }

    /** @param {Panel} panel */
    add(panel) {
        const tab = element("button.tab", {
            type: "button", role: "tab", id: `tab-${panel.name}`, "aria-controls": `panel-${panel.name}`, "aria-selected": "false", tabindex: "-1",
            onclick: () => this.show(panel.name),
        }, panel.title);
        panel.element.id = `panel-${panel.name}`;
        panel.element.setAttribute("role", "tabpanel");
        panel.element.setAttribute("aria-labelledby", tab.id);
        panel.element.tabIndex = 0;
        panel.element.hidden = true;
        this.#entries.push({ panel, tab });
        this.#list.append(tab);
        this.#element.append(panel.element);
        if (this.#entries.length === 1) this.show(panel.name);
    }

    /** @param {string} name */
    has(name) {
        return this.#entries.some(({ panel }) => panel.name === name);
    }

    /** @param {string} name */
    show(name) {
        for (const { panel, tab } of this.#entries) {
            const isShown = panel.name === name;
            tab.setAttribute("aria-selected", isShown);
            tab.tabIndex = isShown ? 0 : -1;
            panel.element.hidden = !isShown;
            if (isShown && panel !== this.#shown) {
                this.#shown?.hidden?.();
                this.#shown = panel;
                panel.shown?.();
            }
        }
    }

    /** Arrows, Home and End move between tabs. */
    #pressed(event) {
        const tabs = this.#entries.map(({ tab }) => tab);
        const index = tabs.indexOf(document.activeElement);
        const last = tabs.length - 1;
        const next = {
            ArrowRight: index === last ? 0 : index + 1, ArrowLeft: index === 0 ? last : index - 1, Home: 0, End: last,
        }[event.key];
        if (next === undefined || index < 0) return;
        event.preventDefault();
        tabs[next].focus();
        this.show(this.#entries[next].panel.name);
    }
}
