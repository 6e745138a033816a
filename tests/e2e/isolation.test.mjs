/* isolation.test.mjs - processes of their own, looked at from outside: they end when they should, leave
 * nothing behind, and hold nothing of the server's. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { carriers, descriptorsOf, processesBeneath, withCarrier } from "./pipeline-server.mjs";
import { until } from "./server.mjs";

const named = (pid, name) => processesBeneath(pid).filter((process) => process.name === name);
const endIfThere = (pid) => {
    try {
        process.kill(pid, "SIGKILL");
    } catch (error) {
        assert.equal(error.code, "ESRCH");
    }
};
const gone = (pid) => until(() => !named(pid, "haft-tool").length, "the end of its process", 10000);

for (const carrier of carriers.slice(0, 2)) {
    test(`an endless loop ends at its deadline, ${carrier[0]}`, () =>
        withCarrier(carrier, {}, async (opened) => {
            const spin = opened.call("harm", { how: "spin" });

            await until(() => named(opened.pid, "haft-tool").length, "its process");
            assert.equal((await spin).text, "timed out after 2 s");
            await gone(opened.pid);
            assert.equal((await opened.call("harm", { how: "nothing" })).text, "unharmed");
        }));

    test(`a cancel ends the process, ${carrier[0]}`, () =>
        withCarrier(carrier, {}, async (opened) => {
            const cancel = new AbortController();
            const held = opened
                .call("harm_slowly", { how: "hold" }, undefined, { signal: cancel.signal })
                .catch(() => "cancelled");

            await until(() => named(opened.pid, "haft-tool").length, "its process");
            cancel.abort();
            await held;
            await gone(opened.pid);
            await until(() => opened.audit().some(({ outcome }) => outcome === "cancelled"), "its line");
        }));

    test(`a process holds nothing of the server's, ${carrier[0]}`, () =>
        withCarrier(carrier, {}, async (opened) => {
            const spin = opened.call("harm", { how: "spin" });

            await until(() => named(opened.pid, "haft-tool").length, "its process");
            const [{ pid }] = named(opened.pid, "haft-tool");
            const own = () => descriptorsOf(pid).filter(([fd]) => fd > 2).map(([, link]) => link);
            const theirs = descriptorsOf(opened.pid).filter(([fd]) => fd > 2).map(([, link]) => link);

            /* Its socket and a pipe to itself, once it has closed the others. */
            await until(() => own().length === 3, "only its own descriptors");
            assert.deepEqual(own().filter((link) => theirs.includes(link)), []);
            assert.deepEqual(
                descriptorsOf(pid).filter(([fd]) => fd < 3).map(([, link]) => link),
                ["/dev/null", ...Array(2).fill(descriptorsOf(opened.pid).find(([fd]) => fd === 2)[1])],
            );
            await spin;
        }));

    test(`a fork server that is killed is replaced, ${carrier[0]}`, () =>
        withCarrier(carrier, {}, async (opened) => {
            await until(() => named(opened.pid, "haft-fork").length, "the fork server");
            const [{ pid }] = named(opened.pid, "haft-fork");
            const held = opened.call("harm_slowly", { how: "hold" });

            await until(() => named(opened.pid, "haft-tool").length, "its process");
            process.kill(pid, "SIGKILL");
            assert.equal((await held).text, "The tool crashed.");
            await gone(opened.pid);
            await until(() => named(opened.pid, "haft-fork").some((other) => other.pid !== pid), "another");
            assert.equal((await opened.call("harm", { how: "nothing" })).text, "unharmed");
            /* The whole family. */
            for (const other of processesBeneath(opened.pid)) endIfThere(other.pid);
            const answers = [];
            /* One that reaches a process as it dies is lost with it. */
            do answers.push((await opened.call("harm", { how: "nothing" })).text);
            while (answers.at(-1) === "The tool crashed." && answers.length < 100);
            assert.equal(answers.at(-1), "unharmed");
        }));

    test(`a server that is killed leaves no process, ${carrier[0]}`, async () => {
        const [name, Kind] = carrier;
        const opened = await new Kind(name).open();
        const held = opened.call("harm_slowly", { how: "hold" }).catch(() => "lost");

        await until(() => named(opened.pid, "haft-tool").length, "its process");
        const family = processesBeneath(opened.pid).map(({ pid }) => pid);
        process.kill(opened.pid, "SIGKILL");
        await until(
            () => family.every((pid) => !named(1, "haft-tool").concat(named(1, "haft-fork"), named(1, "haft-keep")).some((left) => left.pid === pid && left.state !== "Z")),
            "the end of all of them",
            10000,
        );
        await opened.client.close();
        await held;
        opened.forget();
    });
}

