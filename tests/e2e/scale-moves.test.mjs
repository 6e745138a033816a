/* scale-moves.test.mjs - what moves from one replica to another: changes, sessions, streams, questions and tasks; with two
 * versions of the program, and two keys. */

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { call, counted, post, withCluster } from "./cluster.mjs";
import { begin, eventually, modernHeaders, modernMessage, Session, sleep } from "./http-client.mjs";
import { example, until } from "./server.mjs";

const folder = mkdtempSync(join(tmpdir(), "haft-moves-"));
after(() => rmSync(folder, { recursive: true }));
const OLD = "5e".repeat(32), NEW = "a7".repeat(32);
const sealFile = (number) => join(folder, `seal-${number}`);
const setSeals = (number, ...keys) => writeFileSync(sealFile(number), `${keys.join("\n")}\n`, { mode: 0o600 });
const SEALED = (number) => {
    setSeals(number, OLD);
    return ["--seal-key-file", sealFile(number), "--log-level", "notice"];
};

/* ---- changes, sessions, streams ---- */

const listen = async (replica, notifications) => {
    const { answer } = await begin(replica.url, "subscriptions/listen", { notifications }, { id: "listen" });

    assert.equal(answer.status, 200);
    assert.equal((await answer.message())?.method, "notifications/subscriptions/acknowledged");
    return answer;
};

test("a change at one replica reaches the streams of the others, and after a gap everything has changed", () =>
    withCluster({}, async ({ redis, replicas: [a, b] }) => {
        const stream = await listen(a, { toolsListChanged: true, promptsListChanged: true });

        assert.equal(counted(await call(b.url, "test_trigger_prompt_change")), "passed");
        assert.equal((await stream.message())?.method, "notifications/prompts/list_changed");
        await redis.kill();
        await redis.restart();
        const heard = new Set();

        while (heard.size < 2) heard.add((await stream.message(15000))?.method);
        assert.deepEqual([...heard].sort(), ["notifications/prompts/list_changed", "notifications/tools/list_changed"]);
        assert.equal(counted(await call(b.url, "test_trigger_tool_change")), "passed");
        /* That everything has changed may be told more than once. */
        for (heard.clear(); !heard.has("notifications/tools/list_changed");) heard.add((await stream.message())?.method);
    }));

test("a session goes on at another replica when its own is gone", () =>
    withCluster({}, async ({ url, replicas }) => {
        const session = await Session.open(url);
        const own = replicas[Number.parseInt(session.id.slice(0, 4), 16)];

        assert.equal((await session.call("test_simple_text")).status, 200);
        await own.kill();
        assert.equal((await session.call("test_simple_text")).status, 200);
        await own.start();
        assert.equal((await session.call("test_simple_text")).status, 200);
    }));

test("a broken stream is continued at another replica, or the session is gone: nothing is left out", () =>
    withCluster({}, async ({ url, replicas }) => {
        const session = await Session.open(url);
        const own = replicas[Number.parseInt(session.id.slice(0, 4), 16)];
        const { answer } = await session.begin("test_reconnection");
        const first = await answer.event();
        const resumed = await session.get(first.id);

        assert.ok(first.id, "an event to continue from");
        assert.match(JSON.stringify(await resumed.message()), /after the connection was closed/);
        await own.kill();
        const again = await session.get(first.id);

        if (again.status === 404) return;
        assert.equal(again.status, 200);
        assert.match(JSON.stringify(await again.message()), /after the connection was closed/);
    }));

/* ---- questions ---- */

const ASKS = { capabilities: { elicitation: { form: {} } } };
const MULTI = "test_input_required_result_multi_round";
const begun = async (replica) => JSON.parse((await call(replica.url, MULTI, {}, ASKS)).text).result;
const answered = async (replica, { requestState }, inputResponses) =>
    JSON.parse((await call(replica.url, MULTI, {}, { ...ASKS, params: { requestState, inputResponses } })).text);
const NAME = { step1: { action: "accept", content: { name: "Ada" } } };
const COLOUR = { step2: { action: "accept", content: { color: "blue" } } };

test("a question of one replica is answered at another", () =>
    withCluster({ args: SEALED }, async ({ replicas: [a, b, c] }) => {
        const first = await begun(a), second = (await answered(b, first, NAME)).result, third = (await answered(c, second, COLOUR)).result;

        assert.deepEqual([first.resultType, second.resultType, third.resultType], ["input_required", "input_required", "complete"]);
        assert.match(JSON.stringify(third.content), /Ada likes blue/);
    }));

