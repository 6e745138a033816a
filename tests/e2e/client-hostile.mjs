/* client-hostile.mjs - a server that answers properly except where a test says otherwise, on raw sockets: what
 * no HTTP library would send. */

import { createServer } from "node:net";

const DISCOVERED = {
    resultType: "complete",
    supportedVersions: ["2026-07-28"],
    capabilities: { tools: {} },
    ttlMs: 0,
    cacheScope: "private",
};
const TOOL = { name: "act", inputSchema: { type: "object" } };

/* The proper result of a method. */
function properResult({ method, params }) {
    if (method === "server/discover") return DISCOVERED;
    if (method === "initialize")
        return {
            protocolVersion: params.protocolVersion,
            capabilities: { tools: {} },
            serverInfo: { name: "hostile", version: "1" },
        };
    if (method === "tools/list")
        return { resultType: "complete", tools: [TOOL], ttlMs: 0, cacheScope: "private" };
    return { resultType: "complete", content: [{ type: "text", text: "done" }] };
}

export const head = (status, fields = {}) =>
    `HTTP/1.1 ${status}\r\n${Object.entries(fields)
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join("")}\r\n`;

/* A whole response with a body. */
export const whole = (body, status = "200 OK", fields = {}) =>
    head(status, {
        "Content-Type": "application/json",
        "Content-Length": Buffer.byteLength(body),
        ...fields,
    }) + body;

export const result = (message, value = properResult(message)) =>
    JSON.stringify({ jsonrpc: "2.0", id: message.id, result: value });

/* The beginning of a stream of events, and an event. */
export const stream = head("200 OK", {
    "Content-Type": "text/event-stream",
    Connection: "close",
});
export const event = (data, id) => `${id ? `id: ${id}\n` : ""}data: ${data}\n\n`;

/* Writes again and again until the socket is gone; nobody waits for it. */
export function forever(socket, make, milliseconds = 5) {
    let n = 0;
    const timer = setInterval(() => {
        if (socket.destroyed) clearInterval(timer);
        else if (socket.writableLength < 1 << 20) socket.write(make(n++));
    }, milliseconds);
}

export class Hostile {
    seen = []; /* methods of messages, and GET, DELETE */
    #rules;
    #sockets = new Set();

    /* Rules: { "tools/call": (socket, message, request) => ..., GET: ... }. */
    constructor(rules) {
        this.#rules = rules;
        this.server = createServer((socket) => this.#serve(socket));
    }

    async listen() {
        await new Promise((resolve) => this.server.listen(0, "127.0.0.1", resolve));
        this.origin = `http://127.0.0.1:${this.server.address().port}`;
        this.url = `${this.origin}/mcp`;
        return this;
    }

    close() {
        for (const socket of this.#sockets) socket.destroy();
        this.server.close();
    }

    count(method) {
        return this.seen.filter((it) => it === method).length;
    }

    #serve(socket) {
        let text = "";

        this.#sockets.add(socket);
        socket.setEncoding("latin1");
        socket.on("error", () => {});
        socket.on("close", () => this.#sockets.delete(socket));
        socket.on("data", (bytes) => {
            text += bytes;
            for (;;) {
                const end = text.indexOf("\r\n\r\n");
                const size = Number(/^content-length: *(\d+)/im.exec(text)?.[1] ?? 0);

                if (end < 0 || text.length < end + 4 + size) return;
                const body = Buffer.from(text.slice(end + 4, end + 4 + size), "latin1");
                const top = text.slice(0, end);
                text = text.slice(end + 4 + size);
                this.#answer(socket, top, body.toString());
            }
        });
    }

    #answer(socket, top, body) {
        const verb = top.split(" ")[0];
        const message = verb === "POST" ? JSON.parse(body) : {};
        const name = message.method ?? (verb === "POST" ? "response" : verb);
        const rule = this.#rules[name] ?? this.#rules["*"];

        this.seen.push(name);
        if (rule) rule(socket, message, top);
        else if (verb !== "POST") socket.write(whole("", "405 Method Not Allowed"));
        else if (message.id === undefined || !message.method) socket.write(whole("", "202 Accepted"));
        else socket.write(whole(result(message)));
    }
}
