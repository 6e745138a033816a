/* skills.test.mjs - skills over HTTP and pipes: the command haft skills, and directories that change. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import {
    cpSync,
    existsSync,
    mkdirSync,
    mkdtempSync,
    readFileSync,
    readdirSync,
    rmSync,
    symlinkSync,
    writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { withServer } from "./http-server.mjs";
import { example, until } from "./server.mjs";

const given = fileURLToPath(new URL("../../examples/skills", import.meta.url));
const program = join(example("."), "..", "bin", "haft");

let folder;
before(() => {
    folder = mkdtempSync(join(tmpdir(), "haft-skills-"));
    cpSync(given, join(folder, "skills"), { recursive: true });
});
after(() => rmSync(folder, { recursive: true }));

const haft = (...args) =>
    new Promise((resolve) =>
        execFile(program, args, { timeout: 20000 }, (error, stdout, stderr) =>
            resolve({ code: error ? error.code : 0, stdout, stderr }),
        ),
    );

const skill = (name, text = "Do it.") =>
    `---\nname: ${name}\ndescription: A skill for tests\n---\n${text}\n`;

/* Asks until it hears what it expects. */
async function eventually(ask, expected) {
    let got;

    for (let i = 0; i < 200 && got !== expected; i++) {
        got = await ask();
        if (got !== expected) await new Promise((resolve) => setTimeout(resolve, 50));
    }
    assert.equal(got, expected);
}

test("lists and gets them over HTTP", () =>
    withServer("greeting", ["--skills", join(folder, "skills")], async ({ url }) => {
        const to = join(folder, "to");
        const { stdout } = await haft("skills", url);
        const listed = JSON.parse((await haft("skills", url, "--json")).stdout);

        assert.match(stdout, /^code-review {2}skill:\/\/code-review\/SKILL\.md$/m);
        assert.deepEqual(
            listed.map(({ uri }) => uri),
            ["skill://code-review/SKILL.md", "skill://team/release-notes/SKILL.md"],
        );
        assert.equal(listed[0].frontmatter.metadata.version, "1.2");
        assert.equal((await haft("skills", "get", url, "code-review", "--to", to)).code, 0);
        for (const path of listed[0].files.map((file) => file.path))
            assert.deepEqual(
                readFileSync(join(to, "code-review", path)),
                readFileSync(join(given, "code-review", path)),
            );

        /* Nothing is replaced without --force, and a symbolic link never. */
        const again = await haft("skills", "get", url, "code-review", "--to", to);
        assert.equal(again.code, 6);
        assert.match(again.stderr, /exists already; --force/);
        assert.equal((await haft("skills", "get", url, "code-review", "--to", to, "--force")).code, 0);
        const file = join(to, "code-review", "SKILL.md");
        rmSync(file);
        symlinkSync(join(folder, "victim"), file);
        assert.equal((await haft("skills", "get", url, "code-review", "--to", to, "--force")).code, 6);
        assert.ok(!existsSync(join(folder, "victim")));
        rmSync(join(to, "code-review"), { recursive: true });
        mkdirSync(join(folder, "elsewhere"));
        symlinkSync(join(folder, "elsewhere"), join(to, "code-review"));
        assert.equal((await haft("skills", "get", url, "code-review", "--to", to, "--force")).code, 6);
        assert.deepEqual(readdirSync(join(folder, "elsewhere")), []);
    }));

test("reads the directory again on SIGHUP", () =>
    withServer("greeting", ["--skills", join(folder, "skills"), "--log-level", "info"], async (server) => {
        const names = async () =>
            (await haft("skills", server.url, "--names")).stdout.trim().split("\n");
        const added = join(folder, "skills", "added");

        assert.deepEqual(await names(), ["code-review", "release-notes"]);
        mkdirSync(added);
        writeFileSync(join(added, "SKILL.md"), skill("added"));
        server.process.kill("SIGHUP");
        await until(() => /3 skills are offered/.test(server.log()), "three skills");
        assert.deepEqual(await names(), ["added", "code-review", "release-notes"]);

        /* A mistake changes nothing. */
        writeFileSync(join(added, "SKILL.md"), skill("other"));
        server.process.kill("SIGHUP");
        await until(() => /could not be read again/.test(server.log()), "a complaint");
        assert.match(server.log(), /added\/SKILL\.md: front matter: name is other/);
        assert.deepEqual(await names(), ["added", "code-review", "release-notes"]);
        rmSync(added, { recursive: true });
        server.process.kill("SIGHUP");
        await until(() => /2 skills are offered[^]*2 skills are offered/.test(server.log()), "two");
        assert.deepEqual(await names(), ["code-review", "release-notes"]);
    }));

