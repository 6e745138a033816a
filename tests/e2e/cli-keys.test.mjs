/* cli-keys.test.mjs - `haft keys`: what it prints and writes, what it leaves alone, and servers that take new keys and
 * refuse revoked ones at SIGHUP. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { haft, run } from "./cli.mjs";
import { modernHeaders, modernMessage, post } from "./http-client.mjs";
import { withGateway } from "./serve.mjs";
import { until } from "./server.mjs";

const directory = mkdtempSync(join(tmpdir(), "haft-keys-"));
after(() => rmSync(directory, { recursive: true }));

let files = 0;
const newFile = () => join(directory, `${files++}`, "keys");
const keys = (file, ...args) => run(["keys", ...args, "--file", file]);
const hash = (key) => createHash("sha256").update(key).digest("hex");
const lines = (file) => readFileSync(file, "utf8").split("\n").slice(0, -1);

/* Adds a key, and returns it. */
async function add(file, ...args) {
    const { code, out, err } = await keys(file, "add", ...args);

    assert.equal(code, 0, err);
    assert.match(out, /^haft_[A-Za-z0-9_-]{43}\n$/);
    assert.ok(!err.includes(out.trim()), err);
    return out.trim();
}

test("a key is printed once, alone, and only its hash is kept", async () => {
    const file = newFile();
    const key = await add(file, "ada", "--scopes", "files:read files:write");

    assert.match(readFileSync(file, "utf8"), new RegExp(`^${hash(key)} ada\tfiles:read files:write\t\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ\n$`));
    assert.equal(statSync(file).mode & 0o7777, 0o600);
    assert.equal(statSync(join(file, "..")).mode & 0o7777, 0o700);
    const listed = await keys(file, "list");

    assert.match(listed.out, new RegExp(`^${hash(key).slice(0, 12)}  ada  \\S+Z  files:read files:write\n$`));
    assert.equal(listed.err, "");
});

test("all of it as JSON", async () => {
    const file = newFile();
    const added = JSON.parse((await keys(file, "add", "ada \u00e9", "--json")).out);

    assert.deepEqual(Object.keys(added), ["id", "name", "scopes", "created", "key", "file"]);
    assert.equal(added.id, hash(added.key).slice(0, 12));
    assert.deepEqual([added.name, added.scopes, added.file], ["ada \u00e9", "*", file]);
    await add(file, "none", "--scopes", "");
    const listed = JSON.parse((await keys(file, "list", "--json")).out);

    assert.deepEqual(listed.map(({ name, scopes }) => [name, scopes]), [["ada \u00e9", "*"], ["none", ""]]);
    assert.equal(listed[0].id, added.id);
    assert.equal((await keys(newFile(), "list", "--json")).out, "[]\n");
});

test("a name has several keys, which are revoked one by one or together", async () => {
    const file = newFile();
    const [first, second, third] = [await add(file, "ada"), await add(file, "ada"), await add(file, "bob")];

    assert.notEqual(first, second);
    assert.equal((await keys(file, "revoke", hash(first).slice(0, 12))).code, 0);
    assert.deepEqual(lines(file).map((line) => line.split(" ")[0]), [hash(second), hash(third)]);
    await add(file, "ada");

    /* Nobody can be asked here. */
    const asked = await keys(file, "revoke", "ada");

    assert.equal(asked.code, 2);
    assert.match(asked.err, /add --yes to revoke 2 keys of ada/);
    assert.equal(lines(file).length, 3);
    assert.equal((await keys(file, "revoke", "ada", "--yes")).code, 0);
    assert.deepEqual(lines(file).map((line) => line.split(" ")[0]), [hash(third)]);
    assert.equal((await keys(file, "revoke", hash(third))).code, 0);
    assert.equal(readFileSync(file, "utf8"), "");
});

