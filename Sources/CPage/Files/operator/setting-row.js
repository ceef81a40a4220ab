import { element, setText } from "../views/element.js";
import { settingControl } from "./setting-control.js";
import { titleOf, valueText } from "./setting.js";

/** Milliseconds after the last movement of a slider in which the value is sent. */
const delay = 250;

/** Where values come from, in words. */
const origins = {
    default: "the default",
    file: "from the configuration file",
    "command line": "from the command line",
    settings: "changed over HTTP",
    "apus set": "changed by apus set",
};

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
     * @param {import("./setting.js").Setting} setting
     * @param {(value: any) => void} changed - the user has chosen a value; null takes the change back
     * @param {HTMLElement} masksPlace - rectangles of masks are shown there
     */
    constructor(setting, changed, masksPlace) {
        this.#changed = changed;
        this.#setting = setting;
        const title = titleOf(setting.key);
        this.#control = settingControl(setting, title, (value, isFinal) => this.#send(value, isFinal), masksPlace);
        const id = `setting-${setting.key}`;
        const [first] = this.#control.elements;
        first.id = id;
        first.setAttribute("aria-describedby", `${id}-about`);
        this.#reset.setAttribute("aria-label", `Reset ${title}`);
        this.#reset.addEventListener("click", () => changed(null));
        // A group of fields has a name of its own.
        const isGroup = first.getAttribute("role") === "group";
        this.element.append(
            element("div.heading", {}, isGroup ? element("span", {}, title) : element("label", { for: id }, title), this.#shown),
            element("div.control", {}, this.#control.elements),
            element("p.about", { id: `${id}-about` }, setting.reason, " ", this.#origin, this.#reset));
        this.update(setting);
    }

    /** @param {import("./setting.js").Setting} setting - as the server has it now */
    update(setting) {
        this.#setting = setting;
        setText(this.#origin, `Now: ${origins[setting.origin] ?? setting.origin}.`);
        this.#reset.hidden = setting.origin !== "settings";
        const configured = valueText(setting, setting.configured);
        this.#reset.title = configured ? `Back to ${configured}` : "Take the change back";
        // A control that the user is about to change is left alone.
        if (this.#timer !== null) return;
        this.#control.show(setting.value, setting);
        setText(this.#shown, valueText(setting, setting.value));
    }

    /** Stops showing rectangles over the video. */
    close() {
        this.#control.close?.();
    }

    #send(value, isFinal) {
        setText(this.#shown, valueText(this.#setting, value));
        clearTimeout(this.#timer);
        const send = () => {
            this.#timer = null;
            this.#changed(value);
        };
        if (isFinal) send();
        else this.#timer = setTimeout(send, delay);
    }
}
