/* scale.test.mjs - three replicas behind nginx with a real Redis: limits that hold for all of them together, also while
 * replicas are killed; what happens while Redis is away, and afterwards; streams, sessions and questions that move from
 * one replica to another.
 *
 * HAFT_SCALE=long (./dev scale) takes the full numbers: a limit of 1,000 calls in 10 seconds, and 10,000 calls. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { call, counted, haft, withCluster } from "./cluster.mjs";
import { begin, eventually, send, Session, sleep } from "./http-client.mjs";

const long = process.env.HAFT_SCALE === "long";
const [LIMIT, WINDOW, CALLS] = long ? [1000, 10, 10000] : [300, 3, 3000];
const folder = mkdtempSync(join(tmpdir(), "haft-scale-"));
after(() => rmSync(folder, { recursive: true }));

const keyFile = join(folder, "keys");
const newKey = (name) => ({ "X-API-Key": execFileSync(haft, ["keys", "add", name, "--file", keyFile], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim() });
const KEY = newKey("ada");
const OTHER = newKey("bob"); /* of whom no replica knows anything yet */
const sealFile = join(folder, "seal");
writeFileSync(sealFile, `${"5e".repeat(32)}\n`, { mode: 0o600 });
const ARGS = ["--client-rate", `${LIMIT}/${WINDOW}s`, "--keys", keyFile, "--seal-key-file", sealFile];
const WINDOW_KEY = "haft:{rate:pada}:";

/* The times in microseconds, by Redis' clock, of the calls that it has allowed. */
class Grants {
    times = new Set();

    async sample(redis) {
        const list = await redis.command("LRANGE", WINDOW_KEY, 1, -1).catch(() => []);

        for (const time of list) this.times.add(Number(time));
    }

    get sorted() {
        return [...this.times].sort((a, b) => a - b);
    }

    /* In no window are there more than the limit. */
    assertNeverMore() {
        const times = this.sorted;

        for (let i = 0; i + LIMIT < times.length; i++)
            assert.ok(times[i + LIMIT] - times[i] >= WINDOW * 1e6, `${LIMIT + 1} calls in ${times[i + LIMIT] - times[i]} us`);
    }
}

/* Calls from 64 connections until `done`, sampling what Redis has counted. */
async function press(cluster, grants, done) {
    const counts = { passed: 0, refused: 0, lost: 0, odd: [] };
    let over = false;
    const sampler = (async () => {
        while (!over) {
            await grants.sample(cluster.redis);
            await sleep(200);
        }
    })();
    const worker = async () => {
        while (!done(counts)) {
            const kind = counted(await call(cluster.url, "test_simple_text", {}, { headers: KEY }));

            if (kind in counts) counts[kind]++;
            else counts.odd.push(kind);
        }
    };

    await Promise.all(Array.from({ length: 64 }, worker));
    over = true;
    await sampler;
    await grants.sample(cluster.redis);
    return counts;
}

const total = ({ passed, refused, lost }) => passed + refused + lost;

test("a limit is exact for all replicas together, by Redis' clock", () =>
    withCluster({ args: ARGS }, async (cluster) => {
        const grants = new Grants(), end = Date.now() + 2.2 * WINDOW * 1000;
        const counts = await press(cluster, grants, (counts) => total(counts) >= CALLS && Date.now() > end);
        const times = grants.sorted;

        assert.deepEqual(counts.odd, []);
        assert.equal(counts.lost, 0);
        assert.equal(counts.passed, times.length, "what passed is what Redis allowed");
        grants.assertNeverMore();
        for (const first of [0, LIMIT])
            assert.equal(times.filter((time) => time >= times[first] && time < times[first] + WINDOW * 1e6).length, LIMIT, `the window of call ${first}`);
        if (long) console.log(`# ${JSON.stringify(counts)}, ${await cluster.redis.command("INFO", "commandstats")}`);
    }));

test("it holds while a replica is killed and started again every second", () =>
    withCluster({ args: ARGS }, async (cluster) => {
        const grants = new Grants(), end = Date.now() + (long ? 30 : 6) * 1000;
        let kills = 0, over = false;
        const killer = (async () => {
            while (!over) {
                const replica = cluster.replicas[kills++ % 3];

                await replica.kill();
                await replica.start();
                await sleep(1000);
            }
        })();
        const counts = await press(cluster, grants, () => Date.now() > end);

        over = true;
        await killer;
        assert.ok(kills >= 3, `${kills} kills`);
        assert.deepEqual(counts.odd, []);
        grants.assertNeverMore();
        /* A call that Redis allowed was answered, or its replica was killed before. */
        assert.ok(grants.times.size >= counts.passed, `${grants.times.size} allowed, ${counts.passed} passed`);
        assert.ok(grants.times.size <= counts.passed + counts.lost, `${grants.times.size} allowed, ${JSON.stringify(counts)}`);
        if (long) console.log(`# ${kills} kills, ${grants.times.size} allowed, ${JSON.stringify(counts)}`);
    }));