test("a terminal is asked before the keys of a name are revoked", async () => {
    const file = newFile();

    await add(file, "ada");
    for (const [answer, code, left] of [["n\n", 7, 1], ["y\n", 0, 0]]) {
        const script = `"${haft}" keys revoke ada --file "${file}"; echo "status $?"`;
        const asked = await run(["-qec", script, "/dev/null"], { input: answer, program: "script" });

        assert.match(asked.out, /Revoke 1 key of ada \([0-9a-f]{12}\) in .*\? \[y\/N\]/);
        assert.match(asked.out, new RegExp(`status ${code}`));
        assert.equal(lines(file).length, left);
    }
});

test("comments, unknown lines, order and mode stay", async () => {
    const file = newFile();
    const key = await add(file, "ada");
    const old = `# ours\r\n\n${hash("x")} old owner\n  what is this\n${hash(key)} ada\n# no line end`;

    writeFileSync(file, old);
    chmodSync(file, 0o640);
    const added = await keys(file, "add", "bob");

    assert.equal(added.code, 0);
    assert.match(added.err, /line 4: expected 64 hexadecimal digits and a name/);
    assert.ok(readFileSync(file, "utf8").startsWith(`${old}\n${hash(added.out.trim())} bob\t*\t`));
    assert.equal((await keys(file, "revoke", "ada", "--yes")).code, 0);
    assert.ok(readFileSync(file, "utf8").startsWith(old.replace(`${hash(key)} ada\n`, "")));
    assert.equal(statSync(file).mode & 0o7777, 0o640);
    assert.equal((await keys(file, "revoke", "old owner", "--yes")).code, 0);
    assert.ok(!readFileSync(file, "utf8").includes(hash("x")));
});

test("changes at the same time are all kept", async () => {
    const file = newFile();
    const names = Array.from({ length: 16 }, (_, i) => `n${i}`);
    const added = await Promise.all(names.map((name) => add(file, name)));

    assert.deepEqual(lines(file).map((line) => line.slice(0, 64)).sort(), added.map(hash).sort());
    await Promise.all(names.slice(8).map((name) => keys(file, "revoke", name, "--yes")));
    assert.deepEqual(lines(file).map((line) => line.slice(0, 64)).sort(), added.slice(0, 8).map(hash).sort());
    assert.deepEqual(readdirSync(join(file, "..")).sort(), ["keys", "keys.lock"]);
});

test("a full disk, and a place that cannot be written, lose nothing", async () => {
    const file = newFile();

    await add(file, "ada");
    const before = readFileSync(file, "utf8");
    const full = await run(["-c", `trap '' XFSZ; ulimit -f 0; exec "${haft}" keys add bob --file "${file}"`], { program: "sh" });

    assert.equal(full.code, 6);
    assert.equal(full.out, "");
    assert.match(full.err, /cannot write .*; nothing has changed/);
    assert.equal(readFileSync(file, "utf8"), before);
    assert.deepEqual(readdirSync(join(file, "..")).sort(), ["keys", "keys.lock"]);
    for (const place of ["/proc/nowhere/keys", "/dev/null/keys", "/dev/null", directory]) {
        const { code, out } = await keys(place, "add", "ada");

        assert.deepEqual([code, out], [6, ""], place);
    }
    /* A key that nobody has seen can be found and revoked. */
    const unseen = await run(["-c", `exec "${haft}" keys add bob --file "${file}" >/dev/full`], { program: "sh" });

    assert.equal(unseen.code, 6);
    const [, id] = unseen.err.match(/the key ([0-9a-f]{12}) was added, but could not be printed/);

    assert.equal((await keys(file, "revoke", id)).code, 0);
    assert.equal(readFileSync(file, "utf8"), before);
});

