/* task-crash.test.mjs - tasks in a SQLite file whose server is killed (SIGKILL) at every step of their lives: before each
 * request to the store and after each, while handlers work, while they wait for input, and right after an answer.
 *
 * Whatever was acknowledged ends, once, in the state that its tool's policy says.  HAFT_CRASH=long (./dev crash) takes
 * every step, and more than 1,000 tasks. */

import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { post } from "./cluster.mjs";
import { modernHeaders, modernMessage, sleep } from "./http-client.mjs";
import { Server } from "./http-server.mjs";
import { example } from "./server.mjs";

const long = process.env.HAFT_CRASH === "long";
const driver = join(example("."), "..", "tests", "task-driver");
const EXTENSION = "io.modelcontextprotocol/tasks";
const capabilities = { elicitation: { form: {} }, extensions: { [EXTENSION]: {} } };
const TOOLS = ["fail", "restart", "resume"];
const OVER = ["completed", "failed", "cancelled"];

class Jobs {
    acknowledged = new Map(); /* id -> tool */
    ended = new Map(); /* id -> its end */

    constructor() {
        this.folder = mkdtempSync(join(tmpdir(), "haft-crash-"));
    }

    async start(kill, more = {}) {
        const env = { TASK_FILE: join(this.folder, "tasks.db"), TASK_LEDGER: this.folder, TASK_KILL: kill ?? "", ...more };

        const server = new Server(driver, ["--http", "127.0.0.1:0"], { env });

        this.server = server;
        this.dead = false;
        server.ended.then(() => {
            if (this.server === server) this.dead = true;
        });
        while (!this.dead && !/listening on \S+/.test(this.server.log())) await sleep(5);
        this.url = /listening on (\S+)/.exec(this.server.log())?.[1];
        return this;
    }

    /* The result of a request; undefined if the server died over it. */
    async ask(method, params) {
        const headers = modernHeaders(method, params, method.startsWith("tasks/") ? { "mcp-name": params.taskId } : {});
        const { status, text } = await post(this.url, modernMessage(method, params, { capabilities }), headers);

        if (status === 0) {
            await this.server.ended;
            this.dead = true;
            return undefined;
        }
        const { result, error } = JSON.parse(text);

        assert.ok(result, `${method}: ${JSON.stringify(error)}`);
        return result;
    }

    async create(tool, args) {
        const task = await this.ask("tools/call", { name: tool, arguments: args });

        if (task) {
            assert.equal(task.resultType, "task", JSON.stringify(task));
            this.acknowledged.set(task.taskId, tool);
        }
        return task;
    }

    /* Looks at each task that has not ended, and answers its questions. */
    async round() {
        for (const id of this.acknowledged.keys()) {
            if (this.ended.has(id)) continue;
            const task = await this.ask("tasks/get", { taskId: id });

            if (!task) return false;
            if (OVER.includes(task.status)) this.ended.set(id, task);
            if (task.status !== "input_required") continue;
            const inputResponses = Object.fromEntries(Object.keys(task.inputRequests).map((key) => [key, { action: "accept", content: { go: true } }]));

            if (!(await this.ask("tasks/update", { taskId: id, inputResponses }))) return false;
        }
        return true;
    }

    /* Until each task waits for input. */
    async waiting() {
        for (const taskId of this.acknowledged.keys())
            for (const end = Date.now() + 60000; ; await sleep(10)) {
                const { status } = await this.ask("tasks/get", { taskId });

                if (status === "input_required") break;
                assert.ok(Date.now() < end, `${taskId} is ${status}`);
            }
    }

    async finish() {
        const end = Date.now() + 60000;

        while (this.ended.size < this.acknowledged.size) {
            assert.ok(await this.round(), `the server died: ${this.server.log()}`);
            assert.ok(Date.now() < end, `${this.acknowledged.size - this.ended.size} tasks have not ended`);
            await sleep(20);
        }
    }

    /* What must be true of every task that was acknowledged. */
    async check() {
        const lines = readFileSync(join(this.folder, "ledger"), "utf8").split("\n").filter(Boolean).map((line) => line.split(" "));

        assert.deepEqual(lines.filter(([what]) => what === "twice"), [], "no task runs twice at the same time");
        for (const [id, tool] of this.acknowledged) {
            const task = this.ended.get(id), again = await this.ask("tasks/get", { taskId: id });

            assert.deepEqual(again, task, "an end is an end");
            if (task.status === "completed") {
                assert.match(task.result.content[0].text, /^done from step \d+$/);
                assert.ok(lines.some(([what, of]) => what === "end" && of === id), "it has run to its end");
            } else {
                assert.equal(tool, "fail", `${tool}: ${JSON.stringify(task)}`);
                assert.equal(task.status, "failed");
                assert.equal(task.error.code, -32603);
                assert.match(task.error.message, /restarted/);
            }
        }
    }

