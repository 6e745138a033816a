/* run.mjs - ./dev scale: three real replicas with a real Redis and nginx, the simulation with up to 1,000 replicas, and the
 * one checked against the other.
 *
 *     node run.mjs [quick] [model|simulation|tests]
 *
 * Without one of the three parts it runs all.  quick takes the short form of the tests and at most 100 replicas.  What the simulation counts is plotted in
 * docs/scale.svg; with quick in build/scale.svg. */

import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url)), root = join(here, "..", "..");

process.env.HAFT_BUILD ??= join(root, "build", "dev");
const { call, counted, haft, withCluster } = await import("../e2e/cluster.mjs");
const { plot } = await import("./plot.mjs");
const simulator = join(process.env.HAFT_BUILD, "tests", "scale", "simulate");
const quick = process.argv.includes("quick");
let failures = 0;

const check = (right, what) => {
    console.log(`${right ? "ok" : "FAILED"}: ${what}`);
    if (!right) failures++;
};

/* ---- the tests ---- */

function runTests() {
    const files = ["scale", "scale-moves", "replicas-redis", "nginx-replicas"].map((name) => join(root, "tests", "e2e", `${name}.test.mjs`));
    const { status } = spawnSync(process.execPath, ["--test", "--test-concurrency=1", "--test-reporter=spec", ...files], { stdio: "inherit", env: { ...process.env, HAFT_SCALE: quick ? "" : "long" } });

    check(status === 0, "the tests with three replicas");
}

/* ---- the simulation ---- */

/* What the simulation counted; it says itself whether everything was exact. */
function simulate(options) {
    const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, `${value}`]);
    const { status, stdout } = spawnSync(simulator, args, { encoding: "utf8" });

    check(status === 0, `the simulation is exact: ${args.join(" ")}`);
    return JSON.parse(stdout);
}

function sweep() {
    const rows = (quick ? [1, 3, 10, 100] : [1, 3, 10, 100, 1000]).map((replicas) =>
        simulate({ replicas, clients: replicas * 1000, rate: replicas * 40, seconds: quick ? 5 : 20, kill: replicas > 1 ? 500 : 0, listeners: 2, change: 1000 }),
    );

    console.log("replicas    clients  commands/s  messages/s  KiB of a replica  Redis busy");
    for (const row of rows)
        console.log([String(row.replicas).padStart(8), String(row.clients).padStart(10), String(row.commands_per_second).padStart(11), String(row.messages_per_second).padStart(11), (row.bytes_of_a_replica / 1024).toFixed(0).padStart(17), `${(row.redis_busy * 100).toFixed(1)} %`.padStart(11)].join(" "));
    const file = join(root, quick ? "build/scale.svg" : "docs/scale.svg");

    writeFileSync(file, plot(rows));
    console.log(`wrote ${file}`);
}

/* ---- the model beside the real thing ---- */

/* Calls that Redis has counted or refused: the script reads three elements of a window for each, and several calls
 * may be one command. */
async function takes(redis) {
    const [, reads] = /cmdstat_lindex:calls=(\d+)/.exec(await redis.command("INFO", "commandstats"));

    return Math.round(Number(reads) / 3);
}

async function real({ calls, limit, window }) {
    const folder = mkdtempSync(join(tmpdir(), "haft-model-")), keyFile = join(folder, "keys");
    const key = (name) => ({ "X-API-Key": execFileSync(haft, ["keys", "add", name, "--file", keyFile], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim() });
    const ada = key("ada"), bob = key("bob");
    const counts = { passed: 0, refused: 0 };

    try {
        await withCluster({ args: ["--client-rate", `${limit}/${window}ms`, "--keys", keyFile] }, async ({ url, redis, replicas }) => {
            for (const replica of replicas) await call(replica.url, "test_simple_text", {}, { headers: bob }); /* connected now */
            const before = await takes(redis), start = Date.now();
            let sent = 0;
            const worker = async () => {
                while (sent++ < calls) {
                    const kind = counted(await call(url, "test_simple_text", {}, { headers: ada }));

                    counts[kind] = (counts[kind] ?? 0) + 1;
                }
            };

            await Promise.all(Array.from({ length: 64 }, worker));
            counts.ms = Date.now() - start;
            counts.commands = (await takes(redis)) - before;
        });
    } finally {
        rmSync(folder, { recursive: true });
    }
    return counts;
}

async function compare() {
    const what = { calls: 10000, limit: 1000, window: 10000 };
    let is = await real(what);

    if (is.ms > 0.9 * what.window) {
        what.window = 60000;
        console.log(`10,000 calls took ${is.ms} ms: again with a window of a minute`);
        is = await real(what);
    }
    const model = simulate({ replicas: 3, clients: 1, calls: what.calls, limit: what.limit, window: what.window, rate: Math.round((1000 * what.calls) / is.ms), seconds: Math.ceil(is.ms / 1000) + 5, listeners: 1 });

    console.log(`real:  ${JSON.stringify(is)}`);
    console.log(`model: ${JSON.stringify({ passed: model.granted, refused: model.refused, commands: model.commands })}`);
    check(is.passed === model.granted && is.passed === what.limit, `${is.passed} of ${what.calls} calls pass, and ${model.granted} in the model`);
    check(is.refused === model.refused, `${is.refused} are refused, and ${model.refused} in the model`);
    check(Math.abs(is.commands - model.commands) <= 0.05 * model.commands, `Redis counts or refuses ${is.commands} calls, and ${model.commands} in the model`);
}

const parts = { model: compare, simulation: sweep, tests: runTests };
const chosen = Object.keys(parts).filter((name) => process.argv.includes(name));

for (const name of chosen.length ? chosen : Object.keys(parts)) await parts[name]();
process.exit(failures ? 1 : 0);
