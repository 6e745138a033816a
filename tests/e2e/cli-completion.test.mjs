/* cli-completion.test.mjs - Tab in real shells, after the URL of a server whose names are hostile.
 *
 * Names that a server chooses are data to a shell: it may neither run nor expand them, and it must not put one on the
 * line that the shell would run or expand when Enter is pressed. */

import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { spawn } from "./child.mjs";
import { haft, reply, run, withFake } from "./cli.mjs";

const WAIT = 30000;
const completions = fileURLToPath(new URL("../../apps/haft/completion", import.meta.url));
const directory = mkdtempSync(join(tmpdir(), "haft-tab-"));
const mark = join(directory, "ran");

before(() => writeFileSync(join(directory, "file;touch $x"), "", { mode: 0o755 }));
after(() => rmSync(directory, { recursive: true }));

/* ---- a shell at a terminal ---- */

/* Ctrl-T shows the line as it is, without running it, and empties it. */
const shells = {
    bash: {
        command: "bash --noprofile --norc -i",
        setup: [
            `PATH='${dirname(haft)}':$PATH PS1='ready> ' HISTFILE=`,
            "for i in 'enable-bracketed-paste off' 'completion-query-items 0' 'page-completions off'; do bind \"set $i\"; done",
            `bind -x '"\\C-t": printf "\\nline:%s:end\\n" "$READLINE_LINE"; READLINE_LINE='`,
            `. '${completions}/haft.bash'`,
        ],
    },
    zsh: {
        command: "zsh -f -i",
        setup: [
            `PATH='${dirname(haft)}':$PATH PS1='ready> ' HISTFILE= LISTMAX=1000; setopt no_prompt_sp no_auto_menu`,
            `bindkey -e; fpath=('${completions}' $fpath); autoload -Uz compinit; compinit -u -D`,
            `show() { zle -I; print -r -- "line:\${BUFFER}:end"; BUFFER= }; zle -N show; bindkey '^t' show`,
        ],
    },
};

class Shell {
    #child;
    #seen = "";
    #wake = () => {};
    #lines = 0;

    constructor(command) {
        this.#child = spawn("script", ["-qec", command, "/dev/null"], {
            cwd: directory,
            env: { ...process.env, TERM: "xterm", LC_ALL: "C.UTF-8" },
        });
        this.#child.stdin.on("error", () => {});
        this.#child.stdout.on("data", (text) => {
            this.#seen += text;
            this.#wake();
        });
        this.ended = new Promise((resolve) => this.#child.on("close", resolve));
    }

    /* What matched, and what was written before it. */
    async #until(pattern) {
        const deadline = Date.now() + WAIT;

        for (;;) {
            const match = this.#seen.match(pattern);

            if (match) {
                this.#seen = this.#seen.slice(match.index + match[0].length);
                return match;
            }
            await new Promise((resolve, reject) => {
                const why = new Error(`no ${pattern} in ${JSON.stringify(this.#seen)}`);
                const timer = setTimeout(reject, Math.max(deadline - Date.now(), 0), why);

                this.#wake = () => {
                    clearTimeout(timer);
                    resolve();
                };
            });
        }
    }

    /* Runs a line to its end. */
    async run(line) {
        const n = ++this.#lines;

        this.#child.stdin.write(`${line}; echo "ran"-${n}.\r`);
        await this.#until(new RegExp(`ran-${n}\\.`));
    }

    /* Presses the keys: what was offered, and what the line is then. */
    async press(keys) {
        this.#child.stdin.write(`${keys}\x14`);
        const { index, input, 1: line } = await this.#until(/line:(.*?):end/s);

        return { offered: input.slice(0, index), line };
    }

    /* The terminal is gone, and so is the shell. */
    async end() {
        this.#child.kill("SIGKILL");
        await this.ended;
    }
}

async function withShell(name, use) {
    const shell = new Shell(shells[name].command);

    try {
        for (const line of shells[name].setup) await shell.run(line);
        await use(shell);
    } finally {
        await shell.end();
    }
}

/* ---- names ---- */

