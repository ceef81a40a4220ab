import * as api from "../server/api.js";
import { sentence } from "../views/description.js";
import { element } from "../views/element.js";
import * as format from "../views/format.js";
import { commonIntervals, histogramPlot } from "./histogram-plot.js";

/** Milliseconds between two questions. */
const interval = 5_000;

/** The stages of a frame, in their order: the points between which the time is measured. */
const stages = {
    whole: "Capture → last byte sent",
    capture: "Capture → encoder in",
    encoding: "Encoder in → encoder out",
    packaging: "Encoder out → packaged",
    waiting: "Packaged → first byte sent",
    sending: "First → last byte sent",
};

/** How long frames take in each stage, as plots and as numbers. */
export class LatencyPanel {
    name = "latency";
    title = "Latency";
    element = element("div.latency");
    #path;
    #stream = null;
    #timer = null;
    #plots = element("div.plots");
    #failure = element("p.failure", { role: "status" });

    /** @param {string} path */
    constructor(path) {
        this.#path = path;
        this.element.append(this.#failure, this.#plots);
    }

    shown() {
        this.#ask();
        this.#timer = setInterval(() => document.hidden || this.#ask(), interval);
    }

    hidden() {
        clearInterval(this.#timer);
    }

    /** @param {string} path */
    changedPath(path) {
        if (path === this.#path) return;
        this.#path = path;
        if (!this.element.hidden) this.#ask();
    }

    /** @param {object | null} stream - has the quantiles */
    changed(stream) {
        this.#stream = stream;
    }

    async #ask() {
        try {
            const answer = await api.latency(this.#path);
            this.#failure.textContent = "";
            this.#show(answer.stages);
        } catch (error) {
            this.#failure.textContent = sentence(error.message);
        }
    }

    #show(histograms) {
        const known = Object.keys(stages).filter((name) => histograms[name]?.count > 0);
        const intervals = commonIntervals(known.map((name) => histograms[name]));
        const figures = Object.entries(stages)
            .filter(([name]) => known.includes(name))
            .map(([name, title]) => element("figure", {}, element("figcaption", {}, element("h2", {}, title),
                element("p", {}, this.#quantiles(name))), histogramPlot(histograms[name], title, intervals)));
        this.#plots.replaceChildren(...figures);
        if (figures.length === 0) this.#failure.textContent = "No frame was sent yet.";
    }

    #quantiles(name) {
        const summary = this.#stream?.stages?.[name];
        if (!summary) return "";
        return ["p50", "p95", "p99", "max"].map((key) => `${key} ${precise(summary[key])}`).join(" · ");
    }
}

/** Stages may take microseconds. @param {number} milliseconds */
function precise(milliseconds) {
    return milliseconds < 10 ? `${Number(milliseconds.toPrecision(2))} ms` : format.milliseconds(milliseconds);
}
