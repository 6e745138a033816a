/* seeds.mjs - what the TypeScript servers of the same tools say, word for word.
 *
 * Each row is a call and the whole answer that McpServer 2.4.0 with Zod 4.6.7 gives to it in both eras:
 * the text of the result, whether it is an error, and its structured content; or the code and message
 * of a protocol error.  What comes after that is what haft says otherwise, and `because` is why. */

const bad = (tool, text) => ({
    text: `Input validation error: Invalid arguments for tool ${tool}: ${text}`,
    isError: true,
});

export const schemas = {
    greeting: {
        greet: {
            title: "Greeting Tool",
            description: "Greets a person by name",
            inputSchema: {
                type: "object",
                properties: {
                    name: { type: "string", description: "Name of the person to greet" },
                    title: { type: "string", description: "Optional title (Mr, Ms, Dr, etc.)" },
                },
                required: ["name"],
            },
        },
    },
    weather: {
        "get-weather": {
            description: "Get current weather for a location",
            inputSchema: {
                type: "object",
                properties: {
                    city: { type: "string", description: "City name" },
                    country: { type: "string", description: "Country code (e.g., US, UK)" },
                },
                required: ["city"],
            },
            outputSchema: {
                type: "object",
                properties: {
                    location: {
                        type: "object",
                        properties: { city: { type: "string" }, country: { type: "string" } },
                        required: ["city", "country"],
                        additionalProperties: false,
                    },
                    temperature: {
                        type: "object",
                        properties: { celsius: { type: "number" }, fahrenheit: { type: "number" } },
                        required: ["celsius", "fahrenheit"],
                        additionalProperties: false,
                    },
                    conditions: {
                        type: "string",
                        enum: ["sunny", "cloudy", "rainy", "stormy", "snowy"],
                    },
                    humidity: { type: "number", minimum: 0, maximum: 100 },
                },
                required: ["location", "temperature", "conditions", "humidity"],
                additionalProperties: false,
            },
        },
    },
    "read-file": {
        "read-file": {
            description: "Read contents of a text file",
            inputSchema: {
                type: "object",
                properties: {
                    path: { type: "string", description: "File path to read" },
                    encoding: { default: "utf8", type: "string", enum: ["utf8", "ascii"] },
                },
                required: ["path"],
            },
            annotations: {
                title: "File Reader",
                readOnlyHint: true,
                destructiveHint: false,
                idempotentHint: true,
                openWorldHint: false,
            },
        },
    },
    calculator: {
        calculate: {
            inputSchema: {
                type: "object",
                properties: {
                    expression: { type: "string", description: "Math expression to evaluate" },
                    precision: { default: 2, type: "number", minimum: 0, maximum: 10 },
                    mode: {
                        type: "string",
                        enum: ["exact", "approximate"],
                        description: "Calculation mode",
                    },
                    options: {
                        type: "object",
                        properties: {
                            caseSensitive: { type: "boolean" },
                            trim: { type: "boolean" },
                        },
                    },
                },
                required: ["expression", "mode"],
            },
        },
    },
    "multi-tool": {
        add: {
            description: "Add two numbers",
            inputSchema: {
                type: "object",
                properties: { a: { type: "number" }, b: { type: "number" } },
                required: ["a", "b"],
            },
            outputSchema: {
                type: "object",
                properties: { result: { type: "number" } },
                required: ["result"],
                additionalProperties: false,
            },
        },
        "reverse-string": {
            description: "Reverse a string",
            inputSchema: {
                type: "object",
                properties: { text: { type: "string" } },
                required: ["text"],
            },
        },
        "current-time": {
            description: "Get current time in specified timezone",
            inputSchema: {
                type: "object",
                properties: { timezone: { default: "UTC", type: "string" } },
            },
        },
    },
    divide: {
        divide: {
            inputSchema: {
                type: "object",
                properties: { numerator: { type: "number" }, denominator: { type: "number" } },
                required: ["numerator", "denominator"],
            },
        },
    },
    catalog: {
        search: {
            description: "Search the product catalog",
            inputSchema: {
                type: "object",
                properties: {
                    query: {
                        type: "string",
                        description: "Substring to match against product names",
                    },
                    limit: { type: "integer", minimum: -9007199254740991, maximum: 50 },
                },
                required: ["query"],
            },
        },
        "product-details": {
            description: "Look up one product by its exact name",
            inputSchema: {
                type: "object",
                properties: { name: { type: "string" } },
                required: ["name"],
            },
            outputSchema: {
                type: "object",
                properties: { name: { type: "string" }, price: { type: "number" } },
                required: ["name", "price"],
                additionalProperties: false,
            },
        },
        "clear-catalog": {
            title: "Clear the catalog",
            description: "Remove every product from the catalog",
            inputSchema: { type: "object", properties: {} },
            annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
        },
    },
};

