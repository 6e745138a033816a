// openapi-check.mjs - what must hold for the result of `haft import openapi --json`, by Ajv and plain code.
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const Ajv = require("ajv/dist/2020").default;
const addFormats = require("ajv-formats").default;

// References of a schema, and whether an array lacks items.
function look(schema, found = { refs: new Set(), bare: 0 }) {
    if (Array.isArray(schema)) {
        schema.forEach(item => look(item, found));
    } else if (schema && typeof schema === "object") {
        if (typeof schema.$ref === "string")
            found.refs.add(schema.$ref);
        if ([schema.type].flat().includes("array") && !schema.items && !schema.prefixItems)
            found.bare++;
        for (const [key, value] of Object.entries(schema))
            if (!["enum", "const", "default"].includes(key))
                look(value, found);
    }
    return found;
}

// Definitions that the root reaches.
function reached(root) {
    const names = new Set(), queue = [{ ...root, $defs: undefined }];
    while (queue.length)
        for (const ref of look(queue.pop()).refs) {
            const name = ref.slice("#/$defs/".length);
            if (!names.has(name)) {
                names.add(name);
                queue.push(root.$defs?.[name]);
            }
        }
    return names;
}

function* checkSchema(ajv, schema, what) {
    if (schema.type !== "object" || schema.$ref || schema.anyOf || schema.oneOf)
        yield `${what}: the root is not a plain object`;
    try {
        ajv.compile(schema);
    } catch (error) {
        yield `${what}: ${error.message}`;
    }
    const names = reached(schema), defs = Object.keys(schema.$defs ?? {});
    if (names.size !== defs.length || !defs.every(name => names.has(name)))
        yield `${what}: $defs are ${defs.length}, of which ${names.size} are used`;
    if (look(schema).bare)
        yield `${what}: an array without items`;
}

// Ajv takes long: of many tools, it compiles so many, evenly spread. haft itself has compiled all of them.
export function* checkImport(result, most = Infinity) {
    const names = new Set(), step = Math.max(1, Math.ceil(result.tools.length / most));
    if (result.operations !== result.tools.length + result.refused.length)
        yield `${result.operations} operations, but ${result.tools.length} tools and ${result.refused.length} refusals`;
    for (const [i, tool] of result.tools.entries()) {
        const ajv = new Ajv({ strict: false, logger: false, validateFormats: true });
        addFormats(ajv);
        if (!/^[A-Za-z0-9_-]{1,60}$/.test(tool.name) || names.has(tool.name))
            yield `${tool.name}: not a name, or taken`;
        names.add(tool.name);
        if (!tool.description || Buffer.byteLength(tool.description) > 2048)
            yield `${tool.name}: the description has ${tool.description?.length} characters`;
        if (i % step)
            continue;
        yield* checkSchema(ajv, tool.inputSchema, `${tool.name}: input`);
        if (tool.outputSchema)
            yield* checkSchema(ajv, tool.outputSchema, `${tool.name}: output`);
    }
    for (const refusal of result.refused)
        if (!refusal.operation || !refusal.reason)
            yield "a refusal without a place or a reason";
}