test("an endpoint of a gateway has its own", async () => {
    const config = join(folder, "gateway.json");

    writeFileSync(
        config,
        JSON.stringify({
            gateway: {
                endpoints: [
                    { endpoint: "/with", skills: join(folder, "skills") },
                    { endpoint: "/without" },
                ],
            },
        }),
    );
    await withServer(
        "everything",
        ["--config", config],
        async (server) => {
            const base = server.url.replace(/\/[a-z]*$/, "");

            assert.match((await haft("skills", `${base}/with`, "--names")).stdout, /code-review/);
            assert.match((await haft("skills", `${base}/without`)).stderr, /offers no skills/);
        },
        { command: [program, "serve"] },
    );
});

test("an endpoint of a gateway gets another directory on SIGHUP", async () => {
    const config = join(folder, "changing.json");
    const other = join(folder, "other");
    const configure = (...skills) =>
        writeFileSync(
            config,
            JSON.stringify({
                log: { level: "info" },
                gateway: { endpoints: skills.map((it, i) => ({ endpoint: `/e${i}`, ...(it && { skills: it }) })) },
            }),
        );

    mkdirSync(join(other, "fresh"), { recursive: true });
    writeFileSync(join(other, "fresh", "SKILL.md"), skill("fresh"));
    mkdirSync(join(folder, "wrong", "one"), { recursive: true });
    writeFileSync(join(folder, "wrong", "one", "SKILL.md"), skill("another"));
    configure(join(folder, "skills"), undefined);
    await withServer(
        "everything",
        ["--config", config],
        async (server) => {
            const base = server.url.replace(/\/[a-z0-9]*$/, "");
            const names = async (i) => (await haft("skills", `${base}/e${i}`, "--names")).stdout.trim();
            const change = async (...skills) => {
                configure(...skills);
                server.process.kill("SIGHUP");
            };
            const become = (i, expected) => eventually(() => names(i), expected);

            await become(0, "code-review\nrelease-notes");
            await change(other, undefined);
            await become(0, "fresh");
            await change(other, join(folder, "skills"));
            await become(1, "code-review\nrelease-notes");
            /* One that is not valid changes nothing, for any endpoint. */
            await change(join(folder, "wrong"), other);
            await until(() => /one\/SKILL\.md/.test(server.log()), "the refusal");
            assert.equal(await names(0), "fresh");
            assert.equal(await names(1), "code-review\nrelease-notes");
            await change(undefined, other, other);
            await become(0, "");
            await become(1, "fresh");
            await become(2, "fresh");
            /* What it reads can be read again. */
            writeFileSync(join(other, "fresh", "more.txt"), "More");
            await change(join(folder, "skills"), other, other);
            await become(0, "code-review\nrelease-notes");
            await eventually(async () => (await haft("read", `${base}/e1`, "skill://fresh/more.txt")).stdout.trim(), "More");
        },
        { command: [program, "serve"] },
    );
});

test("refuses to start with a directory that is not valid", async () => {
    const bad = join(folder, "bad");

    mkdirSync(join(bad, "leak"), { recursive: true });
    writeFileSync(join(bad, "leak", "SKILL.md"), skill("leak"));
    symlinkSync("/etc/passwd", join(bad, "leak", "passwd"));
    const { code, stderr } = await new Promise((resolve) =>
        execFile(example("greeting"), ["--skills", bad, "--http", "127.0.0.1:0"], (error, stdout, stderr) =>
            resolve({ code: error ? error.code : 0, stdout, stderr }),
        ),
    );
    assert.notEqual(code, 0);
    assert.match(stderr, /leak\/passwd: it is a symbolic link/);
});

test("says what is wrong with a command line", async () => {
    for (const args of [[], ["get"], ["get", "http://127.0.0.1:1"], ["http://127.0.0.1:1", "more"]])
        assert.equal((await haft("skills", ...args)).code, 2, args.join(" "));
    const { code, stderr } = await haft("skills", "--", example("greeting"));
    assert.equal(code, 4);
    assert.match(stderr, /the server offers no skills/);
});
