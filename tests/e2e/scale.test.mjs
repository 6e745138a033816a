/* scale.test.mjs - three replicas behind nginx with a real Redis: limits that hold for all of them together, also while
 * replicas are killed; what happens while Redis is away, and afterwards.
 *
 * HAFT_SCALE=long (./dev scale) takes the full numbers: a limit of 1,000 calls in 10 seconds, and 10,000 calls. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { call, counted, haft, withCluster, withSentinel } from "./cluster.mjs";
import { eventually, send, sleep } from "./http-client.mjs";

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

/* The times in microseconds, by Redis' clock, of the calls that it has allowed.  Samples overlap: a call that several of them
 * have is one call, and calls with the same time in one of them are several. */
class Grants {
    #counts = new Map(); /* how many calls have a time */

    async sample(redis) {
        const list = (await redis.command("LRANGE", WINDOW_KEY, 1, -1).catch(() => [])).map(Number);
        const counts = new Map();

        for (const time of list) counts.set(time, (counts.get(time) ?? 0) + 1);
        for (const [time, count] of counts) this.#counts.set(time, Math.max(count, this.#counts.get(time) ?? 0));
    }

    get sorted() {
        return [...this.#counts].flatMap(([time, count]) => Array(count).fill(time)).sort((a, b) => a - b);
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
        if (long) console.log(`# ${JSON.stringify(counts)}`);
    }));

/* ---- while replicas are killed ---- */

/* Calls of one client, each of a tool that has no other call under way.  Redis counts a call in the windows of its client
 * and of its tool, or in neither, so its record of a tool is that of its calls.  A tool with a call that was lost is not
 * called again: whether Redis allowed that call is then whether it allowed one more than were answered. */
class Calls {
    tools = [];
    odd = [];
    refused = 0;

    async work(url, done) {
        while (!done()) {
            const tool = { name: `answer_${this.tools.length}`, passed: 0, lost: 0 };

            this.tools.push(tool);
            while (!tool.lost && !done()) {
                const kind = counted(await call(url, tool.name, {}, { headers: KEY }));

                if (kind === "refused") this.refused++;
                else if (kind in tool) tool[kind]++;
                else this.odd.push(kind);
            }
            await sleep(50); /* nginx may find no replica for a moment, and there are 4,096 tools */
        }
    }

    /* Asks Redis how many calls of each of these tools it has allowed. */
    async ask(redis, tools = this.tools) {
        for (const tool of tools) tool.allowed = Math.max(0, (await redis.command("LLEN", WINDOW_KEY + tool.name)) - 1);
    }

    /* The number of calls that were lost although Redis had allowed them. */
    async lostAllowed(redis) {
        const lost = this.tools.filter((tool) => tool.lost);

        await this.ask(redis, lost);
        return lost.filter((tool) => tool.allowed > tool.passed).length;
    }

    sum(count) {
        return this.tools.reduce((sum, tool) => sum + count(tool), 0);
    }
}

