/* nginx.test.mjs - behind a real proxy: clients are counted by their own addresses, which only the proxy can say. */

import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { spawn } from "./child.mjs";
import { withServer } from "./http-server.mjs";
import { freePort, until } from "./server.mjs";

const NOTICE = JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" });

const listens = (port) =>
    new Promise((resolve) => {
        const socket = connect(port, "127.0.0.1");

        socket.on("connect", () => resolve(true)).on("error", () => resolve(false));
        socket.on("connect", () => socket.destroy());
    });

/* nginx in front of haft for as long as `use` takes; `location` is what it does with the headers. */
async function behindNginx(upstream, location, use) {
    const folder = mkdtempSync(join(tmpdir(), "haft-nginx-"));
    const port = await freePort();
    const file = join(folder, "nginx.conf");
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${folder};`);

    writeFileSync(
        file,
        `daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/log;
events { }
http {
    access_log off; ${temporary.join(" ")}
    server {
        listen 127.0.0.1:${port};
        location / { proxy_pass ${upstream}; proxy_bind 127.0.0.1; proxy_set_header Host localhost; ${location} }
    }
}
`,
    );
    const nginx = spawn(existsSync("/usr/sbin/nginx") ? "/usr/sbin/nginx" : "nginx", [
        "-p", folder, "-c", file, "-e", join(folder, "log"),
    ]);
    const ended = new Promise((resolve) => nginx.on("close", resolve));

    try {
        let up = false;

        await until(() => {
            listens(port).then((yes) => (up ||= yes));
            return up;
        }, "nginx");
        await use(port);
    } catch (error) {
        if (existsSync(join(folder, "log"))) error.message += `\n${readFileSync(join(folder, "log"))}`;
        throw error;
    } finally {
        nginx.kill("SIGTERM");
        await ended;
        rmSync(folder, { recursive: true });
    }
}

/* The status of a request that comes from an address of this machine. */
const ask = (port, from, headers = {}) =>
    new Promise((resolve, reject) => {
        const request = http.request(
            {
                host: "127.0.0.1", port, path: "/mcp", method: "POST", localAddress: from, agent: false,
                headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream", ...headers },
            },
            (response) => response.resume().on("end", () => resolve(response.statusCode)),
        );

        request.on("error", reject).end(NOTICE);
    });

const APPEND = "proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;";
const RFC = 'proxy_set_header X-Forwarded-For ""; proxy_set_header Forwarded "for=$remote_addr;proto=http";';
const SPOOFED = { "X-Forwarded-For": "198.51.100.1, 198.51.100.2", Forwarded: "for=198.51.100.3" };

for (const [name, args, location, rows] of [
    ["each client has its own rate", ["--trusted-proxy", "127.0.0.1"], `${APPEND} proxy_set_header Forwarded "";`,
        [["127.0.0.2", {}, 202], ["127.0.0.2", SPOOFED, 202], ["127.0.0.2", SPOOFED, 429], ["127.0.0.3", {}, 202], ["127.0.0.2", {}, 429]]],
    ["by RFC 7239", ["--trusted-proxy", "10.0.0.0/8,127.0.0.1"], RFC,
        [["127.0.0.2", {}, 202], ["127.0.0.2", SPOOFED, 202], ["127.0.0.2", SPOOFED, 429], ["127.0.0.3", {}, 202]]],
    ["a header that the proxy lets through names nobody", ["--trusted-proxy", "127.0.0.1"], APPEND,
        [["127.0.0.2", SPOOFED, 202], ["127.0.0.3", SPOOFED, 202], ["127.0.0.4", SPOOFED, 429], ["127.0.0.4", {}, 202]]],
    ["without the option all are the proxy", [], APPEND,
        [["127.0.0.2", {}, 202], ["127.0.0.3", {}, 202], ["127.0.0.4", SPOOFED, 429]]],
])
    test(name, () =>
        withServer("everything", ["--rate", "2/1h", ...args], async (server) =>
            behindNginx(new URL(server.url).origin, location, async (port) => {
                for (const [i, [from, headers, status]] of rows.entries())
                    assert.equal(await ask(port, from, headers), status, `request ${i}`);
            }),
        ),
    );
