/** The quotient of the limits from which a slider has a logarithmic scale, so that small values can be chosen, too. */
const wide = 100;

/** Positions of a logarithmic slider. */
const positionCount = 1_000;

/**
 * The scale of a slider: linear, or logarithmic if the limits are far apart, as those of a bitrate are.
 */
export class SliderScale {
    #minimum;
    #maximum;
    #isLogarithmic;
    #step;

    /** @param {number} minimum @param {number} maximum @param {number} step */
    constructor(minimum, maximum, step) {
        this.#minimum = minimum;
        this.#maximum = maximum;
        this.#step = step;
        this.#isLogarithmic = minimum > 0 && maximum / minimum >= wide;
    }

    /** The limits and the step of the slider itself. */
    get attributes() {
        return this.#isLogarithmic
            ? { min: 0, max: positionCount, step: 1 }
            : { min: this.#minimum, max: this.#maximum, step: this.#step };
    }

    /** @param {number} value @returns {number} of the slider */
    position(value) {
        if (!this.#isLogarithmic) return value;
        return Math.round((positionCount * Math.log(value / this.#minimum)) / Math.log(this.#maximum / this.#minimum));
    }

    /** @param {number} position @returns {number} with two digits that count, if the scale is logarithmic */
    value(position) {
        if (!this.#isLogarithmic) return position;
        const value = this.#minimum * (this.#maximum / this.#minimum) ** (position / positionCount);
        return Math.min(this.#maximum, Math.max(this.#minimum, Number(value.toPrecision(2))));
    }
}
