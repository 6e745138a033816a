/* federation.mjs - a gateway before upstreams, and clients of every revision before it. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { META, MODERN } from "./spec.mjs";
import { example } from "./server.mjs";
import { Wire, envelope } from "./wire.mjs";

export const upstream = join(example("."), "..", "tests", "upstream-driver");

/* What a revision has. */
export const revisions = [
    { revision: "2024-11-05" },
    { revision: "2025-03-26", message: true, audio: true },
    { revision: "2025-06-18", message: true, audio: true, links: true, elicitation: true },
    { revision: "2025-11-25", message: true, audio: true, links: true, elicitation: true },
    { revision: MODERN, message: true, audio: true, links: true, elicitation: true, modern: true },
];

const declared = { sampling: {}, roots: {}, elicitation: { form: {} } };

/* A gateway with these upstreams, and a client of a revision before it, on standard input and output. */
export class Federation {
    #directory = mkdtempSync(join(tmpdir(), "haft-federation-"));
    #number = 0;

    constructor(row, upstreams, { capabilities = declared, args = [] } = {}) {
        const file = join(this.#directory, "config.json");

        this.row = row;
        this.capabilities = capabilities;
        this.directory = this.#directory;
        writeFileSync(
            file,
            JSON.stringify({ gateway: { upstreams } }).replaceAll("{DIR}", this.#directory),
        );
        this.wire = new Wire("../bin/haft", "serve", "--stdio", "--config", file, ...args);
    }

    async open() {
        if (this.row.modern) {
            this.wire.conversation.revision = MODERN;
            assert.ok((await this.ask("server/discover")).result);
        } else {
            const { protocolVersion } = await this.wire.initialize(
                this.row.revision,
                this.capabilities,
            );

            assert.equal(protocolVersion, this.row.revision);
        }
        return this;
    }

    params(params, meta = {}) {
        const _meta = this.row.modern ? envelope(meta, this.capabilities) : meta;

        return Object.keys(_meta).length ? { ...params, _meta } : params;
    }

    ask(method, params = {}, meta) {
        return this.wire.request(method, this.params(params, meta));
    }

    /* Calls a tool, and answers what it asks, in the way of the revision. */
    async call(name, args, { meta, answers } = {}) {
        const params = { name, ...(args && { arguments: args }) };
        let { result, error } = await this.ask("tools/call", params, meta);

        while (result?.resultType === "input_required") {
            const inputResponses = Object.fromEntries(
                Object.entries(result.inputRequests).map(([key, question]) => [
                    key,
                    answers(question),
                ]),
            );

            ({ result, error } = await this.ask(
                "tools/call",
                { ...params, requestState: result.requestState, inputResponses },
                meta,
            ));
        }
        return error ? { error } : result;
    }

    /* Begins a request without waiting for its answer, and returns its id. */
    begin(method, params, meta) {
        const id = `begun-${++this.#number}`;

        this.wire.send({ jsonrpc: "2.0", id, method, params: this.params(params, meta) });
        return id;
    }

    answerTo(id) {
        return this.wire.heard.find((message) => message.id === id && !message.method);
    }

    async tools() {
        return (await this.ask("tools/list")).result.tools;
    }

    /* Asks to be told about changes of lists; older revisions need not ask. */
    async listen() {
        if (!this.row.modern) return;
        this.begin("subscriptions/listen", {
            notifications: { toolsListChanged: true },
        });
    }

    async close() {
        try {
            await this.wire.close();
        } finally {
            rmSync(this.#directory, { recursive: true });
        }
    }
}

export async function withFederation(row, upstreams, use, options) {
    const federation = new Federation(row, upstreams, options);

    try {
        await federation.open();
        await use(federation);
    } finally {
        await federation.close();
    }
}

export const text = (result) => result.content?.[0]?.text ?? JSON.stringify(result);
export { META };

/* One request of a modern client over HTTP. */
export async function modernPost(url, method, params = {}, { capabilities = {}, signal, headers = {} } = {}) {
    const response = await fetch(url, {
        signal,
        method: "POST",
        headers: {
            "content-type": "application/json",
            accept: "application/json, text/event-stream",
            "mcp-protocol-version": MODERN,
            "mcp-method": method,
            ...(params.name && { "mcp-name": params.name }),
            ...headers,
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: envelope({}, capabilities) } }),
    });
    const body = await response.text();

    return JSON.parse(body.startsWith("{") ? body : /^data: (\{.*)$/m.exec(body)[1]);
}

/* A server of an older revision on standard streams, which the lines of `tools` extend: each is a
 * function that gets its arguments and returns text or a result. */
export const legacyServer = (tools) => {
    const script = `
        const send = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));
        const waiting = new Map();
        const ask = (message) => new Promise((resolve) => {
            const id = "q" + waiting.size;

            waiting.set(id, resolve);
            send({ id, method: "elicitation/create", params: { message, requestedSchema: { type: "object", properties: {} } } });
        });
        const signals = new Map();
        const signal = (name) => {
            if (!signals.has(name)) {
                const one = {};

                one.promise = new Promise((resolve) => (one.resolve = resolve));
                signals.set(name, one);
            }
            return signals.get(name);
        };
        const tools = ${tools};
        const results = {
            initialize: () => ({ protocolVersion: "2025-06-18", capabilities: { tools: {}, logging: {} }, serverInfo: { name: "old", version: "1" } }),
            "tools/list": () => ({ tools: Object.keys(tools).map((name) => ({ name, inputSchema: { type: "object" } })) }),
            "tools/call": async ({ name, arguments: args }) => {
                const result = await tools[name](args);

                return typeof result === "string" ? { content: [{ type: "text", text: result }] } : result;
            },
        };

        require("node:readline").createInterface({ input: process.stdin }).on("line", async (line) => {
            const { id, method, params, result, error } = JSON.parse(line);

            if (!method) waiting.get(id)(result ?? error);
            else if (method === "notifications/cancelled") signal("cancelled").resolve();
            else if (id !== undefined) send({ id, result: (await results[method]?.(params)) ?? {} });
        });`;

    return { mcp: { command: [process.execPath, "-e", script], revision: "2025-06-18" } };
};