test("what is wrong is said, and creates nothing", async () => {
    const file = newFile();

    for (const [args, code, text] of [
        [[], 2, /keys needs add, list or revoke$/m],
        [["remove"], 2, /keys needs add, list or revoke, not remove/],
        [["add"], 2, /keys add needs a name/],
        [["revoke"], 2, /keys revoke needs a name or an ID/],
        [["add", "a", "b"], 2, /unexpected argument b for keys add/],
        [["list", "a"], 2, /unexpected argument a for keys list/],
        [["list", "--scopes", "a"], 2, /keys list has no option --scopes/],
        [["add", "a\tb"], 2, /invalid name/],
        [["add", "0123456789ab"], 2, /looks like the ID of a key/],
        [["add", "a", "--scopes", "a\"b"], 2, /--scopes: /],
        [["revoke", "ada", "--yes"], 2, /does not exist, so it has no key ada/],
        [["list"], 0, /does not exist; `haft keys add NAME` creates it/],
    ]) {
        const ended = await keys(file, ...args);

        assert.deepEqual([ended.code, ended.out], [code, ""], args.join(" "));
        assert.match(ended.err, text);
        assert.ok(!existsSync(join(file, "..")), args.join(" "));
    }
});

test("without --file it is the file in the user's configuration", async () => {
    const config = join(directory, "config");
    const env = { XDG_CONFIG_HOME: config, HOME: "/nowhere" };

    assert.equal((await run(["keys", "add", "ada"], { env })).code, 0);
    assert.equal(lines(join(config, "haft", "keys")).length, 1);
    assert.equal((await run(["keys", "list"], { env: { XDG_CONFIG_HOME: "", HOME: "" } })).code, 6);
});

/* ---- servers ---- */

/* How a server answers a client with this key: its status. */
const statusOf = async (url, key) => {
    const headers = modernHeaders("tools/list", {}, key ? { authorization: `Bearer ${key}` } : {});

    return (await post(url, modernMessage("tools/list"), headers)).status;
};

/* A server takes a new key at SIGHUP, and refuses a revoked one. */
async function takesAndRefuses(server, file, old) {
    const hangUp = async (text) => {
        const from = server.log().length;

        server.process.kill("SIGHUP");
        await until(() => text.test(server.log().slice(from)), `${text}: ${server.log()}`);
    };

    assert.equal(await statusOf(server.url, old), 200);
    assert.equal(await statusOf(server.url), 401);
    const key = await add(file, "bob");

    assert.equal(await statusOf(server.url, key), 401);
    await hangUp(/configuration reloaded/);
    assert.equal(await statusOf(server.url, key), 200);
    assert.equal((await keys(file, "revoke", "ada", "--yes")).code, 0);
    await hangUp(/configuration reloaded/);
    assert.deepEqual([await statusOf(server.url, old), await statusOf(server.url, key)], [401, 200]);

    /* A file that cannot be read leaves the keys as they were. */
    writeFileSync(file, `${readFileSync(file, "utf8")}nonsense\n`);
    await hangUp(/keeping the old one|revoked keys remain valid/);
    assert.equal(await statusOf(server.url, key), 200);
    for (const secret of [old, key]) assert.ok(!server.log().includes(secret));
}

test("a gateway with the policy api-key", async () => {
    const file = newFile();
    const old = await add(file, "ada");
    const config = {
        log: { level: "notice" },
        gateway: {
            policies: [{ name: "keys", policy: "api-key", options: { file } }],
            endpoints: [{ policies: ["keys"] }],
        },
    };

    await withGateway("haft", (server) => takesAndRefuses(server, file, old), { config });
});

/* Whether this build can authenticate clients by itself. */
const canAuthenticate = () => {
    const file = newFile();

    execFileSync(haft, ["keys", "add", "ada", "--file", file], { stdio: "ignore" });
    try {
        execFileSync(haft, ["serve", "--demo", "--check", "--keys", file], { stdio: "pipe" });
        return true;
    } catch (error) {
        return error.stderr.toString() !== "haft: : \n";
    }
};

if (canAuthenticate())
    test("a server with --keys", async () => {
        const file = newFile();
        const old = await add(file, "ada");

        await withGateway("haft", (server) => takesAndRefuses(server, file, old), {
            args: ["--keys", file, "--log-level", "notice"],
        });
    });
