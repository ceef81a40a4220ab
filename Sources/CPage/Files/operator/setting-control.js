import { element } from "../views/element.js";
import { ControlsEditor } from "./controls-editor.js";
import { MasksEditor } from "./masks-editor.js";
import { SliderScale } from "./slider-scale.js";

/**
 * The control of a setting.
 *
 * @typedef {object} SettingControl
 * @property {HTMLElement[]} elements - the first one has the label
 * @property {(value: any, setting: object) => void} show
 * @property {() => void} [close]
 */

/**
 * The control that suits a setting.
 *
 * @param {import("./setting.js").Setting} setting
 * @param {string} title
 * @param {(value: any, isFinal: boolean) => void} changed - not final while a slider is moved
 * @param {HTMLElement} masksPlace - over the video
 * @returns {SettingControl}
 */
export function settingControl(setting, title, changed, masksPlace) {
    switch (setting.type) {
        case "integer": return numberControl(setting, title, changed);
        case "boolean": return switchControl(changed);
        case "choice": return listControl(setting, changed);
        case "rectangles": return new MasksEditor(masksPlace, setting.maximumCount, (value) => changed(value, true));
        case "map": return new ControlsEditor(setting, changed);
        default: return textControl(setting, changed);
    }
}

/** A slider and a field. Sizes have a field alone, because no slider hits 1280. */
function numberControl({ minimum, maximum, step = 1, unit }, title, changed) {
    const field = element("input", { type: "number", min: minimum, max: maximum, step });
    field.addEventListener("change", () => {
        if (field.validity.valid && field.value !== "") changed(Number(field.value), true);
    });
    if (unit?.startsWith("pixels")) return { elements: [field], show: (value) => (field.value = value) };
    const scale = new SliderScale(minimum, maximum, step);
    const slider = element("input", { type: "range", ...scale.attributes });
    slider.addEventListener("input", () => {
        const value = scale.value(Number(slider.value));
        field.value = value;
        slider.setAttribute("aria-valuetext", value);
        changed(value, false);
    });
    field.setAttribute("aria-label", title);
    return {
        elements: [slider, field],
        show: (value) => {
            slider.value = scale.position(value);
            slider.setAttribute("aria-valuetext", value);
            field.value = value;
        },
    };
}

function switchControl(changed) {
    const box = element("input", { type: "checkbox", role: "switch" });
    box.addEventListener("change", () => changed(box.checked, true));
    return { elements: [box], show: (value) => (box.checked = value === true) };
}

function listControl({ choices }, changed) {
    const list = element("select", {}, choices.map((choice) => element("option", { value: choice }, choice)));
    list.addEventListener("change", () => changed(list.value, true));
    return { elements: [list], show: (value) => (list.value = value) };
}

function textControl({ maximumBytes }, changed) {
    const field = element("input", { type: "text", maxlength: maximumBytes });
    field.addEventListener("change", () => changed(field.value, true));
    return { elements: [field], show: (value) => (field.value = value ?? "") };
}
