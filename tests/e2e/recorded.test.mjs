/* recorded.test.mjs - every message that a server emits in the tests that are written in C, against the
 * official schema of its revision.  tests/support/record.c writes down what goes over their sessions. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { createReadStream, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, test } from "node:test";

import { spawn } from "./child.mjs";
import { Conversation } from "./spec.mjs";

const programs = join(process.env.HAFT_BUILD ?? "build/dev", "tests");
const rooms = ["engine", "stage", "endpoint", "client", "process", "observe", "loop", "stdio", "http", "plugin",
    "config", "cli", "gateway", "fault"];

const exempt = {
    "process/sandbox": "what is recorded is written to a file, which the sandbox is there to prevent",
    "observe/audit_file": "no file of the process may grow, what is recorded neither",
    "http/hostile": "a million answers of the kinds that http/http has, against the clock",
    "engine/pass": "it passes results on that have blocks of a kind that no revision has",
};

/* Fewer than this, and the recorder has stopped working.  Programs without a session say nothing. */
const atLeast = 40;
let talkative = 0;

/* A method of the tests' own: its results are the test's business. */
const isOwn = (method) => method.startsWith("acme/");

const parse = (text) => JSON.parse(Buffer.from(text, "latin1").toString("utf8"));

/* What a client sends may be anything. */
function tryParse(text) {
    try {
        return parse(text);
    } catch {
        return undefined;
    }
}

async function check(record) {
    const sessions = new Map();

    if (!existsSync(record)) return [];
    for await (const line of createInterface({ input: createReadStream(record) })) {
        const { session, revision, from, text } = JSON.parse(line);

        if (!sessions.has(session)) {
            sessions.set(session, new Conversation(revision));
            sessions.get(session).own = isOwn;
        }
        if (from === "client") sessions.get(session).sent(tryParse(text));
        else sessions.get(session).received(parse(text));
    }
    return [...sessions.values()];
}

async function run(program, record) {
    const child = spawn(program, {
        env: { ...process.env, HAFT_RECORD: record },
        stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";

    child.stdout.on("data", (data) => (output += data));
    child.stderr.on("data", (data) => (output += data));
    const [status] = await once(child, "close");
    assert.equal(status, 0, output);
}

// CMake keeps files of its own beside the programs.
function isProgram(name) {
    const stat = statSync(join(programs, name));

    return stat.isFile() && (stat.mode & 0o111) !== 0;
}

describe("programs", { concurrency: 4 }, () => {
    for (const room of rooms.filter((room) => existsSync(join(programs, room))))
        for (const name of readdirSync(join(programs, room)).map((file) => `${room}/${file}`))
            if (!exempt[name] && isProgram(name))
                test(name, async (t) => {
                    const folder = mkdtempSync(join(tmpdir(), "haft-record-"));

                    try {
                        await run(join(programs, name), join(folder, "messages"));
                        const sessions = await check(join(folder, "messages"));
                        const count = sessions.reduce((sum, session) => sum + session.count, 0);

                        t.diagnostic(`${count} messages`);
                        assert.deepEqual(
                            sessions.flatMap((session) => session.faults).slice(0, 20),
                            [],
                        );
                        talkative += count > 0;
                    } finally {
                        rmSync(folder, { recursive: true });
                    }
                });
});

test("most programs have something to say", () => assert.ok(talkative >= atLeast, `${talkative}`));