test("it holds while a replica is killed and started again every second", () =>
    withCluster({ args: ARGS, name: "../tests/limit-driver" }, async (cluster) => {
        const grants = new Grants(), calls = new Calls(), least = Date.now() + (long ? 30 : 6) * 1000, last = Date.now() + 60000;
        let kills = 0, enough = false, over = false;
        const meanwhile = async (what) => {
            while (!over) await what();
        };
        const others = [
            meanwhile(async () => {
                const replica = cluster.replicas[kills % 3];

                /* The first one while calls are allowed; later ones may come while all are refused. */
                if (!kills++) await eventually(() => cluster.redis.command("LLEN", WINDOW_KEY), (size) => size > 10);
                await replica.kill();
                await replica.start();
                await sleep(1000);
            }),
            meanwhile(async () => {
                await grants.sample(cluster.redis);
                await sleep(200);
            }),
            /* A busy machine takes longer to kill three, one of them with such a call. */
            meanwhile(async () => {
                await sleep(200);
                enough = Date.now() > least && kills >= 3 && (await calls.lostAllowed(cluster.redis)) > 0;
            }),
        ];

        await Promise.all(Array.from({ length: 64 }, () => calls.work(cluster.url, () => enough || Date.now() > last)));
        over = true;
        await Promise.all(others);
        await grants.sample(cluster.redis);
        await calls.ask(cluster.redis);
        const [passed, lost] = [calls.sum((tool) => tool.passed), calls.sum((tool) => tool.lost)];
        const lostAllowed = await calls.lostAllowed(cluster.redis);
        const allowed = grants.sorted.length;

        assert.ok(kills >= 3, `${kills} kills`);
        assert.deepEqual(calls.odd, []);
        grants.assertNeverMore();
        assert.ok(allowed >= LIMIT, `${allowed} allowed`);
        assert.ok(lostAllowed > 0, "a kill met calls that were allowed");
        for (const tool of calls.tools) {
            if (!tool.lost) assert.equal(tool.allowed, tool.passed, `${tool.name}: what Redis allowed was answered`);
            else assert.ok([0, 1].includes(tool.allowed - tool.passed), `${tool.name}: ${JSON.stringify(tool)}`);
        }
        assert.equal(allowed, calls.sum((tool) => tool.allowed), "the windows of the client and of the tools agree");
        assert.equal(allowed, passed + lostAllowed, "what was allowed was answered, or lost with a replica");
        console.log(`# ${kills} kills; ${allowed} allowed = ${passed} answered + ${lostAllowed} lost; ${lost - lostAllowed} lost before Redis counted them, ${calls.refused} refused`);
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

/* Each replica counts alone, with its part of the limit, and says so. */
async function assertAlone(cluster) {
    assert.deepEqual(await each(cluster, OTHER), ALL);
    assert.deepEqual(await each(cluster, OTHER), FULL);
    for (const replica of cluster.replicas) {
        const probe = await eventually(() => ready(replica), isDegraded);

        assert.equal(probe.status, 200);
        assert.match(probe.text, /degraded/);
    }
}

async function assertTogether(cluster) {
    for (const replica of cluster.replicas) {
        await eventually(() => ready(replica), (probe) => !isDegraded(probe), 15000);
        assert.doesNotMatch((await ready(replica)).text, /degraded/, replica.log());
    }
}

/* Whether it does so at once. */
const answers = (redis) => Promise.race([redis.command("PING").then(() => true, () => true), sleep(200)]);

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
    "asleep for five seconds": {
        args: ["--enable-debug-command", "yes"],
        away: async (redis) => {
            redis.woken = redis.command("DEBUG", "SLEEP", 5).catch(() => {}); /* it ends with the test if that fails */
            while (await answers(redis));
        },
        back: (redis) => redis.woken,
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
            const { redis } = cluster;

            await fill(cluster, then === FULL);
            await away(redis);
            if (!quiet) {
                await assertAlone(cluster);
                await back(redis);
                await assertTogether(cluster);
            }
            const kinds = await eventually(() => each(cluster), (kinds) => kinds.join() === then.join(), then === ALL ? 1 : 10000);

            assert.deepEqual(kinds, then);
        }));

test("Redis failed over to its copy by a Sentinel", () =>
    withSentinel(({ master, copy, url }) =>
        withCluster({ args: SMALL, store: url }, async (cluster) => {
            await fill(cluster, true);
            assert.equal(await master.command("WAIT", 1, 2000), 1, "the copy has it, too");
            await master.kill();
            await assertAlone(cluster);
            await eventually(() => copy.command("ROLE"), ([role]) => role === "master", 20000);
            await assertTogether(cluster);
            assert.deepEqual(await each(cluster), FULL);
        }),
    ));

test("no call runs twice, whatever Redis does", () => {
    const audit = (number) => join(folder, `audit-${number}`);

    return withCluster({ args: (number) => ["--keys", keyFile, "--client-rate", "1000000/1h", "--audit", audit(number)] }, async (cluster) => {
        const { redis } = cluster, passed = [], end = Date.now() + (long ? 20000 : 4000);
        let sent = 0, over = false;
        const trouble = (async () => {
            for (let i = 0; !over; i++) {
                await sleep(300);
                if (i % 3 === 0) await redis.command("CLIENT", "KILL", "TYPE", "normal").catch(() => {});
                else if (i % 3 === 1) await redis.command("SCRIPT", "FLUSH");
                else {
                    await redis.kill();
                    await redis.restart();
                }
            }
        })();
        const worker = async () => {
            while (Date.now() < end) {
                const id = `call ${++sent}`;

                if (counted(await call(cluster.url, "test_simple_text", {}, { headers: KEY, id })) === "passed") passed.push(id);
            }
        };

        await Promise.all(Array.from({ length: 16 }, worker));
        over = true;
        await trouble;
        for (const replica of cluster.replicas) await replica.kill("SIGTERM");
        const runs = new Map();

        for (const { number } of cluster.replicas)
            for (const line of readFileSync(audit(number), "utf8").split("\n").filter(Boolean)) {
                const { id, outcome } = JSON.parse(line);

                if (outcome === "ok") runs.set(id, (runs.get(id) ?? 0) + 1);
            }
        assert.ok(passed.length > 100, `${passed.length} of ${sent} calls passed`);
        assert.deepEqual([...runs].filter(([, n]) => n > 1), [], "once each");
        assert.deepEqual(passed.filter((id) => !runs.has(id)), [], "each one that passed");
        assert.equal(runs.size, passed.length, "and no others: nothing was lost with a replica");
    });
});
