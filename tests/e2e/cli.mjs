/* cli.mjs - the program, run as a person or a script runs it. */

import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawn } from "./child.mjs";
import { example } from "./server.mjs";

/* Nothing is kept in the home of whoever runs the tests. */
export const state = mkdtempSync(join(tmpdir(), "haft-state-"));
process.on("exit", () => rmSync(state, { recursive: true, force: true }));

export const haft = join(example("."), "..", "bin", "haft");

/* Runs it to its end: its exit code, or the signal that ended it, and what it wrote.  `started` gets the child, and a
 * function that returns what it has written to its standard error so far. */
export function run(args, { input = "", env = {}, started, program = haft } = {}) {
    return new Promise((resolve) => {
        const child = spawn(program, args, { env: { ...process.env, XDG_STATE_HOME: state, ...env } });
        let out = "";
        let err = "";

        child.stdout.on("data", (text) => (out += text));
        child.stderr.on("data", (text) => (err += text));
        child.stdin.on("error", () => {});
        child.stdin.end(input);
        child.on("close", (code, signal) => resolve({ code: code ?? signal, out, err }));
        started?.(child, () => err);
    });
}

/* An HTTP server that answers each request as `answer(message, request, response)` does, for as long as
 * `use` takes.  What it was asked is in `use`'s second argument. */
export async function withFake(answer, use) {
    const asked = [];
    const server = createServer((request, response) => {
        let body = "";

        request.on("data", (text) => (body += text));
        request.on("end", () => {
            const message = body ? JSON.parse(body) : undefined;

            asked.push({ method: request.method, headers: request.headers, message });
            answer(message, request, response);
        });
    });

    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
        return await use(`http://127.0.0.1:${server.address().port}/mcp`, asked);
    } finally {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
    }
}

export const reply = (response, message, headers = {}) => {
    response.writeHead(200, { "Content-Type": "application/json", ...headers });
    response.end(typeof message === "string" ? message : JSON.stringify(message));
};

export const greeting = (id, protocolVersion = "2025-11-25") => ({
    jsonrpc: "2.0",
    id,
    result: {
        protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "fake", version: "0" },
    },
});
