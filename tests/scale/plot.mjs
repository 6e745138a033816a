/* plot.mjs - what the simulation counted against the number of replicas, both on scales of powers of ten, as SVG. */

const [width, height, left, right, top, bottom] = [900, 420, 80, 250, 30, 50];
const series = [
    { name: "commands a second to Redis", colour: "#c2410c", of: (row) => row.commands_per_second },
    { name: "messages a second from Redis", colour: "#1d4ed8", of: (row) => row.messages_per_second },
    { name: "bytes of a replica", colour: "#15803d", of: (row) => row.bytes_of_a_replica },
];
const text = (x, y, words, more = "") => `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${more}>${words}</text>`;
const power = (value, up) => 10 ** (up ? Math.ceil : Math.floor)(Math.log10(value));

/* rows: lines that simulate has printed, with more and more replicas. */
export function plot(rows) {
    const values = rows.flatMap((row) => series.map(({ of }) => of(row))).filter((value) => value > 0);
    const [low, high] = [power(Math.min(...values), false), power(Math.max(...values), true)];
    const [first, last] = [rows[0].replicas, rows.at(-1).replicas];
    const part = (value, from, to) => (Math.log10(value) - Math.log10(from)) / (Math.log10(to) - Math.log10(from));
    const x = (replicas) => left + part(replicas, first, last) * (width - left - right);
    const y = (value) => height - bottom - part(Math.max(value, low), low, high) * (height - top - bottom);
    const parts = [];

    for (let value = low; value <= high; value *= 10)
        parts.push(`<line x1="${left}" x2="${width - right}" y1="${y(value).toFixed(1)}" y2="${y(value).toFixed(1)}" stroke="#d6d3d1"/>`, text(left - 8, y(value) + 4, value.toLocaleString("en"), 'text-anchor="end" font-size="10"'));
    for (const { replicas, clients } of rows) {
        parts.push(`<line x1="${x(replicas).toFixed(1)}" x2="${x(replicas).toFixed(1)}" y1="${top}" y2="${height - bottom}" stroke="#e7e5e4"/>`);
        parts.push(text(x(replicas), height - bottom + 16, replicas.toLocaleString("en"), 'text-anchor="middle"'));
        parts.push(text(x(replicas), height - bottom + 30, `${clients.toLocaleString("en")}`, 'text-anchor="middle" font-size="9"'));
    }
    parts.push(text(left, height - 6, "replicas, and clients in all", 'font-size="10"'));
    for (const { name, colour, of } of series) {
        const shown = rows.filter((row) => of(row) > 0), end = shown.at(-1);

        parts.push(`<polyline fill="none" stroke="${colour}" stroke-width="2" points="${shown.map((row) => `${x(row.replicas).toFixed(1)},${y(of(row)).toFixed(1)}`).join(" ")}"/>`);
        for (const row of shown) parts.push(`<circle cx="${x(row.replicas).toFixed(1)}" cy="${y(of(row)).toFixed(1)}" r="3" fill="${colour}"/>`);
        parts.push(text(x(end.replicas) + 10, y(of(end)) + 4, `${name}: ${Math.round(of(end)).toLocaleString("en")}`, `fill="${colour}"`));
    }
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="11">
<rect width="100%" height="100%" fill="white"/>
${parts.join("\n")}
</svg>
`;
}
