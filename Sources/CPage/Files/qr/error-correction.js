/**
 * Reed-Solomon codes over the field of 256 elements that QR codes use (ISO/IEC 18004, section 7.5).
 */

/** x⁸ + x⁴ + x³ + x² + 1, by which products are reduced. */
const reduction = 0x11d;

/** @param {number} a @param {number} b @returns {number} their product in the field */
function product(a, b) {
    let result = 0;
    for (let bit = 7; bit >= 0; bit -= 1) {
        result = (result << 1) ^ ((result >> 7) * reduction);
        result ^= ((b >> bit) & 1) * a;
    }
    return result;
}

/**
 * The coefficients of (x − 2⁰)(x − 2¹)…, without the leading one.
 *
 * @param {number} degree
 */
function generator(degree) {
    const coefficients = new Uint8Array(degree);
    coefficients[degree - 1] = 1;
    for (let index = 0, root = 1; index < degree; index += 1, root = product(root, 2)) {
        for (let place = 0; place < degree; place += 1) {
            coefficients[place] = product(coefficients[place], root) ^ (coefficients[place + 1] ?? 0);
        }
    }
    return coefficients;
}

/**
 * The codewords by which a reader corrects errors in others.
 *
 * @param {Uint8Array} data
 * @param {number} count
 * @returns {Uint8Array}
 */
export function correctionCodewords(data, count) {
    const divisor = generator(count);
    const remainder = new Uint8Array(count);
    for (const codeword of data) {
        const factor = codeword ^ remainder[0];
        remainder.copyWithin(0, 1);
        remainder[count - 1] = 0;
        for (let place = 0; place < count; place += 1) remainder[place] ^= product(divisor[place], factor);
    }
    return remainder;
}
