/** Units of the drawing. */
const size = { width: 320, height: 96, bottom: 16 };

/** The height of a bar with few frames, so that rare slow frames can be seen. */
const lowestBar = 2;

/**
 * The intervals that have frames in any of several histograms, which are drawn side by side for comparison.
 *
 * @param {{counts: number[]}[]} histograms
 * @returns {{first: number, last: number}}
 */
export function commonIntervals(histograms) {
    const first = Math.min(...histograms.map(({ counts }) => counts.findIndex((frames) => frames > 0)));
    return { first, last: Math.max(...histograms.map(({ counts }) => counts.findLastIndex((frames) => frames > 0))) };
}

/**
 * A histogram as bars: one per interval, and as high as the square root of its share, so that rare slow frames can be seen beside
 * many quick ones.
 *
 * @param {{count: number, bounds: number[], counts: number[]}} histogram - bounds in milliseconds
 * @param {string} title
 * @param {{first: number, last: number}} intervals - that are shown
 * @returns {SVGElement}
 */
export function histogramPlot({ count, bounds, counts }, title, { first, last }) {
    const shown = counts.slice(first, last + 1);
    const width = size.width / shown.length;
    const highest = size.height - size.bottom - 4;
    const longest = Math.max(...shown);
    const svg = node("svg", { viewBox: `0 0 ${size.width} ${size.height}`, class: "plot", role: "img", "aria-label": description() });
    shown.forEach((frames, index) => {
        const height = frames === 0 ? 0 : Math.max(lowestBar, highest * Math.sqrt(frames / longest));
        const bar = node("rect", {
            x: index * width + 1, y: size.height - size.bottom - height, width: width - 2, height, rx: 1.5,
        });
        bar.append(text("title", {}, `${interval(first + index)}: ${frames} of ${count} frames`));
        svg.append(bar);
        const bound = bounds[first + index];
        if (bound !== undefined && index < shown.length - 1) {
            svg.append(text("text", { x: (index + 1) * width, y: size.height - 3, "text-anchor": "middle" }, label(bound)));
        }
    });
    return svg;

    function interval(index) {
        if (index === 0) return `up to ${label(bounds[0])} ms`;
        if (index === bounds.length) return `more than ${label(bounds.at(-1))} ms`;
        return `${label(bounds[index - 1])} to ${label(bounds[index])} ms`;
    }

    function description() {
        const parts = shown.map((frames, index) => (frames > 0 ? `${interval(first + index)}: ${percent(frames / count)}` : null));
        return `${title}. ${parts.filter(Boolean).join(", ")}`;
    }
}

function percent(share) {
    return share < 0.001 ? "less than 0.1 %" : `${Number((share * 100).toPrecision(3))} %`;
}

function label(milliseconds) {
    return `${Number(milliseconds.toPrecision(3))}`;
}

function node(name, attributes) {
    const result = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) result.setAttribute(key, value);
    return result;
}

function text(name, attributes, content) {
    const result = node(name, attributes);
    result.textContent = content;
    return result;
}
