// http.mjs - requests a second over HTTP: haft, nginx's `return 200`, a canned epoll server, the TypeScript SDK.
//
// Everyone gets the same requests, and nginx and the canned server answer with as many bytes as haft does.  The
// contestants take turns, so that a busy machine is busy for all.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

import { freePort, inFolder, loadCore, peerCommand, peers, program, rss, start, works } from './work.mjs';

const loads = [1, 16, 64];

// nginx takes no long texts, but puts short ones together.
function nginxText(size) {
    return '${thousand}'.repeat(Math.floor(size / 1000)) + 'x'.repeat(size % 1000);
}

// `secure` is what it needs for TLS.
export function nginxFile(folder, port, secure = { listen: '', more: '' }) {
    const places = works.map((work, i) => `location /${i} { return 200 "${nginxText(work.answer.length)}"; }`);
    const file = path.join(folder, 'nginx.conf');
    fs.writeFileSync(
        file,
        `daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log ${folder}/nginx.log;
        events { worker_connections 1024; }
        http {
            access_log off; default_type application/json; keepalive_requests 1000000000; tcp_nodelay on;
            client_body_temp_path ${folder}/b; proxy_temp_path ${folder}/p; fastcgi_temp_path ${folder}/f;
            uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
            server { listen 127.0.0.1:${port} ${secure.listen}; ${secure.more} set $thousand "${'x'.repeat(1000)}"; ${places.join('\n')} }
        }`,
    );
    return file;
}

export function script(folder, work) {
    const file = path.join(folder, `${work.name}-${work.era}.lua`);
    const headers = Object.entries(work.headers).map(([key, value]) => `wrk.headers["${key}"] = "${value}"`);
    fs.writeFileSync(file, `wrk.method = "POST"\nwrk.body = [==[${work.body}]==]\n${headers.join('\n')}\n`);
    return file;
}

const units = { us: 1, ms: 1000, s: 1000000 };

export function load(work, url, connections, seconds) {
    const output = execFileSync(
        'taskset',
        ['-c', loadCore, 'wrk', '-t1', '--latency', `-c${connections}`, `-d${seconds}s`, '-s', work.script, url],
        { encoding: 'utf8' },
    );
    if (/Non-2xx|Socket errors/.test(output)) throw new Error(`${url}: ${output}`);
    const [, p50, unit] = /50%\s+([\d.]+)(us|ms|s)/.exec(output);
    return { speed: Number(/Requests\/sec: *([\d.]+)/.exec(output)[1]), p50: Number(p50) * units[unit] };
}

async function ask(work, url) {
    const response = await fetch(url, { method: 'POST', headers: work.headers, body: work.body });
    const text = await response.text();
    if (response.status !== 200 || !text.includes('"result"') || text.includes('"isError":true')) throw new Error(`${url}: ${response.status} ${text}`);
    return text;
}

export default function run({ rounds = 3, seconds = 1 }) {
    return inFolder(async (folder, running) => {
        const servers = {};
        for (const tools of [2, 200]) {
            const port = await freePort();
            servers[tools] = { child: await start(running, port, [program('http-server'), String(tools), '--http', `127.0.0.1:${port}`]), urls: { haft: `http://127.0.0.1:${port}/mcp` } };
        }
        for (const work of works) {
            work.script = script(folder, work);
            work.answer = await ask(work, servers[work.tools].urls.haft);
        }
        const before = rss(servers[2].child);
        for (const tools of [2, 200])
            for (const peer of peers) {
                const port = await freePort();
                await start(running, port, peerCommand(peer, String(port), tools));
                servers[tools].urls[peer.name] = `http://127.0.0.1:${port}/mcp`;
            }
        const nginx = await freePort();
        await start(running, nginx, ['nginx', '-p', folder, '-c', nginxFile(folder, nginx), '-e', path.join(folder, 'nginx.log')]);
        for (const work of works) {
            const file = path.join(folder, `${work.name}-${work.era}.answer`);
            const port = await freePort();
            fs.writeFileSync(file, work.answer);
            await start(running, port, [program('canned-http'), String(port), file]);
            work.canned = `http://127.0.0.1:${port}/`;
        }

        const rows = [];
        for (const [i, work] of works.entries())
            for (const connections of loads) {
                const speed = { part: 'HTTP', work: work.name, era: work.era, measure: `${connections} connection${connections > 1 ? 's' : ''}`, unit: 'calls/s', values: {} };
                const time = { ...speed, measure: `${speed.measure}, p50`, unit: 'µs', less: true, values: {} };
                const own = peers.filter(peer => peer.eras.includes(work.era)).map(peer => [peer.name, servers[work.tools].urls[peer.name]]);
                for (let round = 0; round < rounds; round++)
                    for (const [who, url] of [['limit', work.canned], ['haft', servers[work.tools].urls.haft], ['nginx', `http://127.0.0.1:${nginx}/${i}`], ...own]) {
                        const result = load(work, url, connections, seconds);
                        (speed.values[who] ??= []).push(result.speed);
                        (time.values[who] ??= []).push(result.p50);
                    }
                rows.push(speed, time);
            }
        rows.push({ part: 'HTTP', work: 'add', era: '', measure: 'memory after start', unit: 'MB', less: true, values: { haft: [before / 1024] } });
        rows.push({ part: 'HTTP', work: 'add', era: '', measure: 'memory at the end', unit: 'MB', less: true, values: { haft: [rss(servers[2].child) / 1024] } });
        return rows;
    });
}
