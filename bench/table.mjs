// table.mjs - what every bench shares: medians, spreads, and a table for a terminal.
export function median(values) {
    const sorted = [...values].sort((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)];
}

// Half the distance between the quartiles, as a share of the median.
export function spread(values) {
    const sorted = [...values].sort((a, b) => a - b);
    const at = q => sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))];
    return (at(0.75) - at(0.25)) / 2 / median(values);
}

export function percent(share) {
    return `±${(share * 100).toFixed(0)} %`;
}

export function table(headings, rows) {
    const all = [headings, ...rows].map(row => row.map(String));
    const widths = headings.map((_, i) => Math.max(...all.map(row => row[i].length)));
    for (const row of all)
        console.log(row.map((cell, i) => (i ? cell.padStart(widths[i]) : cell.padEnd(widths[i]))).join('  ').trimEnd());
}
