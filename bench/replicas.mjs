// replicas.mjs [quick] - replicas that share limits through Redis, beside those that count alone; and several behind nginx.
//
// The load is wrk with calls of `greet` from 1,000 addresses, each below its limit, so that every call is counted and
// none is refused.  The contestants take turns, so that a busy machine is busy for all; ratios are those of one turn.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

import { median, percent, spread, table } from './table.mjs';
import { build, inFolder, loadCore, MODERN, serverCore } from './work.mjs';

process.env.HAFT_BUILD = build;
const { withCluster } = await import('../tests/e2e/cluster.mjs');
const quick = process.argv.includes('quick');
const [rounds, seconds] = quick ? [5, 1] : [9, 3];
const args = ['--client-rate', '10000/1s'];

const body = JSON.stringify({
    jsonrpc: '2.0', id: 1, method: 'tools/call',
    params: {
        name: 'greet', arguments: {},
        _meta: { 'io.modelcontextprotocol/protocolVersion': MODERN, 'io.modelcontextprotocol/clientCapabilities': {} },
    },
});

function script(folder) {
    const file = path.join(folder, 'greet.lua');
    fs.writeFileSync(
        file,
        `local headers = { ["Content-Type"] = "application/json", ["Accept"] = "application/json, text/event-stream",
    ["MCP-Protocol-Version"] = "${MODERN}", ["Mcp-Method"] = "tools/call", ["Mcp-Name"] = "greet" }
local requests, next = {}, 0
function init()
    for n = 1, 1000 do
        headers["X-Forwarded-For"] = "10.0." .. math.floor(n / 250) .. "." .. (n % 250 + 1)
        requests[n] = wrk.format("POST", nil, headers, [==[${body}]==])
    end
end
function request() next = next % 1000 + 1; return requests[next] end
`,
    );
    return file;
}

// ---- load and processor time ----

const units = { us: 1, ms: 1000, s: 1000000 };

// Moves a process with all its threads to a core.
const pin = (core, ...pids) => pids.forEach(pid => execFileSync('taskset', ['-apc', core, pid], { stdio: 'ignore' }));

function load(file, url, connections, cores = `${serverCore},${loadCore}`) {
    const output = execFileSync('taskset', ['-c', cores, 'wrk', '-t1', '--latency', `-c${connections}`, `-d${seconds}s`, '-s', file, url], { encoding: 'utf8' });
    if (/Non-2xx|Socket errors/.test(output)) throw new Error(`${url}: ${output}`);
    const at = share => {
        const [, value, unit] = new RegExp(`${share}%\\s+([\\d.]+)(us|ms|s)`).exec(output);
        return Number(value) * units[unit];
    };
    return { speed: Number(/Requests\/sec: *([\d.]+)/.exec(output)[1]), calls: Number(/(\d+) requests in/.exec(output)[1]), p50: at(50), p99: at(99) };
}

// Microseconds of a process and of its children.
function processorTime(pid) {
    const children = fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
    const tasks = fs.readdirSync(`/proc/${pid}/task`);
    const own = tasks.reduce((sum, task) => sum + Number(fs.readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]) / 1000, 0);
    return own + children.reduce((sum, child) => sum + processorTime(child), 0);
}

const processes = cluster => ({ replicas: cluster.replicas.map(one => one.server.process.pid), nginx: cluster.nginx ? [cluster.nginx.pid] : [], Redis: cluster.redis ? [cluster.redis.process.pid] : [] });

// A load, with the microseconds of a call in each program.
function measured(file, cluster, url, connections, cores) {
    const of = Object.entries(processes(cluster)).map(([name, pids]) => [name, () => pids.reduce((sum, pid) => sum + processorTime(pid), 0)]);
    const before = of.map(([, time]) => time());
    const result = load(file, url, connections, cores);
    result.cpu = Object.fromEntries(of.map(([name, time], i) => [name, (time() - before[i]) / result.calls]));
    return result;
}

// ---- what is measured ----

const shown = (value, digits = 0) => (digits ? value.toFixed(digits) : Math.round(value).toLocaleString('en'));
const middle = (list, of) => median(list.map(of));

function ping(port) {
    const output = execFileSync('redis-benchmark', ['-p', port, '-t', 'ping_mbulk', '-c', '1', '-n', quick ? '5000' : '50000', '--csv'], { encoding: 'utf8' });
    const [names, values] = output.trim().split('\n').map(line => line.split(',').map(cell => cell.replaceAll('"', '')));
    const at = name => Number(values[names.indexOf(name)]) * 1000;
    return { p50: at('p50_latency_ms'), p99: at('p99_latency_ms') };
}

// One replica that counts alone beside one that counts in Redis.  What is called, Redis, shares the load's core: what is
// measured has its own.
async function limits(file) {
    const results = { local: { 1: [], 64: [] }, shared: { 1: [], 64: [] } };
    let bare;
    await withCluster({ size: 1, nginx: false, args }, async shared => {
        await withCluster({ size: 1, nginx: false, redis: false, args }, async local => {
            pin(serverCore, ...processes(shared).replicas, ...processes(local).replicas);
            pin(loadCore, ...processes(shared).Redis);
            for (let i = 0; i < rounds; i++)
                for (const connections of [1, 64])
                    for (const [name, cluster] of [['local', local], ['shared', shared]])
                        results[name][connections].push(measured(file, cluster, cluster.replicas[0].url, connections, loadCore));
        });
        bare = ping(shared.redis.port);
    });
    table(
        ['limits', 'connections', 'calls/s', 'p50 us', 'p99 us', 'us of haft', 'us of Redis'],
        Object.entries(results).flatMap(([name, loads]) => Object.entries(loads).map(([connections, list]) => [
            name, connections, shown(middle(list, one => one.speed)), shown(middle(list, one => one.p50)), shown(middle(list, one => one.p99)),
            shown(middle(list, one => one.cpu.replicas), 1), shown(middle(list, one => one.cpu.Redis), 1),
        ])),
    );
    const extra = of => middle(results.shared[1], of) - middle(results.local[1], of);
    const ratios = results.shared[64].map(({ speed }, i) => speed / results.local[64][i].speed);
    const ratio = median(ratios);
    console.log(`extra latency of a shared limit, one connection: p50 ${shown(extra(one => one.p50))} us, p99 ${shown(extra(one => one.p99))} us; bare PING: p50 ${shown(bare.p50)} us, p99 ${shown(bare.p99)} us`);
    console.log(`shared beside local at 64 connections: ${ratio.toFixed(2)} ${percent(spread(ratios))} (at least 0.5: ${ratio >= 0.5 ? 'yes' : 'NO'})`);
    return ratio >= 0.5;
}

// One to three replicas behind nginx that share their limits.
async function behindNginx(file) {
    const rows = [];
    for (const size of [1, 2, 3])
        await withCluster({ size, args }, async cluster => {
            const list = Array.from({ length: rounds }, () => measured(file, cluster, cluster.url, 64));
            rows.push([size, shown(middle(list, one => one.speed)), shown(middle(list, one => one.p50)), shown(middle(list, one => one.p99)), ...['replicas', 'nginx', 'Redis'].map(name => shown(middle(list, one => one.cpu[name]), 1))]);
        });
    table(['replicas behind nginx', 'calls/s', 'p50 us', 'p99 us', 'us of haft', 'us of nginx', 'us of Redis'], rows);
}

let fine = false;
await inFolder(async folder => {
    const file = script(folder);
    fine = await limits(file);
    await behindNginx(file);
});
process.exitCode = fine ? 0 : 1;
