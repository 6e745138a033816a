/* task-server.mjs - a small server of 2026-07-28 whose calls become tasks, for tests of the client.
 *
 *     node task-server.mjs DIRECTORY      over standard input and output, with a file for each task
 *
 * A task lasts as long as its argument says, by the clock: whoever asks after that finds it completed, also in
 * another process. */

import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const extension = "io.modelcontextprotocol/tasks";

const tools = [
    { name: "slow", description: "Takes a while", inputSchema: { type: "object", properties: { ms: { type: "integer" } } } },
    { name: "ask", description: "Asks for a name", inputSchema: { type: "object" } },
    { name: "fail", description: "Fails", inputSchema: { type: "object" } },
    { name: "stuck", description: "Asks for something that nobody has", inputSchema: { type: "object" } },
];

/* Tasks in memory. */
export class Memory {
    #all = new Map();
    get = (id) => this.#all.get(id);
    put = (task) => this.#all.set(task.id, task);
    ids = () => [...this.#all.keys()];
}

/* Tasks in files. */
export class Directory {
    constructor(path) {
        this.path = path;
    }
    get = (id) => {
        const file = join(this.path, `${id}.json`);

        return /^[-\w]+$/.test(id) && existsSync(file) ? JSON.parse(readFileSync(file)) : undefined;
    };
    put = (task) => writeFileSync(join(this.path, `${task.id}.json`), JSON.stringify(task));
    ids = () => readdirSync(this.path).map((name) => name.replace(".json", ""));
}

const form = {
    method: "elicitation/create",
    params: {
        mode: "form",
        message: "Who are you?",
        requestedSchema: { type: "object", properties: { name: { type: "string", default: "Ann" } }, required: ["name"] },
    },
};

/* The task as tasks/get describes it. */
function describe(task) {
    const over = Date.now() >= task.created + task.ms;
    const members = {
        resultType: "complete",
        taskId: task.id,
        createdAt: new Date(task.created).toISOString(),
        lastUpdatedAt: new Date().toISOString(),
        ttlMs: 600000,
        pollIntervalMs: 100,
    };
    const text = (it) => ({ content: [{ type: "text", text: it }] });

    if (task.cancelled) return { ...members, status: "cancelled", statusMessage: "as you wish" };
    if (task.tool === "ask" && !task.answer) return { ...members, status: "input_required", inputRequests: { who: form } };
    if (task.tool === "ask") return { ...members, status: "completed", result: text(`Hello, ${task.answer}`) };
    if (task.tool === "stuck")
        return { ...members, status: "input_required", inputRequests: { open: { method: "elicitation/create", params: { mode: "url", message: "m", url: "https://example.com", elicitationId: "1" } } } };
    if (task.tool === "fail") return { ...members, status: "failed", error: { code: -32000, message: "it broke" } };
    return over
        ? { ...members, status: "completed", result: text(`slept ${task.ms} ms`) }
        : { ...members, status: "working", statusMessage: "sleeping" };
}

/* The answer to a message; undefined for a notification. */
export function answer(message, store) {
    const { id, method, params } = message;
    const declared = params?._meta?.["io.modelcontextprotocol/clientCapabilities"]?.extensions?.[extension];
    const fail = (code, text) => ({ jsonrpc: "2.0", id, error: { code, message: text } });
    const task = params?.taskId && store.get(params.taskId);

    if (id === undefined) return undefined;
    if (method === "server/discover")
        return { jsonrpc: "2.0", id, result: { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: { tools: {}, extensions: { [extension]: {} } } } };
    if (method === "tools/list") return { jsonrpc: "2.0", id, result: { resultType: "complete", tools, ttlMs: 0, cacheScope: "private" } };
    if (method === "tools/call") {
        const made = { id: store.nextId?.() ?? randomUUID(), tool: params.name, created: Date.now(), ms: params.arguments?.ms ?? 0 };

        if (!declared) return { jsonrpc: "2.0", id, result: { resultType: "complete", content: [{ type: "text", text: "at once" }] } };
        store.put(made);
        const { inputRequests, result, error, ...seed } = describe(made);

        return { jsonrpc: "2.0", id, result: { ...seed, status: seed.status === "cancelled" ? "cancelled" : "working", resultType: "task" } };
    }
    if (!method.startsWith("tasks/")) return fail(-32601, `no method ${method}`);
    if (!declared) return fail(-32021, "the extension was not declared");
    if (!task) return fail(-32602, "no such task");
    if (method === "tasks/get") return { jsonrpc: "2.0", id, result: describe(task) };
    if (method === "tasks/cancel") task.cancelled = true;
    if (method === "tasks/update") task.answer = params.inputResponses.who?.content?.name ?? "nobody";
    store.put(task);
    return { jsonrpc: "2.0", id, result: { resultType: "complete" } };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
    const store = new Directory(process.argv[2]);

    process.on("SIGINT", () => {});
    createInterface({ input: process.stdin }).on("line", (line) => {
        const reply = answer(JSON.parse(line), store);

        if (reply) process.stdout.write(`${JSON.stringify(reply)}\n`);
    });
}
