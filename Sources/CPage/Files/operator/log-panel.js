import * as api from "../server/api.js";
import { sentence } from "../views/description.js";
import { element } from "../views/element.js";
import * as format from "../views/format.js";

/** Milliseconds between two questions. */
const interval = 2_000;

/** Lines that are kept at most. */
const maximumCount = 500;

/** Pixels from the end within which the log counts as read to its end, so that it follows new lines. */
const nearEnd = 40;

/** The last lines of the server's log, and new ones as they are written. */
export class LogPanel {
    name = "log";
    title = "Log";
    element = element("div.log");
    #timer = null;
    /** @type {{number: number, time: number} | null} the last line that is shown */
    #last = null;
    #failure = element("p.failure", { role: "status" });
    #lines = element("ol.lines", { tabindex: "0", "aria-label": "Log of the server" });
    #level = element("select", {},
        element("option", { value: "" }, "all lines"), element("option", { value: "warning" }, "warnings and errors"));

    constructor() {
        this.#level.addEventListener("change", () => (this.#lines.dataset.level = this.#level.value));
        this.element.append(element("label.level", {}, "Show", this.#level), this.#failure, this.#lines);
    }

    shown() {
        this.#begin();
        this.#ask();
        this.#timer = setInterval(() => document.hidden || this.#ask(), interval);
    }

    hidden() {
        clearInterval(this.#timer);
        this.#timer = null;
    }

    #begin() {
        this.#last = null;
        this.#lines.replaceChildren();
    }

    /** Asks for the lines from the last one on. If that does not come again, others are missing, or the server has been restarted. */
    async #ask() {
        const last = this.#last;
        try {
            const { lines } = await api.log(last ? last.number - 1 : 0);
            this.#failure.textContent = "";
            if (this.#timer === null || last !== this.#last) return;
            const continues = last !== null && lines[0]?.number === last.number && lines[0].time === last.time;
            if (last && !continues) this.#begin();
            this.#append(continues ? lines.slice(1) : lines);
        } catch (error) {
            this.#failure.textContent = sentence(error.message);
        }
    }

    #append(lines) {
        const { scrollTop, scrollHeight, clientHeight } = this.#lines;
        const follows = scrollHeight - scrollTop - clientHeight < nearEnd;
        this.#lines.append(...lines.map(({ time, level, text }) =>
            element("li", { "data-level": level },
                element("time", {}, format.timeOfDay(time)), element("span.level-name", {}, level), element("span", {}, text))));
        while (this.#lines.childElementCount > maximumCount) this.#lines.firstChild.remove();
        if (follows) this.#lines.scrollTop = this.#lines.scrollHeight;
        this.#last = lines.at(-1) ?? this.#last;
    }
}
