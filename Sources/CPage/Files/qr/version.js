/**
 * The sizes of QR codes with error correction level M, which reads 15 % of wrong codewords (ISO/IEC 18004, table 9): all codewords,
 * codewords for correction in each block, and blocks.
 */
const table = [
    [26, 10, 1], [44, 16, 1], [70, 26, 1], [100, 18, 2], [134, 24, 2], [172, 16, 4], [196, 18, 4],
    [242, 22, 4], [292, 22, 5], [346, 26, 5], [404, 30, 5], [466, 22, 8], [532, 22, 9],
];

/** A size of QR code. */
export class Version {
    /** @param {number} number - from 1 */
    constructor(number) {
        this.number = number;
        const [codewordCount, correctionCount, blockCount] = table[number - 1];
        /** Codewords for correction in each block. */
        this.correctionCount = correctionCount;
        this.blockCount = blockCount;
        /** Codewords of data in all blocks. */
        this.dataCount = codewordCount - correctionCount * blockCount;
    }

    /** Modules on each side. */
    get side() {
        return 17 + 4 * this.number;
    }

    /** Bits of the count before the bytes. */
    get countBits() {
        return this.number < 10 ? 8 : 16;
    }

    /** The rows and columns at which alignment patterns have their centres (annex E). */
    get alignmentPlaces() {
        if (this.number === 1) return [];
        const last = this.side - 7;
        return this.number < 7 ? [6, last] : [6, (6 + last) / 2, last];
    }

    /**
     * The smallest version that can hold some bytes.
     *
     * @param {number} byteCount
     * @returns {Version | null} null if there are too many
     */
    static for(byteCount) {
        for (let number = 1; number <= table.length; number += 1) {
            const version = new Version(number);
            // Four bits name the mode.
            if (4 + version.countBits + 8 * byteCount <= 8 * version.dataCount) return version;
        }
        return null;
    }
}
