/** The generator of the code of 15 bits that names level and mask, and what it is combined with (ISO/IEC 18004, annex C). */
const format = { generator: 0b10100110111, checkBits: 10, mask: 0b101010000010010 };

/** The generator of the code of 18 bits that names the version (annex D). */
const versionCode = { generator: 0b1111100100101, checkBits: 12 };

/** The indicator of level M. */
const levelM = 0b00;

/** The modules of a QR code: dark or light, and fixed by a pattern or free for data. */
export class Matrix {
    #version;
    #side;
    #dark;
    #fixed;

    /** With all patterns, without data, format and mask. @param {import("./version.js").Version} version */
    constructor(version) {
        this.#version = version;
        this.#side = version.side;
        this.#dark = new Uint8Array(this.#side ** 2);
        this.#fixed = new Uint8Array(this.#side ** 2);
        this.#drawTiming();
        this.#drawAlignment();
        this.#drawFinders();
        // Their places are taken before data are placed.
        this.drawFormat(0);
        this.#drawVersion();
    }

    get side() {
        return this.#side;
    }

    isDark(column, row) {
        return this.#dark[row * this.#side + column] === 1;
    }

    /**
     * Places the codewords: in columns of two modules from the right, upwards and downwards in turns (section 7.7.3).
     *
     * @param {Uint8Array} codewords
     */
    place(codewords) {
        let index = 0;
        for (const { column, row } of this.#freePlaces()) {
            // The last modules are light, if there are more than bits.
            this.#dark[row * this.#side + column] = (codewords[index >> 3] >> (7 - (index & 7))) & 1;
            index += 1;
        }
    }

    /** Inverts the free modules that a mask selects. Twice is not at all. @param {(column: number, row: number) => boolean} selects */
    invert(selects) {
        for (const { column, row } of this.#freePlaces()) {
            if (selects(column, row)) this.#dark[row * this.#side + column] ^= 1;
        }
    }

    /** Draws both copies of the format. @param {number} mask - its number */
    drawFormat(mask) {
        const bits = withCheckBits((levelM << 3) | mask, format) ^ format.mask;
        const last = this.#side - 1;
        for (let index = 0; index < 15; index += 1) {
            const isDark = (bits >> index) & 1;
            // Around the upper left finder, past the timing patterns.
            if (index < 8) this.#fix(8, index < 6 ? index : index + 1, isDark);
            else this.#fix(index === 8 ? 7 : 14 - index, 8, isDark);
            // Beside the upper right and the lower left one.
            if (index < 8) this.#fix(last - index, 8, isDark);
            else this.#fix(8, last - 14 + index, isDark);
        }
        this.#fix(8, last - 7, 1);
    }

    #drawVersion() {
        if (this.#version.number < 7) return;
        const bits = withCheckBits(this.#version.number, versionCode);
        for (let index = 0; index < 18; index += 1) {
            const [place, offset] = [Math.floor(index / 3), this.#side - 11 + (index % 3)];
            this.#fix(offset, place, (bits >> index) & 1);
            this.#fix(place, offset, (bits >> index) & 1);
        }
    }

    #drawTiming() {
        for (let place = 0; place < this.#side; place += 1) {
            this.#fix(6, place, (place + 1) % 2);
            this.#fix(place, 6, (place + 1) % 2);
        }
    }

    #drawFinders() {
        const far = this.#side - 4;
        for (const [x, y] of [[3, 3], [far, 3], [3, far]]) {
            // A light edge surrounds each.
            this.#drawRings(x, y, 4, (ring) => ring !== 2 && ring !== 4);
        }
    }

    #drawAlignment() {
        const places = this.#version.alignmentPlaces;
        const last = places.length - 1;
        places.forEach((y, row) =>
            places.forEach((x, column) => {
                const isAtFinder = (row === 0 && column === 0) || (row === 0 && column === last) || (row === last && column === 0);
                if (!isAtFinder) this.#drawRings(x, y, 2, (ring) => ring !== 1);
            }),
        );
    }

    #drawRings(x, y, radius, isDark) {
        for (let dy = -radius; dy <= radius; dy += 1) {
            for (let dx = -radius; dx <= radius; dx += 1) {
                this.#fix(x + dx, y + dy, isDark(Math.max(Math.abs(dx), Math.abs(dy))) ? 1 : 0);
            }
        }
    }

    #fix(column, row, isDark) {
        if (column < 0 || row < 0 || column >= this.#side || row >= this.#side) return;
        this.#dark[row * this.#side + column] = isDark;
        this.#fixed[row * this.#side + column] = 1;
    }

    *#freePlaces() {
        let isUpward = true;
        for (let right = this.#side - 1; right > 0; right -= 2) {
            // The column of the timing pattern is left out.
            if (right === 6) right = 5;
            for (let step = 0; step < this.#side; step += 1) {
                const row = isUpward ? this.#side - 1 - step : step;
                for (const column of [right, right - 1]) {
                    if (!this.#fixed[row * this.#side + column]) yield { column, row };
                }
            }
            isUpward = !isUpward;
        }
    }
}

/** A value with the check bits of a BCH code behind it. */
function withCheckBits(value, { generator, checkBits }) {
    let remainder = value << checkBits;
    for (let bit = 31 - Math.clz32(remainder); bit >= checkBits; bit = 31 - Math.clz32(remainder)) {
        remainder ^= generator << (bit - checkBits);
    }
    return (value << checkBits) | remainder;
}
