// plot.mjs - bars of calls a second, on a scale of powers of ten, as SVG.
const colours = { haft: '#c2410c', limit: '#57534e', nginx: '#15803d', 'SDK 2.4.0, node': '#1d4ed8', 'SDK 2.4.0, bun': '#60a5fa', 'SDK 1.32.2, node': '#7e22ce', 'SDK 1.32.2, bun': '#c084fc' };
const [width, left, bar, gap, from, to] = [900, 250, 11, 14, 10, 1e7];

const x = value => left + ((Math.log10(Math.max(value, from)) - Math.log10(from)) / (Math.log10(to) - Math.log10(from))) * (width - left - 90);
const text = (at, y, words, more = '') => `<text x="${at}" y="${y}" ${more}>${words}</text>`;

export function plot(rows, median) {
    const parts = [];
    let y = 50;
    for (const row of rows) {
        const bars = Object.keys(colours).filter(who => row.values[who]);
        parts.push(text(left - 10, y + (bars.length * bar) / 2 + 4, `${row.part}, ${row.work}, ${row.era}`, 'text-anchor="end"'));
        for (const who of bars) {
            const value = median(row.values[who]);
            parts.push(`<rect x="${left}" y="${y}" width="${(x(value) - left).toFixed(1)}" height="${bar - 2}" fill="${colours[who]}"/>`);
            parts.push(text((x(value) + 4).toFixed(1), y + 8, Math.round(value).toLocaleString('en'), 'font-size="9"'));
            y += bar;
        }
        y += gap;
    }
    Object.entries(colours).forEach(([who, colour], i) => {
        parts.push(`<rect x="${20 + i * 122}" y="12" width="10" height="10" fill="${colour}"/>`, text(34 + i * 122, 21, who));
    });
    for (let value = from; value <= to; value *= 10)
        parts.unshift(`<line x1="${x(value)}" x2="${x(value)}" y1="40" y2="${y}" stroke="#d6d3d1"/>`, text(x(value), y + 14, value.toLocaleString('en'), 'text-anchor="middle" font-size="10"'));
    parts.push(text(left - 10, y + 14, 'calls a second, 64 under way', 'text-anchor="end" font-size="10"'));
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y + 24}" font-family="sans-serif" font-size="11">
<rect width="100%" height="100%" fill="white"/>
${parts.join('\n')}
</svg>
`;
}
