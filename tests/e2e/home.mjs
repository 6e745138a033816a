/* home.mjs - haft home and its demo home, for the tests of both. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { join } from "node:path";
import { WebSocket } from "ws";
import { Server } from "./http-server.mjs";
import { example } from "./server.mjs";

export const haft = join(example("."), "..", "bin", "haft");
export const TOKEN = "demo";

/* Nothing of the machine's own configuration. */
export const plain = Object.fromEntries(
    ["HASS_HOST", "HASS_TOKEN", "HASS_TOKEN_FILE", "ENABLE_SPEECH_FEATURES"].map((name) => [name, undefined]),
);

/* The demo home as a Home Assistant; its url has no slash at the end. */
export async function startDemo({ address = "127.0.0.1:0", args = [], env = {}, ...options } = {}) {
    const server = new Server(haft, ["home", "--demo", "--listen", address, ...args], {
        env: { ...plain, ...env },
        ...options,
    });

    await server.ready();
    server.url = server.url.replace(/\/(#.*)?$/, "");
    return server;
}

/* The tools over HTTP. */
export async function startHome(args = [], env = {}) {
    const server = new Server(haft, ["home", "--http", "127.0.0.1:0", ...args], { env: { ...plain, ...env } });

    return server.ready();
}

export async function withDemo(use, options) {
    const demo = await startDemo(options);

    try {
        await use(demo);
    } finally {
        assert.equal(await demo.stop(), 0, demo.log());
    }
}

/* A REST request: the status and the body, parsed if it is JSON. */
export async function rest(base, method, path, body, token = TOKEN) {
    const answer = await fetch(base + path, {
        method,
        headers: token === null ? {} : { Authorization: `Bearer ${token}` },
        body: body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body),
    });
    const text = await answer.text();
    const isJson = answer.headers.get("content-type")?.startsWith("application/json");

    return { status: answer.status, body: isJson ? JSON.parse(text) : text, headers: answer.headers };
}

/* A WebSocket that has authenticated; `ask` returns the message that answers a command. */
export class Session {
    #waiting = new Map();
    #id = 0;
    events = [];

    static async open(base, token = TOKEN) {
        const session = new Session();

        session.socket = new WebSocket(`${base.replace(/^http/, "ws")}/api/websocket`);
        session.first = JSON.parse((await once(session.socket, "message"))[0]);
        session.socket.send(JSON.stringify({ type: "auth", access_token: token }));
        session.second = JSON.parse((await once(session.socket, "message"))[0]);
        session.socket.on("message", (data) => session.#receive(JSON.parse(data)));
        return session;
    }

    #receive(message) {
        if (message.type === "event") this.events.push(message);
        else this.#waiting.get(message.id)?.(message);
    }

    ask(type, fields = {}) {
        const id = fields.id ?? ++this.#id;
        const answer = new Promise((resolve) => this.#waiting.set(id, resolve));

        this.socket.send(JSON.stringify({ ...fields, id, type }));
        return answer;
    }

    async close() {
        this.socket.close();
        await once(this.socket, "close");
    }
}

let id = 0;

/* A plain POST of the latest revision. */
export async function post(url, method, params = {}, meta = {}) {
    const _meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "haft-e2e", version: "1.0.0" },
        "io.modelcontextprotocol/clientCapabilities": {},
        ...meta,
    };
    const answer = await fetch(url, {
        method: "POST",
        headers: {
            "Content-Type": "application/json",
            Accept: "application/json, text/event-stream",
            "MCP-Protocol-Version": "2026-07-28",
            "Mcp-Method": method,
            ...((params.name ?? params.uri) ? { "Mcp-Name": params.name ?? params.uri } : {}),
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params: { ...params, _meta } }),
    });
    const text = await answer.text();

    return JSON.parse(answer.headers.get("content-type").startsWith("text/event-stream")
        ? text.split("\n").filter((line) => line.startsWith("data: ")).at(-1).slice(6)
        : text);
}

/* The result of a tool. */
export async function call(url, name, args = {}) {
    const { result, error } = await post(url, "tools/call", { name, arguments: args });

    assert.equal(error, undefined, JSON.stringify(error));
    return result;
}
