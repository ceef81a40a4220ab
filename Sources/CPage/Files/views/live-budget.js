/** Tiles that are live at once. Browsers allow about 40 players on a page of a phone. */
const maximumCount = 32;

/** Decides which of the tiles in view are live, if there are too many. */
export class LiveBudget {
    /** The tiles in view, in the order in which they came there. */
    #shown = new Set();
    #isEnabled = true;

    /** @param {boolean} isEnabled - whether tiles are live at all */
    set isEnabled(isEnabled) {
        this.#isEnabled = isEnabled;
        this.#distribute();
    }

    get isEnabled() {
        return this.#isEnabled;
    }

    /** @param {import("./tile.js").Tile} tile @param {boolean} isShown */
    changed(tile, isShown) {
        if (isShown) this.#shown.add(tile);
        else this.#shown.delete(tile);
        tile.shown(isShown);
        this.#distribute();
    }

    /** @param {import("./tile.js").Tile} tile - is removed */
    forget(tile) {
        this.#shown.delete(tile);
        this.#distribute();
    }

    #distribute() {
        let index = 0;
        for (const tile of this.#shown) tile.live = this.#isEnabled && index++ < maximumCount;
    }
}
