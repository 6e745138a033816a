/* project.test.mjs - `haft new`: what it writes, and that it writes nothing when it fails.  tests/install builds the
 * projects. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { haft } from "./cli.mjs";

const directory = mkdtempSync(join(tmpdir(), "haft-new-"));

after(() => rmSync(directory, { recursive: true }));

const create = (...args) => spawnSync(haft, ["new", ...args], { cwd: directory, encoding: "utf8" });

/* A file is limited to that many blocks of 512 bytes, as if the disk were full. */
const createFull = (blocks, ...args) =>
    spawnSync("sh", ["-c", `trap '' XFSZ; ulimit -f ${blocks}; exec "$@"`, "sh", haft, "new", ...args], {
        cwd: directory,
        encoding: "utf8",
    });

const KINDS = [
    ["server", [], ["main.c", "test.c", "tools.c", "tools.h"]],
    ["stack", ["--cpp"], ["main.cpp", "test.cpp", "tools.cpp", "tools.hpp"]],
    ["plugin", ["--plugin"], ["test.sh", "tools.c"]],
    ["gate", ["--gateway"], ["routes.c", "serve.json", "test.sh"]],
];

for (const [name, options, sources] of KINDS)
    for (const [build, file] of [
        [[], "CMakeLists.txt"],
        [["--make"], "Makefile"],
    ])
        test(`writes ${name} with ${file}`, () => {
            const project = `${name}-${file.slice(0, 4)}`;
            const { status, stdout, stderr } = create(...options, ...build, project);
            const files = [".gitignore", "README.md", file, ...sources].sort();

            assert.equal(status, 0, stderr);
            assert.deepEqual(readdirSync(join(directory, project)).sort(), files);
            for (const each of files) {
                assert.ok(stdout.includes(`  ${project}/${each}\n`), each);
                const text = readFileSync(join(directory, project, each), "utf8");
                assert.ok(!/@[A-Z]+@/.test(text), each);
            }
            assert.match(stdout, /\n {2}haft call /);
            assert.equal(statSync(join(directory, project)).mode & 0o777, 0o777 & ~process.umask());
        });

test("fills an empty directory, and no other", () => {
    mkdirSync(join(directory, "empty"));
    assert.equal(create("empty").status, 0);

    const again = create("empty");
    assert.equal(again.status, 2);
    assert.equal(again.stderr, "haft: the directory empty already exists and is not empty\n");

    writeFileSync(join(directory, "file"), "mine");
    const file = create("file");
    assert.equal(file.status, 2);
    assert.equal(file.stderr, "haft: file already exists and is not a directory\n");
    assert.equal(readFileSync(join(directory, "file"), "utf8"), "mine");
});

test("explains what is wrong with a command line", () => {
    const rows = [
        [["a/b"], /^haft: invalid project name a\/b: it may contain only letters, digits, - and _/],
        [["install"], /^haft: invalid project name install: CMake uses this name itself/],
        [[], /^haft: new needs one operand, the name of the project/],
        [["a", "b"], /^haft: new needs one operand/],
        [["--cpp", "--gateway", "a"], /^haft: choose one of --cpp, --plugin and --gateway/],
        [["--c++", "a"], /^haft: new has no option --c\+\+; did you mean --cpp\?/],
    ];

    for (const [args, message] of rows) {
        const { status, stderr } = create(...args);

        assert.equal(status, 2, args.join(" "));
        assert.match(stderr, message);
    }
});

test("leaves nothing behind when it cannot write", () => {
    const before = readdirSync(directory);

    for (const blocks of [0, 1]) {
        const { status, stderr } = createFull(blocks, "full");

        assert.equal(status, 6, stderr);
        assert.match(stderr, /^haft: cannot write full\/[A-Za-z.]+: File too large\n$/);
        assert.deepEqual(readdirSync(directory), before);
    }
});

test("says why there can be no directory", () => {
    const { status, stderr } = spawnSync(haft, ["new", "x"], { cwd: "/proc", encoding: "utf8" });

    assert.equal(status, 6);
    assert.match(stderr, /^haft: cannot create the directory x: /);
});
