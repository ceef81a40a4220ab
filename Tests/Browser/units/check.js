/** The tests of the modules that are imported. @type {{name: string, body: () => void | Promise<void>}[]} */
const tests = [];

/** Declares a test. Its name is a sentence that states what holds. */
export function test(name, body) {
    tests.push({ name, body });
}

/** Fails unless both values have the same JSON. */
export function equal(actual, expected) {
    const [left, right] = [JSON.stringify(actual), JSON.stringify(expected)];
    if (left !== right) throw new Error(`${left} is not ${right}`);
}

/** Fails unless the numbers differ by less than a tolerance. */
export function near(actual, expected, tolerance) {
    if (!(Math.abs(actual - expected) < tolerance)) throw new Error(`${actual} is not within ${tolerance} of ${expected}`);
}

export function holds(condition, text = "it does not hold") {
    if (!condition) throw new Error(text);
}

/** Fails unless the action throws an error of the class. */
export function throws(action, errorClass) {
    try {
        action();
    } catch (error) {
        if (error instanceof errorClass) return;
        throw error;
    }
    throw new Error("nothing was thrown");
}

/** Runs all tests. @returns {Promise<{name: string, failure: string | null}[]>} */
export async function run() {
    const results = [];
    for (const { name, body } of tests) {
        const failure = await Promise.resolve().then(body).then(() => null, (error) => error.stack ?? `${error}`);
        results.push({ name, failure });
    }
    return results;
}
