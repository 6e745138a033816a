// Templates of the tool `template`, rendered by haft and by Handlebars itself.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import Handlebars from "handlebars";

const root = fileURLToPath(new URL("../..", import.meta.url));
const build = process.env.HAFT_BUILD ?? join(root, "build/dev");

const context = {
    name: "Ann & <Bob>",
    empty: "",
    zero: 0,
    one: 1,
    half: 0.5,
    big: 1e21,
    yes: true,
    no: false,
    nothing: null,
    quote: "a\"b'c`d=e",
    list: ["a", "b", "c"],
    none: [],
    nested: [[1, [2, 3]], null, "x"],
    object: { x: 1, y: { z: "deep" }, "with space": "s", 0: "zero" },
    people: [
        { name: "Ann", age: 41, tags: ["x", "y"] },
        { name: "Bob", age: 0, tags: [] },
    ],
    text: "grüße 🙂",
};

const templates = [
    "plain", "", "{{name}}", "{{{name}}}", "{{&name}}", "{{ name }}", "{{quote}}", "{{empty}}|{{zero}}|{{one}}|{{half}}|{{big}}",
    "{{yes}} {{no}} {{nothing}} {{missing}}", "{{{yes}}} {{{no}}} {{{nothing}}} {{{zero}}}",
    "{{list}} {{nested}} {{object}}", "{{list.length}} {{list.[1]}} {{text.length}}", "{{object.y.z}} {{object/y/z}} {{object.[with space]}} {{object.[0]}}",
    "{{this.name}} {{./name}}", "{{missing.deep.er}}", "{{list.[9]}}",
    "{{#if yes}}a{{/if}}", "{{#if no}}a{{else}}b{{/if}}", "{{#if zero}}a{{else}}b{{/if}}", "{{#if zero includeZero=true}}a{{else}}b{{/if}}",
    "{{#if empty}}a{{else}}b{{/if}}", "{{#if none}}a{{else}}b{{/if}}", "{{#if object}}a{{else}}b{{/if}}", "{{#if missing}}a{{/if}}",
    "{{#if no}}a{{else if zero}}b{{else if one}}c{{else}}d{{/if}}", "{{#if no}}a{{^}}b{{/if}}", "{{^if no}}a{{/if}}", "{{^yes}}a{{else}}b{{/yes}}",
    "{{#unless no}}a{{/unless}}", "{{#unless yes}}a{{else}}b{{/unless}}",
    "{{#each list}}{{this}}{{/each}}", "{{#each list}}{{@index}}{{@key}}{{#if @first}}f{{/if}}{{#if @last}}l{{/if}} {{/each}}", "{{#each none}}a{{else}}b{{/each}}",
    "{{#each missing}}a{{else}}b{{/each}}", "{{#each object.y}}{{@key}}={{.}}{{/each}}", "{{#each people}}{{name}}:{{#each tags}}{{.}}{{../name}}{{/each}};{{/each}}",
    "{{#each people}}{{#if age}}{{../one}}{{/if}}{{/each}}", "{{#each people as |p i|}}{{i}}{{p.name}}{{/each}}", "{{#each list}}{{#each ../list}}{{@../index}}{{@index}} {{/each}}{{/each}}",
    "{{#each people}}{{@root.name}}{{/each}}", "{{#each nested}}[{{this}}]{{/each}}",
    "{{#with object}}{{x}}{{#with y}}{{z}}{{../x}}{{../../one}}{{/with}}{{/with}}", "{{#with missing}}a{{else}}b{{/with}}", "{{#with zero}}a{{.}}{{/with}}", "{{#with object as |o|}}{{o.x}}{{/with}}",
    "{{#yes}}a{{/yes}}", "{{#no}}a{{/no}}", "{{#list}}{{.}}{{/list}}", "{{#none}}a{{else}}b{{/none}}", "{{#object}}{{x}}{{/object}}", "{{#nothing}}a{{^}}b{{/nothing}}", "{{#zero}}a{{.}}{{/zero}}", "{{#empty}}a{{/empty}}",
    "{{lookup list 1}} {{lookup object \"x\"}} {{lookup people.[0] 'name'}}", "{{#each people}}{{lookup ../list @index}}{{/each}}", "{{lookup (lookup people 0) \"name\"}}",
    "{{same name}} {{{same name}}} {{same \"a\"}} {{same 1.5}} {{same -3}} {{same true}} {{same null}}", "{{#if (eq one 1)}}a{{else}}b{{/if}}", "{{#if (eq (same \"x\") \"x\")}}a{{/if}}",
    "{{\"name\"}}", "{{'name'}}", "{{! comment }}a", "{{!-- a }} b --}}c", "{{!}}d", "a {{~name~}} b", "a {{~#if yes~}} b {{~/if~}} c", "{{~{name}~}} x", "a\n{{~name}}\nb",
    "a\n{{#if yes}}\nb\n{{/if}}\nc", "a\n  {{#if no}}\n b\n  {{else}}\n d\n  {{/if}}  \nc\n", "{{#if yes}}\nb\n{{/if}}\n", "  {{! c }}  \nx", "x {{! c }}\ny", "{{#each list}}\n- {{.}}\n{{/each}}\nend",
    "{{#if yes}}{{#if yes}}\na\n{{/if}}{{/if}}", "\n\n{{#if yes}}\n\na\n\n{{/if}}\n\nb", "{{#if yes}} {{/if}}\n", "a {{#if yes}}\nb\n{{/if}} c", "\r\n{{#if yes}}\r\na\r\n{{/if}}\r\nb",
    "\\{{name}} x", "\\\\{{name}} x", "\\{{name}} {{one}}", "{ {{one}} }", "{{{{", "{{", "{{name", "{{#if yes}}", "{{/if}}", "{{#if yes}}{{/each}}", "{{else}}", "{{}}", "{{#if}}a{{/if}}", "{{#if one two}}a{{/if}}",
    "{{unknown 1}}", "{{#unknown 1}}{{/unknown}}", "{{> partial}}", "{{name }}}", "{{(name}}", "{{list.}}", "{{name name=}}", "{{a b", "{{text}}",
];

const lines = templates.map((template) => JSON.stringify({ template, context })).join("\n");
const { stdout, status } = spawnSync(join(build, "tests/template-driver"), { input: `${lines}\n`, encoding: "utf8" });
const answers = stdout.trim().split("\n").map((line) => JSON.parse(line));

Handlebars.registerHelper("same", (value) => value);
Handlebars.registerHelper("eq", (a, b) => a === b);

function wanted(template) {
    try {
        return { text: Handlebars.compile(template)(context) };
    } catch (error) {
        return { error: error.message };
    }
}

test("the driver answers every line", () => {
    assert.equal(status, 0);
    assert.equal(answers.length, templates.length);
});

templates.forEach((template, i) =>
    test(`renders ${JSON.stringify(template)} as Handlebars does`, () => {
        const { text, error } = wanted(template);

        if (error) assert.match(answers[i].error ?? "rendered: " + answers[i].text, /^line \d+: /, error);
        else assert.equal(answers[i].text ?? `error: ${answers[i].error}`, text);
    }),
);
