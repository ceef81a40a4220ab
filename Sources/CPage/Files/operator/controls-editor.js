import { element, setText } from "../views/element.js";
import { titleOf, valueText } from "./setting.js";
import { settingControl } from "./setting-control.js";

/**
 * Edits the controls of a camera, each as what it is, or, if the camera is not open, as texts by name.
 */
export class ControlsEditor {
    elements = [element("div.camera-controls", { role: "group", "aria-label": "Controls of the camera", tabindex: "-1" })];
    #changed;
    /** @type {Map<string, {control: import("./setting-control.js").SettingControl, shown: HTMLElement, about: object}>} by name */
    #rows = new Map();

    /**
     * @param {import("./setting.js").Setting} setting
     * @param {(value: Record<string, any>, isFinal: boolean) => void} changed
     */
    constructor(setting, changed) {
        this.#changed = changed;
        this.show(setting.value, setting);
    }

    /** @param {Record<string, string>} value @param {import("./setting.js").Setting} setting */
    show(value, setting) {
        const controls = setting.controls ?? Object.entries(value ?? {}).map(([name, value]) => ({ name, type: "text", value }));
        if (controls.map(({ name }) => name).join() !== [...this.#rows.keys()].join()) this.#build(controls);
        for (const control of controls) {
            const { control: { show }, shown } = this.#rows.get(control.name);
            show(control.value, control);
            setText(shown, valueText({ key: control.name, ...control }, control.value));
        }
    }

    #build(controls) {
        this.#rows.clear();
        const rows = controls.map((about) => this.#row(about));
        this.elements[0].replaceChildren(...rows);
        if (rows.length === 0) this.elements[0].append(element("p.about", {}, "The camera is not open."));
    }

    #row(about) {
        const title = titleOf(about.name);
        const shown = element("output.value");
        const control = settingControl(about, title, (value, isFinal) => {
            setText(shown, valueText({ key: about.name, ...about }, value));
            this.#changed({ [about.name]: value }, isFinal);
        }, this.elements[0]);
        const [first] = control.elements;
        first.id = `control-${about.name}`;
        this.#rows.set(about.name, { control, shown, about });
        return element("div.setting", {},
            element("div.heading", {}, element("label", { for: first.id }, title), shown),
            element("div.control", {}, control.elements));
    }
}
