/**
 * Makes an element.
 *
 * Texts become text nodes, never markup, so titles of streams and names of clients cannot add elements.
 *
 * @param {string} name - of the element, with classes: `p.reason`
 * @param {Record<string, unknown>} properties - attributes; a function is a listener (`onclick`), `false` and null leave one out
 * @param {...(Node | string | null | (Node | string | null)[])} children
 * @returns {HTMLElement}
 */
export function element(name, properties = {}, ...children) {
    const [tag, ...classes] = name.split(".");
    const result = document.createElement(tag);
    if (classes.length > 0) result.className = classes.join(" ");
    for (const [key, value] of Object.entries(properties)) {
        if (typeof value === "function") result.addEventListener(key.replace(/^on/, ""), value);
        else if (value !== false && value !== null && value !== undefined) result.setAttribute(key, value === true ? "" : value);
    }
    result.append(...children.flat().filter((child) => child !== null && child !== undefined));
    return result;
}

/**
 * An icon of `icons.svg`, as decoration beside a text.
 *
 * @param {string} name
 * @returns {SVGElement}
 */
export function icon(name) {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
    use.setAttribute("href", `${new URL("../icons.svg", import.meta.url)}#${name}`);
    svg.setAttribute("class", "icon");
    svg.setAttribute("aria-hidden", "true");
    svg.append(use);
    return svg;
}

/** Sets the text of an element, if it is another one. An element whose text is set again may be read aloud again. */
export function setText(element, text) {
    if (element.textContent !== text) element.textContent = text;
}
