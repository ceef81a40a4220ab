/**
 * @param {number} milliseconds
 * @param {AbortSignal} signal - ends the pause early
 * @returns {Promise<void>}
 */
export function pause(milliseconds, signal) {
    return new Promise((resolve) => {
        const end = () => {
            clearTimeout(timer);
            signal.removeEventListener("abort", end);
            resolve();
        };
        const timer = setTimeout(end, milliseconds);
        signal.addEventListener("abort", end);
        if (signal.aborted) end();
    });
}