test("the seal key is changed at one replica before the other", () =>
    withCluster({ size: 2, nginx: false, args: SEALED }, async ({ replicas }) => {
        const [a, b] = replicas;
        let reads = 0;
        const change = async (replica, ...keys) => {
            const times = () => replica.log().match(/read the seal keys again/g)?.length ?? 0, before = times();

            setSeals(replica.number, ...keys);
            replica.signal("SIGHUP");
            await until(() => times() > before, `the keys: ${replica.log()}`);
            reads++;
        };
        /* From either one to the other. */
        const assertBoth = async () => {
            for (const [from, to] of [[a, b], [b, a]]) assert.equal((await answered(to, await begun(from), NAME)).result?.resultType, "input_required");
        };

        for (const keys of [[OLD, NEW], [NEW, OLD], [NEW]])
            for (const replica of [a, b]) {
                await change(replica, ...keys);
                if (keys.length > 1) await assertBoth();
            }
        await assertBoth();
        assert.equal(reads, 6);
        const stale = await begun(a);

        await change(b, OLD);
        assert.match(JSON.stringify((await answered(b, stale, NAME)).error), /requestState/, "a key that the other does not have");
    }));

/* ---- tasks ---- */

const capabilities = { elicitation: { form: {} }, extensions: { "io.modelcontextprotocol/tasks": {} } };
const ask = async (replica, method, params) => {
    const start = Date.now();
    const headers = modernHeaders(method, params, method.startsWith("tasks/") ? { "mcp-name": params.taskId } : {});
    const { text } = await post(replica.url, modernMessage(method, params, { capabilities }), headers);

    assert.ok(Date.now() - start < 10000, `${method}: an answer in time`);
    return JSON.parse(text);
};
const create = async (replica, name, args) => {
    const { result, error } = await ask(replica, "tools/call", { name, arguments: args });

    assert.equal(result?.resultType, "task", JSON.stringify(result ?? error));
    return result.taskId;
};
const get = async (replica, taskId) => (await ask(replica, "tasks/get", { taskId })).result;
const untilStatus = async (replica, id, ...wanted) => {
    const task = await eventually(() => get(replica, id), (task) => wanted.includes(task?.status), 15000);

    assert.ok(wanted.includes(task?.status), JSON.stringify(task));
    return task;
};

test("a task of one replica is read, answered and cancelled at another", () =>
    withCluster({ size: 2, nginx: false }, async ({ replicas: [a, b] }) => {
        const done = await create(a, "slow_compute", { seconds: 0.2, label: "moved" });
        const asks = await create(a, "confirm_delete", { filename: "notes" });
        const endless = await create(a, "slow_compute", { seconds: 60 });

        assert.match(JSON.stringify((await untilStatus(b, done, "completed")).result), /moved after 0.2 s/);
        await untilStatus(b, asks, "input_required");
        assert.ok((await ask(b, "tasks/update", { taskId: asks, inputResponses: { confirm: { action: "accept", content: { confirm: true } } } })).result);
        assert.match(JSON.stringify((await untilStatus(b, asks, "completed")).result), /notes: deleted/);
        assert.ok((await ask(b, "tasks/cancel", { taskId: endless })).result);
        await untilStatus(b, endless, "cancelled");
        await untilStatus(a, endless, "cancelled");
        assert.equal((await ask(b, "tasks/get", { taskId: "0".repeat(40) })).error.code, -32602, "an unknown one");
    }));

/* Two replicas of a server of jobs; each run of a handler is a line of the ledger. */
const withJobs = (name, use, more = {}) => {
    const ledger = mkdtempSync(join(folder, `${name}-`));
    const lines = () => {
        try {
            return readFileSync(join(ledger, "ledger"), "utf8").split("\n").filter(Boolean).map((line) => line.split(" "));
        } catch {
            return [];
        }
    };
    const env = (number, redis) => ({ TASK_REDIS: redis.url, TASK_LEDGER: ledger, ...more });

    return withCluster({ size: 2, nginx: false, program: join(example("."), "..", "tests", "task-driver"), env }, (cluster) => use({ ...cluster, lines }));
};

