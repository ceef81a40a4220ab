import { correctionCodewords } from "./error-correction.js";

/** The indicator of bytes (ISO/IEC 18004, table 2). */
const byteMode = 0b0100;

/** What fills the rest, in turns (section 7.4.10). */
const padding = [0xec, 0x11];

/**
 * The codewords of some bytes in the order in which they are placed: those of all blocks in turns (sections 7.4 to 7.6).
 *
 * @param {Uint8Array} bytes
 * @param {import("./version.js").Version} version - that can hold them
 * @returns {Uint8Array}
 */
export function codewords(bytes, version) {
    const blocks = divided(dataCodewords(bytes, version), version);
    const corrections = blocks.map((block) => correctionCodewords(block, version.correctionCount));
    return Uint8Array.from([...inTurns(blocks), ...inTurns(corrections)]);
}

function dataCodewords(bytes, version) {
    const bits = [];
    const append = (value, count) => {
        for (let bit = count - 1; bit >= 0; bit -= 1) bits.push((value >> bit) & 1);
    };
    append(byteMode, 4);
    append(bytes.length, version.countBits);
    for (const byte of bytes) append(byte, 8);
    // The terminator has four bits, or as many as there is room for. Then a whole codeword is made.
    append(0, Math.min(4, 8 * version.dataCount - bits.length));
    append(0, (8 - (bits.length % 8)) % 8);
    for (let index = 0; bits.length < 8 * version.dataCount; index += 1) append(padding[index % 2], 8);
    const result = new Uint8Array(version.dataCount);
    bits.forEach((bit, index) => (result[index >> 3] |= bit << (7 - (index & 7))));
    return result;
}

/** The data of each block. The last blocks have one codeword more, if they cannot all have the same length. */
function divided(data, { blockCount }) {
    const length = Math.floor(data.length / blockCount);
    const longCount = data.length % blockCount;
    let begin = 0;
    return Array.from({ length: blockCount }, (_, index) => {
        const end = begin + length + (index >= blockCount - longCount ? 1 : 0);
        const block = data.subarray(begin, end);
        begin = end;
        return block;
    });
}

/** The first of each block, then the second of each, and so on. */
function inTurns(blocks) {
    const longest = Math.max(...blocks.map((block) => block.length));
    const rounds = Array.from({ length: longest }, (_, index) => blocks.map((block) => block[index]));
    return rounds.flat().filter((codeword) => codeword !== undefined);
}