/* ---- while Redis is away ---- */

const ready = async (replica) => {
    const answer = await send(new URL("/readyz", replica.url), { method: "GET" });

    return { status: answer.status, text: await answer.text() };
};
const isDegraded = ({ text }) => /degraded/.test(text);

/* One call to each replica; each must be answered in time, once. */
async function each(cluster, headers = KEY) {
    const kinds = [];

    for (const replica of cluster.replicas) {
        const start = Date.now();

        kinds.push(counted(await call(replica.url, "test_simple_text", {}, { headers })));
        assert.ok(Date.now() - start < 5000, "an answer in time");
    }
    return kinds;
}

const ALL = ["passed", "passed", "passed"];
const FULL = ["refused", "refused", "refused"];
/* Uses up the limit; `refused`: and lets every replica know, which then need not ask Redis again. */
const fill = async (cluster, refused) => {
    for (let i = 0; i < 3; i++) assert.equal(counted(await call(cluster.url, "test_simple_text", {}, { headers: KEY })), "passed");
    if (refused) assert.deepEqual(await each(cluster), FULL);
};
const SMALL = ["--client-rate", "3/1h", "--keys", keyFile];

for (const [name, { args = [], away, back, then, quiet = false }] of Object.entries({
    "killed, and restarted empty": { away: (redis) => redis.kill(), back: (redis) => redis.restart(), then: ALL },
    "killed, and restarted from its append-only file": {
        args: ["--appendonly", "yes", "--appendfsync", "always"],
        away: (redis) => redis.kill(),
        back: (redis) => redis.restart(),
        then: FULL,
    },
    "stopped for three seconds": {
        away: (redis) => redis.pause(true),
        back: async (redis) => {
            await sleep(3000);
            redis.pause(false);
        },
        then: FULL,
    },
    "out of memory": {
        away: (redis) => redis.command("CONFIG", "SET", "maxmemory", "1"),
        back: (redis) => redis.command("CONFIG", "SET", "maxmemory", "0"),
        then: FULL,
    },
    flushed: { quiet: true, away: (redis) => redis.command("FLUSHALL"), then: ALL },
    "without its scripts": { quiet: true, away: (redis) => redis.command("SCRIPT", "FLUSH"), then: FULL },
    "closing its connections": { quiet: true, away: (redis) => redis.command("CLIENT", "KILL", "TYPE", "normal"), then: FULL },
}))
    test(`Redis ${name}`, () =>
        withCluster({ args: SMALL, redis: { args } }, async (cluster) => {
            const { redis, replicas } = cluster;

            await fill(cluster, then === FULL);
            await away(redis);
            if (!quiet) {
                /* Each replica counts alone, with its part of the limit, and says so. */
                assert.deepEqual(await each(cluster, OTHER), ALL);
                assert.deepEqual(await each(cluster, OTHER), FULL);
                for (const replica of replicas) {
                    const probe = await eventually(() => ready(replica), isDegraded);

                    assert.equal(probe.status, 200);
                    assert.match(probe.text, /degraded/);
                }
                await back(redis);
                for (const replica of replicas) {
                    await eventually(() => ready(replica), (probe) => !isDegraded(probe), 15000);
                    assert.doesNotMatch((await ready(replica)).text, /degraded/, replica.log());
                }
            }
            const kinds = await eventually(() => each(cluster), (kinds) => kinds.join() === then.join(), then === ALL ? 1 : 10000);

            assert.deepEqual(kinds, then);
        }));

/* ---- what moves from one replica to another ---- */

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
        const heard = [(await stream.message(15000))?.method, (await stream.message(15000))?.method];

        assert.deepEqual(heard.sort(), ["notifications/prompts/list_changed", "notifications/tools/list_changed"]);
        assert.equal(counted(await call(b.url, "test_trigger_tool_change")), "passed");
        assert.equal((await stream.message())?.method, "notifications/tools/list_changed");
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

test("a question of one replica is answered at another", () =>
    withCluster({ args: ["--seal-key-file", sealFile] }, async ({ replicas: [a, b, c] }) => {
        const how = { capabilities: { elicitation: { form: {} } } };
        const tool = "test_input_required_result_multi_round";
        const first = JSON.parse((await call(a.url, tool, {}, how)).text).result;
        const second = JSON.parse((await call(b.url, tool, {}, { ...how, params: { requestState: first.requestState, inputResponses: { step1: { action: "accept", content: { name: "Ada" } } } } })).text).result;
        const third = JSON.parse((await call(c.url, tool, {}, { ...how, params: { requestState: second.requestState, inputResponses: { step2: { action: "accept", content: { color: "blue" } } } } })).text).result;

        assert.deepEqual([first.resultType, second.resultType, third.resultType], ["input_required", "input_required", "complete"]);
        assert.match(JSON.stringify(third.content), /Ada likes blue/);
    }));
