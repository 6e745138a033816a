/* task-clients.test.mjs - tasks of our server with the official clients that know them.
 *
 * The SDK 1.32.2 has functions for the experimental tasks of 2025-11-25. The client 2.4.0 has only their messages, so its
 * requests are written out here; in 2026-07-28 it knows no tasks. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { CallToolResultSchema, ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { sleep } from "./http-client.mjs";
import { withServer } from "./http-server.mjs";
import { example } from "./server.mjs";

const OVER = ["completed", "failed", "cancelled"];
const any = z.looseObject({});

/* The functions that every test uses, for each client. */
const v1 = (client) => ({
    /* Calls a tool as a task, and returns what arrived: the task, its states, and the result or the error. */
    async follow(name, args = {}) {
        const seen = { states: [] };

        for await (const message of client.experimental.tasks.callToolStream({ name, arguments: args }, CallToolResultSchema, { task: { ttl: 60000 } })) {
            if (message.type === "taskCreated") seen.task = message.task;
            else if (message.type === "taskStatus") seen.states.push(message.task.status);
            else seen[message.type] = message[message.type];
        }
        return seen;
    },
    async create(name, args = {}) {
        for await (const message of client.experimental.tasks.callToolStream({ name, arguments: args }, CallToolResultSchema, { task: { ttl: 60000 } }))
            if (message.type === "taskCreated") return message.task;
    },
    get: (taskId) => client.experimental.tasks.getTask(taskId),
    result: (taskId) => client.experimental.tasks.getTaskResult(taskId, CallToolResultSchema),
    list: () => client.experimental.tasks.listTasks(),
    cancel: (taskId) => client.experimental.tasks.cancelTask(taskId),
});

const v2 = (client) => {
    const ask = (method, params) => client.request({ method, params }, any);
    const about = (method) => (taskId) => ask(method, { taskId });
    const tasks = {
        create: async (name, args = {}) => (await ask("tools/call", { name, arguments: args, task: { ttl: 60000 } })).task,
        get: about("tasks/get"),
        result: about("tasks/result"),
        list: () => ask("tasks/list", {}),
        cancel: about("tasks/cancel"),
        async follow(name, args) {
            const task = await tasks.create(name, args), states = [];
            let status;

            do {
                await sleep(20);
                ({ status } = await tasks.get(task.taskId));
                states.push(status);
            } while (!OVER.includes(status) && status !== "input_required");
            return tasks.result(task.taskId).then((result) => ({ task, states, result }), (error) => ({ task, states, error }));
        },
    };
    return tasks;
};

const kinds = [
    { name: "sdk 1.32.2", Client: ClientV1, Stdio: StdioV1, Http: HttpV1, tasks: v1, elicit: ElicitRequestSchema },
    { name: "client 2.4.0, 2025", Client: ClientV2, Stdio: StdioV2, Http: HttpV2, tasks: v2, elicit: "elicitation/create" },
];

const ways = {
    stdio: ({ Stdio }, use) => use(new Stdio({ command: example("everything"), stderr: "ignore" })),
    http: ({ Http }, use) => withServer("everything", [], ({ url }) => use(new Http(new URL(url)))),
};

/* Connects a client, which answers each question with `answer`. */
async function connected(kind, open, use, answer) {
    await open(kind, async (transport) => {
        const client = new kind.Client({ name: "haft-e2e", version: "1.0.0" }, { capabilities: { elicitation: { form: {} } } });

        if (answer) client.setRequestHandler(kind.elicit, answer);
        await client.connect(transport);
        try {
            await use(kind.tasks(client), client);
        } finally {
            await client.close();
        }
    });
}

const textOf = ({ content }) => content.map(({ text }) => text).join("");

for (const kind of kinds)
    for (const [way, open] of Object.entries(ways))
        describe(`${kind.name} over ${way}`, () => {
            test("creates a task, polls it and gets its result", () =>
                connected(kind, open, async (tasks, client) => {
                    assert.ok(client.getServerCapabilities().tasks.requests.tools.call, "the server says that it has tasks");
                    const seen = await tasks.follow("slow_compute", { seconds: 0.3, label: "it" });

                    assert.equal(textOf(seen.result), "it after 0.3 s");
                    assert.equal(seen.task.status, "working");
                    assert.ok(seen.states.includes("completed"), seen.states.join());
                    assert.equal((await tasks.get(seen.task.taskId)).status, "completed");
                    assert.equal(textOf(await tasks.result(seen.task.taskId)), "it after 0.3 s", "the result stays");
                    /* Clients of HTTP that are not authenticated would see the tasks of others. */
                    const lists = way === "stdio";

                    assert.equal(Boolean(client.getServerCapabilities().tasks.list), lists);
                    if (lists) assert.deepEqual((await tasks.list()).tasks.map(({ taskId }) => taskId), [seen.task.taskId]);
                    else await assert.rejects(tasks.list());
                }));

            test("waits for a result that is not there yet", () =>
                connected(kind, open, async (tasks) => {
                    const { taskId } = await tasks.create("slow_compute", { seconds: 0.5, label: "late" });

                    assert.equal(textOf(await tasks.result(taskId)), "late after 0.5 s");
                }));

            test("gets errors of tools and of the protocol", () =>
                connected(kind, open, async (tasks) => {
                    const failed = await tasks.follow("failing_job");
                    const { taskId } = await tasks.create("failing_job");

                    /* The stream of the SDK does not ask for the result of a task that has failed. */
                    assert.match(failed.error?.message ?? textOf(failed.result), /failed$/);
                    assert.equal((await tasks.result(taskId)).isError, true);
                    const broken = await tasks.create("protocol_error_job");

                    await assert.rejects(tasks.result(broken.taskId), (error) => error.code === -32000);
                    assert.equal((await tasks.get(broken.taskId)).status, "failed");
                    await assert.rejects(tasks.get("nothing"), (error) => error.code === -32602);
                }));

            test("cancels a task", () =>
                connected(kind, open, async (tasks) => {
                    const { taskId } = await tasks.create("slow_compute", { seconds: 30, label: "never" });

                    assert.equal((await tasks.cancel(taskId)).status, "cancelled");
                    assert.equal((await tasks.get(taskId)).status, "cancelled");
                    await assert.rejects(tasks.cancel(taskId), (error) => error.code === -32602);
                }));

            test("answers a question inside a task", () => {
                const asked = [];

                return connected(kind, open, async (tasks) => {
                    const seen = await tasks.follow("confirm_delete", { filename: "a.txt" });

                    assert.equal(textOf(seen.result), "a.txt: deleted");
                    assert.deepEqual(asked, ["Delete the file?"]);
                    assert.ok(seen.states.includes("input_required"), seen.states.join());
                }, async ({ params }) => {
                    asked.push(params.message);
                    return { action: "accept", content: { confirm: true } };
                });
            });
        });
