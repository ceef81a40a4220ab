/**
 * A setting of a path, as the server describes it.
 *
 * @typedef {object} Setting
 * @property {string} key - such as `video.bitrate`
 * @property {any} value
 * @property {any} configured - the value without changes over HTTP
 * @property {string} origin - where the value comes from
 * @property {"integer" | "boolean" | "choice" | "text" | "rectangles" | "map"} type
 * @property {number} [minimum]
 * @property {number} [maximum]
 * @property {number} [step]
 * @property {string} [unit]
 * @property {string[]} [choices]
 * @property {number} [maximumBytes]
 * @property {number} [maximumCount]
 * @property {object[]} [controls] - of `camera.controls`, while the camera is open
 * @property {string} reason - why a user would change it
 * @property {string} effect - when a change takes effect
 */

import * as format from "../views/format.js";

/** Names for users, of settings whose keys do not say it well. */
const titles = {
    "video.frameRate": "Frame rate",
    "video.gopMilliseconds": "Time between keyframes",
    "effects.privacyMasks": "Privacy masks",
    "effects.overlay": "Text in the video",
    "effects.overlayCorner": "Corner of the text",
    "effects.overlaySize": "Size of the text",
    "camera.controls": "Controls",
};

/** Units of the configuration, as users read them behind a number. */
const units = { "frames per second": "fps", milliseconds: "ms", "pixels, even": "px" };

/** The name of a setting for users. @param {string} key */
export function titleOf(key) {
    const last = key.split(".").at(-1).replaceAll("_", " ");
    const words = last.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
    return titles[key] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

/** The section of a setting, by which settings are grouped. @param {string} key */
export function groupOf(key) {
    return key.includes(".") ? key.split(".")[0] : "";
}

/** A value of a setting, as a user reads it. @param {Setting} setting @param {any} value */
export function valueText({ key, type, unit }, value) {
    if (value === null || value === undefined) return "";
    switch (type) {
        case "boolean": return value ? "on" : "off";
        case "choice": return `${value}`;
        case "rectangles": return value.length === 0 ? "none" : format.count(value.length, "mask");
        case "integer":
            if (key === "video.bitrate") return format.bitrate(value);
            return [value, units[unit]].filter((part) => part !== undefined).join("\u00a0");
        default: return "";
    }
}
