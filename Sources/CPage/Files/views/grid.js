import { StreamList } from "../server/stream-list.js";
import { nameOf } from "./description.js";
import { element } from "./element.js";
import { LiveBudget } from "./live-budget.js";
import { Tile } from "./tile.js";
import { Visibility } from "./visibility.js";

/** Milliseconds between two updates of ages and states. */
const interval = 500;

/** All streams as tiles, in the order of their paths. */
export class Grid {
    #element;
    #announce;
    #streams = new StreamList();
    /** @type {Map<string, Tile>} by path */
    #tiles = new Map();
    #visibility = new Visibility();
    #budget = new LiveBudget();
    #filter = "";
    #isComplete = false;
    #empty = element("p.empty", { hidden: true });

    /**
     * @param {HTMLElement} place
     * @param {(text: string) => void} announce
     */
    constructor(place, announce) {
        this.#element = place;
        this.#announce = announce;
        place.after(this.#empty);
        setInterval(() => {
            if (!document.hidden) for (const tile of this.#tiles.values()) tile.update();
        }, interval);
    }

    get tiles() {
        return this.#tiles;
    }

    /** How many streams there are, and how many of them are live here. */
    get counts() {
        return { all: this.#tiles.size, live: [...this.#tiles.values()].filter((tile) => tile.isLive).length };
    }

    /** @param {boolean} isLive - whether tiles in view are live */
    set isLive(isLive) {
        this.#budget.isEnabled = isLive;
    }

    /** Shows only streams whose name or path contains a text. @param {string} text */
    set filter(text) {
        this.#filter = text.trim().toLowerCase();
        this.#show();
    }

    /** @param {object} message - `streams` */
    received(message) {
        this.#streams.received(message);
        const families = this.#streams.families;
        const paths = new Set(families.map(([stream]) => stream.path));
        for (const [path, tile] of this.#tiles) if (!paths.has(path)) this.#remove(path, tile);
        for (const family of families) this.#change(family);
        this.#isComplete = true;
        this.#show();
    }

    #change(family) {
        const [stream] = family;
        let tile = this.#tiles.get(stream.path);
        if (!tile) {
            tile = new Tile(this.#announce);
            this.#tiles.set(stream.path, tile);
            this.#insert(tile, stream.path);
            this.#visibility.observe(tile.element, (isShown) => this.#budget.changed(tile, isShown));
            if (this.#isComplete) this.#announce(`${nameOf(stream)} has been added.`);
        }
        tile.changed(family);
    }

    /** Inserts a tile before the first one that follows it, so that no other tile is moved, which would stop its video. */
    #insert(tile, path) {
        const follows = (other) => other.localeCompare(path, "en", { numeric: true }) > 0;
        const later = [...this.#tiles].filter(([other]) => follows(other)).map(([, tile]) => tile);
        const next = [...this.#element.children].find((child) => later.some((tile) => tile.element === child));
        this.#element.insertBefore(tile.element, next ?? null);
    }

    #remove(path, tile) {
        this.#announce(`${nameOf(tile.stream)} has been removed.`);
        this.#visibility.forget(tile.element);
        this.#budget.forget(tile);
        tile.close();
        tile.element.remove();
        this.#tiles.delete(path);
    }

    #show() {
        let count = 0;
        for (const tile of this.#tiles.values()) {
            const text = `${nameOf(tile.stream)} ${tile.stream.path}`.toLowerCase();
            tile.element.hidden = !text.includes(this.#filter);
            if (!tile.element.hidden) count += 1;
        }
        this.#empty.hidden = count > 0;
        this.#empty.textContent = this.#filter ? "No stream has this name." : "The server has no streams.";
    }
}
