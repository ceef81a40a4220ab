import { codewords } from "./codewords.js";
import { masks, penalty } from "./mask.js";
import { Matrix } from "./matrix.js";
import { Version } from "./version.js";

/**
 * The QR code of a text, as bytes of UTF-8 with error correction level M (ISO/IEC 18004).
 *
 * @param {string} text
 * @returns {Matrix | null} null if the text is longer than 331 bytes
 */
export function qrCode(text) {
    const bytes = new TextEncoder().encode(text);
    const version = Version.for(bytes.length);
    if (!version) return null;
    const matrix = new Matrix(version);
    matrix.place(codewords(bytes, version));
    const penalties = masks.map((selects, number) => {
        matrix.invert(selects);
        matrix.drawFormat(number);
        const points = penalty(matrix);
        matrix.invert(selects);
        return points;
    });
    const best = penalties.indexOf(Math.min(...penalties));
    matrix.invert(masks[best]);
    matrix.drawFormat(best);
    return matrix;
}
