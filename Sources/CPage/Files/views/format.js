/**
 * Numbers as texts for users.
 */

/** Between a number and its unit, so that no line breaks there. */
const space = "\u00a0";

/** Three significant digits at most, with a point: 2.01, 20.1, 201. @param {number} value */
function digits(value) {
    if (value >= 99.95) return value.toFixed(0);
    return value.toFixed(value >= 9.995 ? 1 : 2).replace(/0$/, "");
}

/** @param {number} bitsPerSecond */
export function bitrate(bitsPerSecond) {
    if (bitsPerSecond >= 999_500) return `${digits(bitsPerSecond / 1e6)}${space}Mbit/s`;
    if (bitsPerSecond >= 1_000) return `${(bitsPerSecond / 1_000).toFixed(0)}${space}kbit/s`;
    return `${bitsPerSecond.toFixed(0)}${space}bit/s`;
}

/** @param {number} count */
export function bytes(count) {
    if (count >= 999.5e6) return `${digits(count / 1e9)}${space}GB`;
    if (count >= 999.5e3) return `${digits(count / 1e6)}${space}MB`;
    if (count >= 1_000) return `${(count / 1_000).toFixed(0)}${space}kB`;
    return `${count}${space}B`;
}

/** A duration that is measured in milliseconds: `92 ms`, `1.4 s`, `2 min`. @param {number} milliseconds */
export function milliseconds(milliseconds) {
    if (milliseconds < 999.5) return `${milliseconds.toFixed(0)}${space}ms`;
    if (milliseconds < 9_950) return `${(milliseconds / 1_000).toFixed(1)}${space}s`;
    return duration(milliseconds / 1_000);
}

/** A duration with its two largest units: `14 s`, `3 min 20 s`, `2 h 5 min`, `4 d 1 h`. @param {number} seconds */
export function duration(seconds) {
    const whole = Math.round(seconds);
    const units = [["d", 86_400], ["h", 3_600], ["min", 60], ["s", 1]];
    const first = Math.max(0, units.findIndex(([, length]) => whole >= length));
    if (whole === 0) return `0${space}s`;
    return units
        .slice(first, first + 2)
        .map(([name, length], index) => [Math.floor((index === 0 ? whole : whole % units[first][1]) / length), name])
        .filter(([count]) => count > 0)
        .map(([count, name]) => `${count}${space}${name}`)
        .join(" ");
}

/** `1 viewer`, `3 viewers`, `no viewers`. @param {number} number @param {string} noun */
export function count(number, noun) {
    return `${number === 0 ? "no" : number} ${noun}${number === 1 ? "" : "s"}`;
}

/** `1280 × 720`. @param {number} width @param {number} height */
export function size(width, height) {
    return `${width}${space}×${space}${height}`;
}

/** `30 fps`, `29.97 fps`. @param {number} framesPerSecond */
export function frameRate(framesPerSecond) {
    return `${Number(framesPerSecond.toFixed(2))}${space}fps`;
}

/** The time of day of an instant, in the user's time zone. @param {string | number} instant */
export function timeOfDay(instant) {
    return new Date(instant).toLocaleTimeString("en-GB");
}
