/** The masks by their numbers: which modules they invert (ISO/IEC 18004, table 10). */
export const masks = [
    (x, y) => (x + y) % 2 === 0,
    (x, y) => y % 2 === 0,
    (x) => x % 3 === 0,
    (x, y) => (x + y) % 3 === 0,
    (x, y) => (Math.floor(y / 2) + Math.floor(x / 3)) % 2 === 0,
    (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
    (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
    (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

/** The points of each fault (table 11). */
const points = { run: 3, block: 3, finder: 40, balance: 10 };

/** Modules that look like the middle of a finder with light beside it. */
const finderLike = [/(?=10111010000)/g, /(?=00001011101)/g];

/**
 * How hard a code is to read: long runs, blocks, parts that look like a finder, and too many modules of one kind.
 *
 * @param {import("./matrix.js").Matrix} matrix
 * @returns {number}
 */
export function penalty(matrix) {
    const { side } = matrix;
    const lines = [];
    for (let line = 0; line < side; line += 1) {
        const [row, column] = [[], []];
        for (let place = 0; place < side; place += 1) {
            row.push(matrix.isDark(place, line) ? 1 : 0);
            column.push(matrix.isDark(line, place) ? 1 : 0);
        }
        lines.push(row.join(""), column.join(""));
    }
    const rows = lines.filter((_, index) => index % 2 === 0);
    return sum(lines.map(runPenalty)) + sum(lines.map(finderPenalty)) + blockPenalty(rows) + balancePenalty(rows);
}

function runPenalty(line) {
    const runs = line.match(/0{5,}|1{5,}/g) ?? [];
    return sum(runs.map((run) => points.run + run.length - 5));
}

function finderPenalty(line) {
    return sum(finderLike.map((pattern) => (line.match(pattern)?.length ?? 0) * points.finder));
}

function blockPenalty(rows) {
    let count = 0;
    for (let y = 1; y < rows.length; y += 1) {
        for (let x = 1; x < rows.length; x += 1) {
            const module = rows[y][x];
            if (rows[y][x - 1] === module && rows[y - 1][x] === module && rows[y - 1][x - 1] === module) count += 1;
        }
    }
    return count * points.block;
}

function balancePenalty(rows) {
    const dark = sum(rows.map((row) => row.split("1").length - 1));
    const percent = (100 * dark) / rows.length ** 2;
    return Math.floor(Math.abs(percent - 50) / 5) * points.balance;
}

function sum(numbers) {
    return numbers.reduce((total, number) => total + number, 0);
}
