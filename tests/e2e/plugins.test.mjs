// Plugins by configuration: SIGHUP adds, replaces and removes them while clients are connected.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import test from "node:test";
import { example, until } from "./server.mjs";
import { Pipe } from "./pipe-client.mjs";

const tests = path.join(example("."), "..", "tests");
const driver = path.join(tests, "plugin-driver");
const plugin = (name) => path.join(tests, "plugins", `${name}.so`);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "haft-plugins-"));
const file = path.join(folder, "config.json");
const greet = path.join(folder, "greet.so");

const write = (...plugins) =>
    fs.writeFileSync(file, JSON.stringify({ plugins, log: { level: "notice" } }));
const call = async (pipe, name, args = {}) => {
    const { result, error } = await pipe.request("tools/call", { name, arguments: args });

    return result?.content[0].text ?? error.message;
};

process.on("exit", () => fs.rmSync(folder, { recursive: true, force: true }));

test("SIGHUP adds, replaces, refuses and removes", async () => {
    fs.copyFileSync(plugin("greet-1"), greet);
    write(greet);
    const pipe = new Pipe(driver, "--config", file);
    let changes = 0;
    const hup = async (what) => {
        pipe.process.kill("SIGHUP");
        await until(() => pipe.changes() === changes + 1, what, 20000);
        changes++;
    };

    await pipe.greet();
    assert.equal(await call(pipe, "greet", { name: "Ada" }), "Hello, Ada: 1");
    assert.equal(await call(pipe, "alone"), "1 in a process of its own");

    write(greet, plugin("passing"));
    await hup("a plugin that was added");
    assert.equal(await call(pipe, "passing"), "passing by");

    /* written over in place, while a call of the old one waits */
    pipe.send({ id: 1000, method: "tools/call", params: { name: "wait_for_it" } });
    await call(pipe, "greet", { name: "Ada" });
    fs.copyFileSync(plugin("greet-2"), greet);
    await hup("a plugin that was replaced");
    assert.equal(await call(pipe, "greet", { name: "Ada" }), "Hello, Ada: 2");
    assert.equal(await call(pipe, "alone"), "2 in a process of its own");
    assert.match(pipe.log, /greet\.so, greet 2: replaced/);
    pipe.send({ method: "notifications/cancelled", params: { requestId: 1000 } });

    write(greet, plugin("refused-abi"));
    pipe.process.kill("SIGHUP");
    await until(() => /keeping the old one/.test(pipe.log), "the refusal", 20000);
    await until(
        () => /plugins\.1: .*refused-abi\.so: it was compiled for/.test(pipe.log),
        "its reason",
        20000,
    );
    assert.equal(await call(pipe, "passing"), "passing by");

    write(greet);
    await hup("a plugin that was removed");
    assert.equal(await call(pipe, "passing"), "Tool passing not found");
    assert.equal(await call(pipe, "greet", { name: "Ada" }), "Hello, Ada: 2");
    const loaded = () =>
        fs
            .readFileSync(`/proc/${pipe.process.pid}/maps`, "utf8")
            .split("\n")
            .filter((line) => / r-xp .*haft-plugin/.test(line)).length;
    await until(() => loaded() === 1, "what is not used to be unloaded", 20000);
    assert.equal(await pipe.end(), 0);
});

test("a server does not start with a plugin that is refused, and says why", () => {
    write(plugin("passing"), plugin("refused-symbol"));
    const { status, stderr } = spawnSync(driver, ["--config", file, "--list"], {
        encoding: "utf8",
        input: "",
    });

    assert.equal(status, 2);
    assert.match(
        stderr,
        /config\.json: plugins\.1: .*refused-symbol\.so: undefined symbol: haft_nothing_like_it/,
    );
});

test("a server that cannot start for another reason lets go of its plugins", () => {
    write(plugin("greet-1"));
    const { status, stderr } = spawnSync(driver, ["--config", file, "--audit", "/nowhere/audit"], {
        encoding: "utf8",
        input: "",
    });

    assert.equal(status, 1);
    assert.match(stderr, /No such file or directory/);
    assert.doesNotMatch(stderr, /Sanitizer/);
});

test("they are listed and called from the command line, too", () => {
    write(plugin("passing"));
    const run = (...args) => spawnSync(driver, ["--config", file, ...args], { encoding: "utf8" });

    assert.match(run("--list").stdout, /passing/);
    assert.equal(run("--call", "passing").stdout, "passing by\n");
});

test("in a sandbox they are exchanged where their files may be read, and refused where not", async () => {
    /* The search for leaks attaches to the process, which the sandbox forbids. */
    const confined = (...left) =>
        new Pipe(
            "env",
            "ASAN_OPTIONS=detect_leaks=0",
            driver,
            ...["--config", file, "--sandbox=best-effort"],
            ...left.flatMap((where) => ["--sandbox-read", where]),
        );
    const hup = async (pipe, line) => {
        pipe.process.kill("SIGHUP");
        await until(() => line.test(pipe.log), String(line), 20000);
    };
    const unable = [
        { left: [], line: /config\.json: Permission denied/ },
        { left: [file], line: /plugins\.0: .*greet\.so: Permission denied/ },
    ];

    for (const { left, line } of unable) {
        fs.copyFileSync(plugin("greet-1"), greet);
        write(greet);
        const pipe = confined(...left);

        await pipe.greet();
        assert.equal(await call(pipe, "greet", { name: "Ada" }), "Hello, Ada: 1");
        fs.copyFileSync(plugin("greet-2"), greet);
        if (!/the sandbox runs without/.test(pipe.log)) {
            await hup(pipe, line);
            assert.match(pipe.log, /keeping the old one/);
            assert.equal(await call(pipe, "greet", { name: "Ada" }), "Hello, Ada: 1");
        }
        assert.equal(await call(pipe, "alone"), "1 in a process of its own");
        assert.equal(await pipe.end(), 0);
    }

    /* The first that has isolated tools comes when the process is confined already. */
    fs.copyFileSync(plugin("greet-1"), greet);
    fs.copyFileSync(plugin("passing"), path.join(folder, "passing.so"));
    write(path.join(folder, "passing.so"));
    const pipe = confined(folder);

    await pipe.greet();
    assert.equal(await call(pipe, "passing"), "passing by");
    write(greet);
    await hup(pipe, /greet\.so, greet 1: loaded/);
    assert.equal(await call(pipe, "alone"), "1 in a process of its own");
    fs.copyFileSync(plugin("greet-2"), greet);
    await hup(pipe, /greet\.so, greet 2: replaced/);
    assert.equal(await call(pipe, "greet", { name: "Ada" }), "Hello, Ada: 2");
    assert.equal(await call(pipe, "alone"), "2 in a process of its own");
    assert.equal(await call(pipe, "passing"), "Tool passing not found");
    assert.equal(await pipe.end(), 0);
});

test("--check reports a tool whose app is not offered", () => {
    write(plugin("page"));
    const { status, stdout, stderr } = spawnSync(driver, ["--config", file, "--check"], { encoding: "utf8" });

    assert.equal(status, 0, stderr);
    assert.match(stdout, /tools are offered/);
    assert.match(stderr, /show_lost: ui: no app ui:\/\/plugin\/lost is offered/);
    assert.doesNotMatch(stderr, /show_own/);
});
