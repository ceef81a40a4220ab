import { qrCode } from "../qr/qr-code.js";

/** Light modules around a code, without which it cannot be read (ISO/IEC 18004, section 5.3.8). */
const quietZone = 4;

/**
 * A text as a QR code, always dark on white.
 *
 * @param {string} text
 * @returns {SVGElement | null} null if the text is too long
 */
export function qrImage(text) {
    const code = qrCode(text);
    if (!code) return null;
    const side = code.side + 2 * quietZone;
    let path = "";
    for (let row = 0; row < code.side; row += 1) {
        for (let column = 0; column < code.side; column += 1) {
            if (code.isDark(column, row)) path += `M${column + quietZone} ${row + quietZone}h1v1h-1z`;
        }
    }
    const svg = node("svg", { viewBox: `0 0 ${side} ${side}`, class: "qr", role: "img", "aria-label": `QR code of ${text}` });
    svg.append(node("rect", { width: side, height: side, fill: "#fff" }));
    // Without smoothing there are no light lines between modules.
    svg.append(node("path", { d: path, fill: "#000", "shape-rendering": "crispEdges" }));
    return svg;
}

function node(name, attributes) {
    const result = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) result.setAttribute(key, value);
    return result;
}
