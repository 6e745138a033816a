/* command.mjs - a command tool of a gateway beside posix_spawn alone, one call at a time on a connection that is kept
 * open.  The difference to a call of the shop's tool, which runs no program, is what the program costs behind haft. */

import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

const build = new URL("../build/release/", import.meta.url).pathname;
const rounds = process.argv.includes("quick") ? 300 : 3000;
const directory = mkdtempSync(join(tmpdir(), "haft-bench-"));
const config = join(directory, "config.json");
const command = (run) => ({ command: { run, input: { type: "object", properties: {} } } });

writeFileSync(
    config,
    JSON.stringify({
        gateway: {
            upstreams: { run_true: command(["/bin/true"]) },
            endpoints: [{ endpoint: "/mcp", upstreams: "*", routes: "*" }],
        },
    }),
);

const server = spawn(join(build, "bin", "haft"), ["serve", "--demo", "--config", config, "--http", "127.0.0.1:0"], {
    stdio: ["ignore", "ignore", "pipe"],
});
const url = await new Promise((resolve, reject) => {
    let text = "";

    server.stderr.on("data", (part) => {
        text += part;
        const found = /listening on (\S+)/.exec(text);
        if (found) resolve(found[1]);
    });
    server.on("exit", () => reject(new Error(text)));
});
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });

function post(name, args) {
    const body = JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: {
            name,
            arguments: args,
            _meta: {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" },
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        },
    });

    return new Promise((resolve, reject) => {
        const request = http.request(
            url,
            {
                agent,
                method: "POST",
                headers: {
                    "content-type": "application/json",
                    accept: "application/json, text/event-stream",
                    "mcp-protocol-version": "2026-07-28",
                    "mcp-method": "tools/call",
                    "mcp-name": name,
                },
            },
            (response) => {
                let text = "";

                response.on("data", (part) => (text += part));
                response.on("end", () => resolve(text));
            },
        );

        request.on("error", reject);
        request.end(body);
    });
}

async function median(name, args) {
    const times = [];

    for (let i = 0; i < rounds; i++) {
        const begin = process.hrtime.bigint();
        const answer = await post(name, args);

        times.push(Number(process.hrtime.bigint() - begin) / 1000);
        if (!answer.includes('"content"') || answer.includes('"isError":true')) throw new Error(answer);
    }
    return times.sort((left, right) => left - right)[rounds >> 1];
}

const row = (name, value, times) =>
    console.log(name.padEnd(34), value.toFixed(0).padStart(12), times === undefined ? "" : times.toFixed(2).padStart(8));

try {
    const alone = Number(execFileSync(join(build, "bench", "command"), [String(rounds)]));
    const plain = await median("get_customer", { id: "cust-1" }).catch(() => NaN);
    const run = await median("run_true", {});

    console.log("a run of /bin/true".padEnd(34), "microseconds".padStart(12), "times".padStart(8));
    row("posix_spawn, pipes, wait", alone, 1);
    row("call of a command tool over HTTP", run, run / alone);
    if (plain) row("the same without HTTP's part", run - plain, (run - plain) / alone);
} finally {
    server.kill();
    rmSync(directory, { recursive: true });
}
