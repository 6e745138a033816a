// compare.mjs - instructions of one call before and after a change, for every transport, revision and kind of call.
//
//     compare.mjs BASE BASE-SERVER SERVER
//
// More than the bound is a failure.  Instructions hardly depend on the machine, and not on what else it does.
import { instructionsOf, profileOf, transports } from './callgrind.mjs';
import { inFolder, works } from './work.mjs';

const [base, ...servers] = process.argv.slice(2);
const bound = 1.03;
const few = 20;
const many = { add: 220, order: 120, list: 70 };

async function perCall(transport, server, work, folder) {
    const n = many[work.name];
    const more = instructionsOf(await profileOf(transport, server, work, n, folder));
    const less = instructionsOf(await profileOf(transport, server, work, few, folder));
    return Math.round((more - less) / (n - few));
}

let failed = false;
console.log(`| call | revision | ${base} | now | ratio |\n| --- | --- | --- | --- | --- |`);
for (const transport of Object.keys(transports))
    for (const work of works)
        await inFolder(async folder => {
            const [before, after] = [await perCall(transport, servers[0], work, folder), await perCall(transport, servers[1], work, folder)];
            const ratio = after / before;
            failed ||= ratio > bound;
            const figures = [before, after].map(figure => figure.toLocaleString('en-US'));
            console.log(`| ${transport}: ${work.name} | ${work.era} | ${figures.join(' | ')} | ${ratio.toFixed(3)}${ratio > bound ? ' MISSED' : ''} |`);
        });
process.exit(failed ? 1 : 0);