/* ---- many ---- */

const CALLS = 1000;
const LANES = 16;

/* Sockets as calls have them, one each, and the one to the fork server. */
function packetSockets(pid) {
    const all = new Set(
        readFileSync("/proc/net/unix", "utf8")
            .split("\n")
            .map((line) => line.trim().split(/\s+/))
            .filter(([, , , , type]) => type === "0005")
            .map((fields) => `socket:[${fields[6]}]`),
    );

    return descriptorsOf(pid).filter(([fd, link]) => fd > 2 && all.has(link)).length;
}

/* Of both tools, as the metrics have it. */
const countsIn = (text) =>
    [...text.matchAll(/^mcp_server_calls_total\{gen_ai_tool_name="harm\w*",.* (\d+)$/gm)].reduce(
        (sum, [, n]) => sum + Number(n),
        0,
    );

/* The metrics, once no call is in flight but the one that asks for them. */
async function idle(opened) {
    const end = Date.now() + 30000;

    for (;;) {
        const { text } = await opened.call("counted");

        if (/^mcp_server_calls_in_flight 1$/m.test(text)) return text;
        assert.ok(Date.now() < end, "calls end");
    }
}

/* Numbers that look random and are the same each time. */
function dice(seed) {
    return () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
}

async function one(opened, random, sent) {
    const kind = random();

    sent.n++;
    if (kind < 0.5) return opened.call("harm", { how: "nothing" });
    if (kind < 0.8) return opened.call("harm", { how: "crash" });
    if (kind < 0.82) return opened.call("harm", { how: "spin" }, undefined, { timeout: 60000 });
    const cancel = new AbortController();
    const held = opened
        .call("harm_slowly", { how: "hold" }, undefined, { signal: cancel.signal })
        .catch(() => ({ text: "cancelled" }));
    await sleep(random() * 30);
    cancel.abort();
    return held;
}

for (const carrier of carriers.slice(0, 2))
    test(`a thousand calls that end in every way, ${carrier[0]}`, { timeout: 570000 }, () =>
        withCarrier(carrier, { args: ["--workers", "8"] }, async (opened) => {
            const random = dice(7);
            const sent = { n: 0 };
            const answers = {};

            await opened.call("harm", { how: "nothing" });
            await gone(opened.pid);
            assert.equal(packetSockets(opened.pid), 1);
            await Promise.all(
                Array.from({ length: LANES }, async () => {
                    while (sent.n < CALLS) {
                        const { text } = await one(opened, random, sent);
                        answers[text] = (answers[text] ?? 0) + 1;
                    }
                }),
            );
            const known = ["unharmed", "The tool crashed.", "timed out after 2 s", "cancelled"];

            assert.deepEqual(Object.keys(answers).filter((text) => !known.includes(text)), []);
            await gone(opened.pid);
            const counts = await idle(opened);
            const lines = (await opened.audited("counted")).filter(({ tool }) => tool !== "counted");
            const outcomes = (how) => lines.filter(({ outcome }) => outcome === how).length;

            assert.equal(outcomes("ok"), answers.unharmed + 1);
            assert.equal(outcomes("failed"), answers["The tool crashed."]);
            assert.equal(outcomes("timed_out"), answers["timed out after 2 s"]);
            /* Over HTTP a request that is taken back early enough was never sent. */
            if (opened.name === "stdio") assert.equal(lines.length, sent.n + 1);
            assert.ok(outcomes("cancelled") <= answers.cancelled && outcomes("cancelled") > 0);
            assert.equal(countsIn(counts), lines.length);
            assert.deepEqual(processesBeneath(opened.pid).filter(({ state }) => state === "Z"), []);
            assert.equal(packetSockets(opened.pid), 1);
        }));