    async stop() {
        if (!this.dead) assert.equal(await this.server.stop(), 0, this.server.log());
        rmSync(this.folder, { recursive: true });
    }
}

/* Creates six tasks and follows them, until they have ended or the server has died. */
async function live(jobs) {
    for (const ask of [false, true])
        for (const tool of TOOLS) if (!jobs.dead) await jobs.create(tool, { steps: 2, ms: 2, ask });
    while (!jobs.dead && jobs.ended.size < jobs.acknowledged.size) {
        if (!(await jobs.round())) return;
        await sleep(5);
    }
}

/* A life with a kill in it, and one after it.  Returns whether the step was reached, and the number of tasks. */
async function lives(kill) {
    const jobs = await new Jobs().start(kill);

    if (jobs.url) await live(jobs);
    const reached = jobs.dead;

    /* Looking at the tasks takes requests too, which must not reach the step. */
    if (!reached) await jobs.server.stop("SIGKILL");
    await jobs.start();
    await jobs.create("restart", { steps: 1, ms: 1, ask: false });
    await jobs.finish();
    await jobs.check();
    await jobs.stop();
    return { reached, tasks: jobs.acknowledged.size };
}

for (const when of ["before", "after"])
    test(`killed ${when} each request to the store`, async () => {
        let steps = 0, tasks = 0, over = false, next = 1;
        const worker = async () => {
            while (!over) {
                const n = next;

                next += long ? 1 : n < 12 ? 1 : 9;
                const life = await lives(`${when} ${n}`);

                tasks += life.tasks;
                if (life.reached) steps++;
                else over = true;
            }
        };

        await Promise.all([worker(), worker(), worker()]);
        assert.ok(steps >= (long ? 60 : 15), `${steps} steps`);
        console.log(`# killed ${when} a request: ${steps} steps, ${tasks} tasks`);
    });

/* Kills from outside, when a task is in a state. */
for (const [name, args, at, states = ["completed", "failed"]] of [
    ["while handlers work", { steps: 50, ms: 20, ask: false }, (jobs) => jobs.round()],
    ["while they wait for input", { steps: 1, ms: 1, ask: true }, (jobs) => jobs.waiting(), ["completed"]],
    ["right after the answers", { steps: 1, ms: 1, ask: true }, async (jobs) => {
        await jobs.waiting();
        await jobs.round();
    }],
])
    test(`killed ${name}`, async () => {
        const jobs = await new Jobs().start();

        for (let i = 0; i < (long ? 100 : 10); i++) await jobs.create(TOOLS[i % 3], args);
        await at(jobs);
        await jobs.server.stop("SIGKILL");
        await jobs.start();
        await jobs.finish();
        await jobs.check();
        /* A tool without a policy fails if its handler was running; one that waits for input has none. */
        const seen = [...new Set([...jobs.ended.values()].map(({ status }) => status))].sort();

        /* Those that have been answered may all have ended before the kill. */
        if (name === "right after the answers") assert.deepEqual(seen.filter((status) => !states.includes(status)), []);
        else assert.deepEqual(seen, states);
        await jobs.stop();
    });

/* A tool that fails after a crash runs once, and goes on once after an answer: the store knows that before the handler
 * begins, however soon the process dies. */
for (const ask of [false, true])
    test(`killed when a handler has just ${ask ? "continued" : "begun"}: it does not run again`, async () => {
        for (let i = 0; i < (long ? 50 : 3); i++) {
            const jobs = await new Jobs().start(`begin ${ask ? 2 : 1}`);
            const task = await jobs.create("fail", { steps: 0, ms: 0, ask });

            while (!jobs.dead && (await jobs.round())) await sleep(5);
            await jobs.start();
            if (task) await jobs.finish();
            await jobs.check();
            const begun = readFileSync(join(jobs.folder, "ledger"), "utf8").match(/^begin/gm);

            assert.equal(begun.length, ask ? 2 : 1, "number of runs");
            for (const { status } of jobs.ended.values()) assert.equal(status, "failed");
            await jobs.stop();
        }
    });

