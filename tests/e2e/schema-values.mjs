/* schema-values.mjs - values that a JSON Schema accepts, the same at every run. */

const formats = {
    date: "2026-01-31",
    "date-time": "2026-01-31T12:00:00Z",
    time: "12:00:00Z",
    email: "someone@example.com",
    uri: "https://example.com/a",
    url: "https://example.com/a",
    uuid: "123e4567-e89b-12d3-a456-426614174000",
    hostname: "example.com",
    ipv4: "93.184.216.34",
    ipv6: "2001:db8::1",
    byte: "aGFmdA==",
    binary: "aGFmdA==",
};

const resolve = (root, ref) =>
    ref
        .slice(2)
        .split("/")
        .reduce((value, part) => value[decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~")], root);

/* Text for the few patterns that the documents of the tests have. */
function patterned(pattern) {
    const candidates = ["a", "A", "0", "abc", "abcdef", "0123456789abcdef", "a1b2c3d", "#a0b1c2", "AA", "12:00", "NL", "GBP", "/a", "a-b", "a_b"];

    for (let n = 1; n <= 64; n++) candidates.push("a".repeat(n), "0".repeat(n), "A".repeat(n));
    const found = candidates.find((text) => new RegExp(pattern, "u").test(text));

    if (found === undefined) throw new Error(`no text is known for ${pattern}`);
    return found;
}

function string(schema) {
    if (schema.contentEncoding === "base64") return "aGFmdA==";
    if (schema.format in formats) return formats[schema.format];
    if (schema.pattern) return patterned(schema.pattern);
    return "haft".padEnd(schema.minLength ?? 0, "x").slice(0, schema.maxLength ?? Infinity);
}

function number(schema, whole) {
    const least = schema.minimum ?? (schema.exclusiveMinimum ?? 0) + (whole ? 1 : 0.5);
    const most = schema.maximum ?? schema.exclusiveMaximum ?? Infinity;
    const value = Math.min(Math.max(least, Math.min(1, most)), most);

    return schema.multipleOf ? Math.ceil(value / schema.multipleOf) * schema.multipleOf : value;
}

/* Objects get their optional members too, while they are not deep: `full` says so. */
function object(schema, root, depth, full) {
    const value = {};

    for (const [name, member] of Object.entries(schema.properties ?? {}))
        if (schema.required?.includes(name) || (full && depth < 3)) value[name] = valueOf(member, root, depth + 1, full);
    for (const name of schema.required ?? []) value[name] ??= "haft";
    if (schema.minProperties && !Object.keys(value).length)
        value.key = typeof schema.additionalProperties === "object" ? valueOf(schema.additionalProperties, root, depth + 1, full) : "haft";
    return value;
}

const merged = (schemas) =>
    schemas.reduce((all, one) => ({
        ...all,
        ...one,
        properties: { ...all.properties, ...one.properties },
        required: [...(all.required ?? []), ...(one.required ?? [])],
    }));

export function valueOf(schema, root = schema, depth = 0, full = false) {
    if (schema === true || depth > 12) return "haft";
    if (schema.$ref) return valueOf({ ...resolve(root, schema.$ref), ...schema, $ref: undefined }, root, depth + 1, full);
    if ("const" in schema) return schema.const;
    if (schema.enum) return schema.enum.find((value) => value !== null) ?? null;
    if (schema.allOf) {
        const parts = schema.allOf.map((one) => (one.$ref ? resolve(root, one.$ref) : one));

        return valueOf({ ...merged([{ ...schema, allOf: undefined }, ...parts]), allOf: undefined }, root, depth + 1, full);
    }
    const alternatives = schema.oneOf ?? schema.anyOf;

    if (alternatives) {
        const one = alternatives.find((each) => each.type !== "null") ?? alternatives[0];
        const rest = { ...schema, oneOf: undefined, anyOf: undefined };
        const chosen = one.$ref ? resolve(root, one.$ref) : one;

        return valueOf(rest.properties || chosen.properties ? merged([rest, chosen]) : { ...rest, ...chosen }, root, depth + 1, full);
    }
    const type = Array.isArray(schema.type) ? schema.type.find((each) => each !== "null") : schema.type;

    switch (type ?? (schema.properties ? "object" : "string")) {
        case "object":
            return object(schema, root, depth, full);
        case "array":
            return Array.from({ length: Math.max(schema.minItems ?? 0, 1) }, () => valueOf(schema.items ?? {}, root, depth + 1, full));
        case "integer":
            return number(schema, true);
        case "number":
            return number(schema, false);
        case "boolean":
            return true;
        case "null":
            return null;
        default:
            return string(schema);
    }
}
