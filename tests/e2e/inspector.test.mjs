/* inspector.test.mjs - the command line of the MCP Inspector against the examples. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { assertConforms, example, listenedTo } from "./server.mjs";

/* It looks for its own package.json beside the directory that it is started in. */
const inspector = fileURLToPath(
    new URL("node_modules/@modelcontextprotocol/inspector-cli/build", import.meta.url),
);

async function inspect(name, ...options) {
    const { directory, command, args } = listenedTo(example(name));
    const { stdout } = await promisify(execFile)(
        process.execPath,
        ["index.js", command, ...args, ...options],
        { cwd: inspector },
    );

    await assertConforms({ directory });
    return JSON.parse(stdout);
}

const call = (tool, ...pairs) => [
    "--method",
    "tools/call",
    "--tool-name",
    tool,
    ...pairs.flatMap((pair) => ["--tool-arg", pair]),
];
const text = (result) => result.content.map((block) => block.text).join("");

/* The example, what is asked, what is looked at, what it must be. */
const rows = [
    [
        "greeting",
        ["--method", "tools/list"],
        ({ tools }) => tools.map((tool) => tool.name),
        ["greet"],
    ],
    ["greeting", call("greet", "name=Ada", "title=Dr"), text, "Hello, Dr Ada! Nice to meet you."],
    ["weather", call("get-weather", "city=Oslo"), (r) => r.structuredContent.humidity, 45],
    ["read-file", call("read-file", "path=/nowhere"), (r) => r.isError, true],
    ["calculator", call("calculate", "expression=(1+2)*3", "mode=exact"), text, "9"],
    ["multi-tool", call("add", "a=1", "b=2"), (r) => r.structuredContent, { result: 3 }],
    ["divide", call("divide", "numerator=1", "denominator=0"), text, "Error: Division by zero"],
    ["catalog", call("search", "query=mug", "limit=1"), text, "Travel mug"],
    [
        "catalog",
        call("search", "query=mug", "limit=999"),
        text,
        "Input validation error: Invalid arguments for tool search: limit: Too big: expected number to be <=50",
    ],
    ["everything", ["--method", "tools/list"], ({ tools }) => tools[0].name, "test_simple_text"],
    ["everything", ["--method", "resources/list"], (r) => r.resources.length, 3],
    ["everything", ["--method", "resources/templates/list"], (r) => r.resourceTemplates.length, 1],
    [
        "everything",
        ["--method", "resources/read", "--uri", "test://template/7/data"],
        (r) => JSON.parse(r.contents[0].text).id,
        "7",
    ],
    ["everything", ["--method", "prompts/list"], (r) => r.prompts.length, 5],
    [
        "everything",
        [
            ...["--method", "prompts/get", "--prompt-name", "test_prompt_with_arguments"],
            ...["--prompt-args", "arg1=a", "arg2=b"],
        ],
        (r) => r.messages[0].content.text,
        "Prompt with arguments: arg1='a', arg2='b'",
    ],
    ["everything", ["--method", "logging/setLevel", "--log-level", "debug"], (r) => r, {}],
];

for (const [name, options, look, wanted] of rows)
    test(`${name} ${options.join(" ")}`, async () => {
        assert.deepEqual(look(await inspect(name, ...options)), wanted);
    });