export const calls = {
    greeting: [
        ["greet", { name: "Ada" }, { text: "Hello, Ada! Nice to meet you." }],
        ["greet", { name: "Ada", title: "Dr" }, { text: "Hello, Dr Ada! Nice to meet you." }],
        ["greet", { name: "Ada", title: "" }, { text: "Hello, Ada! Nice to meet you." }],
        ["greet", { name: "Åsa 😀" }, { text: "Hello, Åsa 😀! Nice to meet you." }],
        ["greet", {}, bad("greet", "name: Invalid input: expected string, received undefined")],
        [
            "greet",
            undefined,
            bad("greet", "name: Invalid input: expected string, received undefined"),
        ],
        [
            "greet",
            { name: 7, title: null },
            bad(
                "greet",
                "name: Invalid input: expected string, received number, " +
                    "title: Invalid input: expected string, received null",
            ),
        ],
        ["nope", {}, { code: -32602, message: "Tool nope not found" }],
        ["toString", {}, { code: -32602, message: "Tool toString not found" }],
    ],
    weather: [
        [
            "get-weather",
            { city: "Oslo", country: "NO" },
            {
                text: "Weather in Oslo, NO: sunny, 22°C",
                structuredContent: {
                    location: { city: "Oslo", country: "NO" },
                    temperature: { celsius: 22, fahrenheit: 71.6 },
                    conditions: "sunny",
                    humidity: 45,
                },
            },
        ],
        [
            "get-weather",
            { city: "Paris" },
            {
                text: "Weather in Paris, US: sunny, 22°C",
                structuredContent: {
                    location: { city: "Paris", country: "US" },
                    temperature: { celsius: 22, fahrenheit: 71.6 },
                    conditions: "sunny",
                    humidity: 45,
                },
            },
        ],
        [
            "get-weather",
            { city: ["Oslo"] },
            bad("get-weather", "city: Invalid input: expected string, received array"),
        ],
    ],
    "read-file": [
        ["read-file", { path: "LICENSE-SHORT" }, { text: "naïve\n" }],
        ["read-file", { path: "LICENSE-SHORT", encoding: "ascii" }, { text: "naC/ve\n" }],
        [
            "read-file",
            { path: "/nowhere/at-all" },
            {
                text: "Error reading file: ENOENT: no such file or directory, open '/nowhere/at-all'",
                isError: true,
            },
            {
                because: "the reason is in the words of the C library",
                text: "Error reading file: /nowhere/at-all: No such file or directory",
            },
        ],
        [
            "read-file",
            { path: "x", encoding: "latin1" },
            bad("read-file", 'encoding: Invalid option: expected one of "utf8"|"ascii"'),
        ],
    ],
    calculator: [
        /* The seed leaves the handler open; these are ours. */
        ["calculate", { expression: "1", mode: "exact" }, { text: "1" }],
        ["calculate", { expression: "(1 + 2) * -3 / 4", mode: "exact" }, { text: "-2.25" }],
        ["calculate", { expression: "2 / 3", mode: "approximate" }, { text: "0.67" }],
        [
            "calculate",
            { expression: "2/3", mode: "approximate", precision: 5 },
            { text: "0.66667" },
        ],
        ["calculate", { expression: "0.1 + 0.2", mode: "exact" }, { text: "0.30000000000000004" }],
        ["calculate", { expression: "PI * 2", mode: "approximate" }, { text: "6.28" }],
        ["calculate", { expression: "1e3 - 1", mode: "exact", options: {} }, { text: "999" }],
        [
            "calculate",
            { expression: "PI", mode: "exact", options: { caseSensitive: true } },
            { text: "Error: expected a number at position 0", isError: true },
        ],
        [
            "calculate",
            { expression: " 1", mode: "exact", options: { trim: false } },
            { text: "Error: there are spaces around the expression", isError: true },
        ],
        [
            "calculate",
            { expression: "1 / (2 - 2)", mode: "exact" },
            { text: "Error: division by zero at position 11", isError: true },
        ],
        [
            "calculate",
            { expression: `${"(".repeat(100)}1`, mode: "exact" },
            { text: "Error: too many parentheses at position 65", isError: true },
        ],
        [
            "calculate",
            { expression: "1", mode: "fuzzy" },
            bad("calculate", 'mode: Invalid option: expected one of "exact"|"approximate"'),
        ],
        [
            "calculate",
            { expression: "1", mode: "exact", precision: -1 },
            bad("calculate", "precision: Too small: expected number to be >=0"),
        ],
        [
            "calculate",
            { expression: "1", mode: "exact", precision: 11 },
            bad("calculate", "precision: Too big: expected number to be <=10"),
        ],
        [
            "calculate",
            { expression: "1", mode: "exact", options: { trim: "yes" } },
            bad("calculate", "options.trim: Invalid input: expected boolean, received string"),
        ],
        [
            "calculate",
            { expression: "1", mode: "exact", options: [] },
            bad("calculate", "options: Invalid input: expected object, received array"),
        ],
    ],
    "multi-tool": [
        ["add", { a: 1, b: 2 }, { text: "1 + 2 = 3", structuredContent: { result: 3 } }],
        [
            "add",
            { a: 0.1, b: 0.2 },
            {
                text: "0.1 + 0.2 = 0.30000000000000004",
                structuredContent: { result: 0.30000000000000004 },
            },
        ],
        [
            "add",
            { a: 1e21, b: -1.5 },
            { text: "1e+21 + -1.5 = 1e+21", structuredContent: { result: 1e21 } },
        ],
        ["add", { a: 1 }, bad("add", "b: Invalid input: expected number, received undefined")],
        ["add", { a: "1", b: 2 }, bad("add", "a: Invalid input: expected number, received string")],
        ["reverse-string", { text: "haft" }, { text: "tfah" }],
        ["reverse-string", { text: "" }, { text: "" }],
        [
            "reverse-string",
            { text: "a😀b" },
            { text: "b\ude00\ud83da" },
            { because: "a code point stays whole; halves of one are no text", text: "b😀a" },
        ],
        [
            "current-time",
            { timezone: "Nowhere/Land" },
            { text: "Invalid time zone specified: Nowhere/Land", isError: true },
        ],
    ],
    divide: [
        ["divide", { numerator: 1, denominator: 4 }, { text: "0.25" }],
        ["divide", { numerator: 1, denominator: 3 }, { text: "0.3333333333333333" }],
        ["divide", { numerator: -7, denominator: 1e-7 }, { text: "-70000000" }],
        ["divide", { numerator: 0, denominator: -5 }, { text: "0" }],
        ["divide", { numerator: 1e300, denominator: 1e-7 }, { text: "1.0000000000000001e+307" }],
        [
            "divide",
            { numerator: 1, denominator: 0 },
            { text: "Error: Division by zero", isError: true },
        ],
        [
            "divide",
            { numerator: null, denominator: true },
            bad(
                "divide",
                "numerator: Invalid input: expected number, received null, " +
                    "denominator: Invalid input: expected number, received boolean",
            ),
        ],
    ],
    catalog: [
        ["search", { query: "mug" }, { text: "Travel mug\nMug rack" }],
        ["search", { query: "MUG", limit: 1 }, { text: "Travel mug" }],
        ["search", { query: "" }, { text: "Espresso cup\nTravel mug\nMug rack" }],
        ["search", { query: "", limit: -1 }, { text: "Espresso cup\nTravel mug" }],
        ["search", { query: "", limit: 0 }, { text: "" }],
        ["search", { query: "teapot" }, { text: "" }],
        [
            "search",
            { query: "mug", limit: 999 },
            bad("search", "limit: Too big: expected number to be <=50"),
        ],
        [
            "search",
            { query: "mug", limit: 1.5 },
            bad("search", "limit: Invalid input: expected int, received number"),
        ],
        ["search", {}, bad("search", "query: Invalid input: expected string, received undefined")],
        [
            "search",
            undefined,
            bad("search", "query: Invalid input: expected string, received undefined"),
        ],
        [
            "search",
            { query: 5 },
            bad("search", "query: Invalid input: expected string, received number"),
        ],
        [
            "search",
            { query: null },
            bad("search", "query: Invalid input: expected string, received null"),
        ],
        [
            "search",
            { query: 5, limit: 999 },
            bad(
                "search",
                "query: Invalid input: expected string, received number, " +
                    "limit: Too big: expected number to be <=50",
            ),
        ],
        [
            "search",
            { query: "mug", bogus: 1 },
            { text: "Travel mug\nMug rack" },
            {
                because: "a key that nobody reads is a mistake, and the model is told",
                ...bad("search", 'Unrecognized key: "bogus" (accepted: "query", "limit")'),
            },
        ],
        [
            "product-details",
            { name: "Travel mug" },
            {
                text: '{"name":"Travel mug","price":24}',
                structuredContent: { name: "Travel mug", price: 24 },
            },
        ],
        ["product-details", { name: "nope" }, { text: "No product named nope", isError: true }],
        ["clear-catalog", { anything: 1 }, { text: "Catalog cleared" }],
        ["clear-catalog", undefined, { text: "Catalog cleared" }],
        ["search", { query: "mug" }, { text: "" }],
    ],
};