/* Each would run, expand, split, or be taken for an option or a control sequence. */
const hostile = [
    `$(touch ${mark})`,
    `hostile$(touch ${mark})`,
    `\`touch ${mark}\``,
    `hostile\`touch ${mark}\``,
    `${"$"}{x:=$(touch ${mark})}`,
    `hostile;touch ${mark}`,
    `hostile|touch ${mark}`,
    `hostile&touch ${mark}`,
    `hostile\ntouch ${mark}`,
    `hostile>${mark}`,
    `<(touch ${mark})`,
    `hostile'$(touch ${mark})'`,
    `hostile"$(touch ${mark})"`,
    "hostile*",
    "*",
    "?????",
    "[!x]*",
    "{hostile,brace}",
    "~root",
    "=hostile",
    "!hostile",
    "#hostile",
    "-hostile",
    "--out=hostile",
    "hostile\\",
    "hostile word",
    "hostile\tab",
    "\x1b]0;hostile\x07",
    "hostile\u202ename",
    "höstile",
    "",
];
const plain = ["good_name", "good.other", "good-third", "GOOD/four", "5th"];

/* What the server offers; each row puts its own there. */
let tools;
const answer = (message, request, response) =>
    reply(response, {
        jsonrpc: "2.0",
        id: message.id,
        result:
            message.method === "server/discover"
                ? { supportedVersions: ["2026-07-28"], capabilities: { tools: {} } }
                : { tools: tools.map((name) => ({ name, inputSchema: { type: "object" } })) },
    });

for (const name of Object.keys(shells))
    describe(name, () => {
        test("offers plain names of a server, and expands none", () =>
            withFake(answer, (url) =>
                withShell(name, async (shell) => {
                    tools = [...hostile, ...plain];
                    rmSync(mark, { force: true });
                    const all = await shell.press(`haft call ${url} \t\t`);

                    assert.ok(!existsSync(mark), "a name was run");
                    for (const one of plain) assert.ok(all.offered.includes(one), all.offered);
                    assert.doesNotMatch(all.offered, /h.stile|brace|root|ran/);
                    assert.equal(all.line, `haft call ${url} `);
                    for (const one of plain) {
                        const { line } = await shell.press(`haft call ${url} ${one.slice(0, -1)}\t`);

                        assert.equal(line, `haft call ${url} ${one} `);
                    }
                }),
            ));

        /* One name alone is put on the line, where Enter would run it. */
        test("puts no hostile name on the line", () =>
            withFake(answer, (url) =>
                withShell(name, async (shell) => {
                    for (const one of hostile) {
                        tools = [one];
                        rmSync(mark, { force: true });
                        const typed = `haft call ${url} ${one.startsWith("h") ? "h" : ""}`;
                        const { line } = await shell.press(`${typed}\t`);

                        /* What bash's other words have in common is a dash. */
                        assert.equal(line.replace(/ -$/, " "), typed, JSON.stringify(one));
                        assert.ok(!existsSync(mark), `${JSON.stringify(one)} was run`);
                    }
                }),
            ));

        test("asks no server whose URL is still being typed", () =>
            withFake(answer, (url, asked) =>
                withShell(name, async (shell) => {
                    tools = plain;
                    await shell.press(`haft call ${url}\t`);
                    assert.equal(asked.length, 0);
                    await shell.press(`haft call ${url} \t`);
                    assert.ok(asked.length > 0);
                }),
            ));

        test("quotes the names of files", () =>
            withShell(name, async (shell) => {
                for (const words of ["haft call --out file", "haft serve --config file", "haft tools -- ./file"]) {
                    const { line } = await shell.press(`${words}\t`);

                    assert.equal(line, `${words}\\;touch\\ \\$x `);
                }
            }));
    });

test("the program prints the names that are safe, if asked for them", () =>
    withFake(answer, async (url) => {
        tools = [...hostile, ...plain];
        const all = await run(["tools", "--names", url]);
        const safe = await run(["tools", "--safe-names", url]);

        assert.equal(all.out.split("\n").length - 1, tools.length, "one a line, whatever is in them");
        assert.equal(safe.out, plain.map((one) => `${one}\n`).join(""));
        assert.deepEqual([safe.code, safe.err], [0, ""]);
    }));