test("a task that ends while its server shuts down keeps its result", async () => {
    const jobs = await new Jobs().start();

    await jobs.create("fail", { steps: 20, ms: 20, ask: false });
    while (!existsSync(join(jobs.folder, "ledger"))) await sleep(5); /* its handler has begun */
    assert.equal(await jobs.server.stop(), 0, jobs.server.log());
    await jobs.start();
    await jobs.finish();
    await jobs.check();
    assert.deepEqual([...jobs.ended.values()].map(({ status }) => status), ["completed"]);
    await jobs.stop();
});

test("two processes on one file: each task runs once at a time, and the one that remains ends them all", async () => {
    const lease = { TASK_LEASE: "3000" }; /* which a process on a busy machine renews in time */
    const jobs = await new Jobs().start("", lease), first = jobs.server;

    for (let i = 0; i < 20; i++) await jobs.create("restart", { steps: 5, ms: 20, ask: false });
    await jobs.start("", lease); /* on the same file */
    for (let i = 0; i < 20; i++) await jobs.create("resume", { steps: 5, ms: 20, ask: false });
    await sleep(3500); /* longer than that */
    await jobs.round();
    await first.stop("SIGKILL");
    await jobs.finish();
    await jobs.check();
    await jobs.stop();
});

const BACK = { TASK_CLOCK: "-7200", TASK_TTL: "5000" };

test("after the clock was set back, tasks end, and are deleted when their time is over", async () => {
    const jobs = await new Jobs().start("", { TASK_TTL: "5000" });

    for (let i = 0; i < 6; i++) await jobs.create(TOOLS[i % 3], { steps: 10, ms: 20, ask: false });
    await jobs.server.stop("SIGKILL");
    await jobs.start("", BACK);
    const created = await jobs.create("restart", { steps: 1, ms: 1, ask: false });

    assert.ok(Date.parse(created.createdAt) < Date.now() - 7000000, "the clock was set back");
    await jobs.finish();
    await jobs.check();
    for (const taskId of jobs.acknowledged.keys())
        for (const end = Date.now() + 30000; ; await sleep(50)) {
            const headers = modernHeaders("tasks/get", { taskId }, { "mcp-name": taskId });
            const { text } = await post(jobs.url, modernMessage("tasks/get", { taskId }, { capabilities }), headers);
            const { error } = JSON.parse(text);

            if (error) {
                assert.equal(error.code, -32602, text);
                break;
            }
            assert.ok(Date.now() < end, `the task is not deleted: ${text}`);
        }
    await jobs.stop();
});

/* A process that is held up for a while does not lose its tasks to the other one. */
const PATIENT = { TASK_LEASE: "15000" };

/* All tasks of two processes are completed, each by the one that created it. */
async function assertSeparate(jobs, first) {
    await jobs.finish();
    await jobs.check();
    assert.deepEqual([...new Set([...jobs.ended.values()].map(({ status }) => status))], ["completed"]);
    for (const server of [first, jobs.server]) assert.doesNotMatch(server.log(), /took over|taken over/);
    assert.equal(await first.stop(), 0, first.log());
    await jobs.stop();
}

test("a process whose clock is behind leaves the tasks of others alone", async () => {
    const jobs = await new Jobs().start("", PATIENT), first = jobs.server;

    for (let i = 0; i < 4; i++) await jobs.create("restart", { steps: 100, ms: 20, ask: false });
    await jobs.start("", { TASK_CLOCK: "-7200", ...PATIENT });
    for (let i = 0; i < 4; i++) await jobs.create("fail", { steps: 100, ms: 20, ask: false });
    await assertSeparate(jobs, first);
});

/* A process that starts after the clock was set forward shares the file with one that started before. */
test("a process whose clock is hours ahead leaves the tasks of others alone, and they do not expire", async () => {
    const jobs = await new Jobs().start("", PATIENT), first = jobs.server;

    for (const tool of TOOLS) await jobs.create(tool, { steps: 150, ms: 20, ask: false });
    await jobs.start("", { TASK_CLOCK: "21600", ...PATIENT });
    for (const tool of TOOLS) {
        const created = await jobs.create(tool, { steps: 100, ms: 20, ask: false });

        assert.ok(Date.parse(created.createdAt) > Date.now() + 21000000, "the clock was set forward");
    }
    await assertSeparate(jobs, first);
});

test("after the clock was set forward, the next process continues the tasks", async () => {
    const jobs = await new Jobs().start();

    for (let i = 0; i < 6; i++) await jobs.create(TOOLS[i % 3], { steps: 100, ms: 20, ask: false });
    await jobs.server.stop("SIGKILL");
    await jobs.start("", { TASK_CLOCK: "600" }); /* ten minutes of an hour */
    await jobs.finish();
    await jobs.check();
    await jobs.stop();
});