test("the tasks of a killed replica go on at another, as their tools say", () =>
    withJobs("killed", async ({ replicas: [a, b], lines }) => {
        const ids = { waits: await create(a, "fail", { steps: 0, ms: 0, ask: true }) };
        const count = (wanted, id) => lines().filter(([what, of]) => what === wanted && of === id).length;
        const step = async (id) => Number(/^step (\d+)/.exec((await get(b, id)).statusMessage)?.[1] ?? 0);

        await untilStatus(b, ids.waits, "input_required");
        for (const tool of ["fail", "restart", "resume"]) ids[tool] = await create(a, tool, { steps: 100, ms: 30, ask: false });
        for (const id of Object.values(ids)) await until(() => count("begin", id) === 1, "the handlers");
        await eventually(() => step(ids.resume), (n) => n > 2);
        await a.kill();
        assert.match((await untilStatus(b, ids.fail, "failed")).error.message, /restarted/);
        assert.equal((await untilStatus(b, ids.restart, "completed")).result.content[0].text, "done from step 0");
        assert.match((await untilStatus(b, ids.resume, "completed")).result.content[0].text, /^done from step [1-9]/);
        assert.ok((await ask(b, "tasks/update", { taskId: ids.waits, inputResponses: { go: { action: "accept", content: { go: true } } } })).result);
        assert.equal((await untilStatus(b, ids.waits, "completed")).result.content[0].text, "done from step 0");
        assert.deepEqual(lines().filter(([what]) => what === "twice"), []);
        assert.deepEqual([ids.fail, ids.restart, ids.resume].map((id) => [count("begin", id), count("end", id)]), [[1, 0], [2, 1], [2, 1]]);
    }, { TASK_LEASE: "2000" })); /* which a busy machine does not miss */

test("without Redis a task is refused before any work, and its state is not known", () =>
    withJobs("away", async ({ redis, replicas: [a, b], lines }) => {
        const id = await create(a, "restart", { steps: 0, ms: 0, ask: true });

        await untilStatus(b, id, "input_required");
        const before = lines().length;

        await redis.kill();
        const [made, got] = await Promise.all([ask(b, "tools/call", { name: "restart", arguments: { steps: 1, ms: 1, ask: false } }), ask(b, "tasks/get", { taskId: id })]);

        assert.equal(got.error?.code, -32603, JSON.stringify(got));
        assert.ok(made.error?.code === -32603 || made.result?.isError, JSON.stringify(made));
        assert.equal(lines().length, before, "no handler has run");
        assert.match(JSON.stringify(await ask(b, "tools/call", { name: "echo", arguments: {} })), /here/, "other tools work");
    }));

/* ---- two versions at once ---- */

/* Makes an entry look as if a later version had written it. */
async function makeLater(redis, key, member) {
    const text = await redis.command("GET", key), later = text.replace(`"${member}":1,`, `"${member}":2,`);

    assert.notEqual(text, later, text);
    await redis.command("SET", key, later, "KEEPTTL");
    return later;
}

test("entries of a later version are left alone", () =>
    withJobs("versions", async ({ redis, replicas: [a, b], lines }) => {
        const session = await Session.open(a.url), id = await create(a, "restart", { steps: 0, ms: 0, ask: true });

        await untilStatus(b, id, "input_required");
        await a.kill();
        const entries = [`haft:{session:${session.id}}:record`, `haft:{task:${id}}:task`];
        const texts = [await makeLater(redis, entries[0], "format"), await makeLater(redis, entries[1], "version")];
        const before = lines().length;
        const headers = { "Mcp-Session-Id": session.id, "MCP-Protocol-Version": "2025-11-25" };

        await sleep(1500); /* the lease of the task ends meanwhile */
        assert.equal((await post(b.url, { jsonrpc: "2.0", id: 1, method: "ping" }, headers)).status, 404);
        assert.ok((await ask(b, "tasks/get", { taskId: id })).error);
        assert.ok((await ask(b, "tasks/cancel", { taskId: id })).error);
        assert.deepEqual(await Promise.all(entries.map((entry) => redis.command("GET", entry))), texts);
        assert.equal(lines().length, before, "nobody has run it");
        assert.equal((await post(b.url, { jsonrpc: "2.0", id: 2, method: "ping" }, headers)).status, 404);
    }));
