import { element, setText } from "../views/element.js";
import * as format from "../views/format.js";
import { MasksEditor } from "./masks-editor.js";

/** Milliseconds after the last movement of a slider in which the value is sent. */
const delay = 250;

/** Where values come from, in words. */
const origins = {
    default: "default",
    file: "from the configuration file",
    http: "changed over HTTP",
    command: "changed by apus set",
};

/**
 * A setting of the server, as its API describes it.
 *
 * @typedef {object} Setting
 * @property {string} name
 * @property {string} group
 * @property {string} title
 * @property {string} description
 * @property {"integer" | "number" | "boolean" | "choice" | "text" | "masks"} kind
 * @property {any} value
 * @property {any} default
 * @property {"default" | "file" | "http" | "command"} origin
 * @property {string} effect
 * @property {number} [minimum]
 * @property {number} [maximum]
 * @property {number} [step]
 * @property {string | null} [unit]
 * @property {number} [maximumLength]
 * @property {{value: any, title: string}[]} [choices]
 */

/** One setting with the control that suits it, where its value comes from, and a button that takes the change back. */
export class SettingRow {
    element = element("div.setting");
    #setting;
    #changed;
    #control;
    #shown = element("output.value");
    #origin = element("span.origin");
    #reset = element("button.quiet.reset", { type: "button" }, "Reset");
    #timer = null;

    /**
     * @param {Setting} setting
     * @param {(value: any) => void} changed - the user has chosen a value; null takes the change back
     * @param {HTMLElement} masksPlace - rectangles of masks are shown there
     */
    constructor(setting, changed, masksPlace) {
        this.#changed = changed;
        this.#setting = setting;
        this.#control = this.#newControl(masksPlace);
        const id = `setting-${setting.name}`;
        const label = element("label", { for: id }, setting.title);
        const [first] = this.#control.elements;
        first.id = id;
        first.setAttribute("aria-describedby", `${id}-about`);
        this.#reset.setAttribute("aria-label", `Reset ${setting.title}`);
        this.#reset.addEventListener("click", () => changed(null));
        this.element.append(
            element("div.heading", {}, label, this.#shown),
            element("div.control", {}, this.#control.elements),
            element("p.about", { id: `${id}-about` }, setting.description, " ", this.#origin, this.#reset));
        this.update(setting);
    }

    /** @param {Setting} setting - as the server has it now */
    update(setting) {
        this.#setting = setting;
        setText(this.#origin, `Now: ${origins[setting.origin] ?? setting.origin}.`);
        this.#reset.hidden = setting.origin !== "http";
        this.#reset.title = `Take the change back, to ${valueText(setting, setting.default)}`;
        // A control that the user is about to change is left alone.
        if (this.#timer === null) this.show(setting.value);
    }

    /** @param {any} value */
    show(value) {
        this.#control.show(value);
        setText(this.#shown, valueText(this.#setting, value));
    }

    /** Stops showing rectangles over the video. */
    close() {
        this.#control.close?.();
    }

    #send(value, isFinal = true) {
        setText(this.#shown, valueText(this.#setting, value));
        clearTimeout(this.#timer);
        const send = () => {
            this.#timer = null;
            this.#changed(value);
        };
        if (isFinal) send();
        else this.#timer = setTimeout(send, delay);
    }

    #newControl(masksPlace) {
        switch (this.#setting.kind) {
            case "integer":
            case "number": return this.#number();
            case "boolean": return this.#boolean();
            case "choice": return this.#choice();
            case "masks": return new MasksEditor(masksPlace, (value) => this.#send(value));
            default: return this.#text();
        }
    }

    /** A slider and a field; a field alone if the limits are unknown. */
    #number() {
        const { minimum, maximum, step, title, kind } = this.#setting;
        const limits = { min: minimum, max: maximum, step: step ?? (kind === "integer" ? 1 : "any") };
        const field = element("input", { type: "number", ...limits });
        field.addEventListener("change", () => field.validity.valid && field.value !== "" && this.#send(Number(field.value)));
        if (minimum === undefined || maximum === undefined) {
            return { elements: [field], show: (value) => (field.value = value ?? "") };
        }
        const slider = element("input", { type: "range", ...limits });
        slider.addEventListener("input", () => {
            field.value = slider.value;
            this.#send(Number(slider.value), false);
        });
        field.setAttribute("aria-label", title);
        return {
            elements: [slider, field],
            show: (value) => {
                slider.value = value ?? minimum;
                field.value = value ?? "";
            },
        };
    }

    #boolean() {
        const box = element("input", { type: "checkbox", role: "switch" });
        box.addEventListener("change", () => this.#send(box.checked));
        return { elements: [box], show: (value) => (box.checked = value === true) };
    }

    #choice() {
        const { choices } = this.#setting;
        const list = element("select", {}, choices.map(({ title }, index) => element("option", { value: index }, title)));
        list.addEventListener("change", () => this.#send(choices[list.value].value));
        return { elements: [list], show: (value) => (list.selectedIndex = choices.findIndex((choice) => choice.value === value)) };
    }

    #text() {
        const field = element("input", { type: "text", maxlength: this.#setting.maximumLength });
        field.addEventListener("change", () => this.#send(field.value));
        return { elements: [field], show: (value) => (field.value = value ?? "") };
    }
}

/** @param {Setting} setting @param {any} value */
function valueText({ kind, unit, choices }, value) {
    if (value === null || value === undefined) return "chosen by the device";
    switch (kind) {
        case "boolean": return value ? "on" : "off";
        case "choice": return choices.find((choice) => choice.value === value)?.title ?? `${value}`;
        case "masks": return value.length === 0 ? "none" : format.count(value.length, "mask");
        case "integer":
        case "number": return unit === "bit/s" ? format.bitrate(value) : `${value}${unit ? ` ${unit}` : ""}`;
        default: return "";
    }
}
