/* zod-random.mjs - schemas that nobody thought of: kinds and modifiers put together by chance,
 * always the same, each with a way to make values that are likely to fit. */

import { random } from "./zod-values.mjs";

const names = ["a", "b", "c", "name", "id", "k"];
const WORDS = ["", "a", "ab", "abc", "xyz", "é", "😀", "Hello"];

const anyOf = (pick, list) => list[pick(list.length)];

/* Each makes a description and a function that makes a value. */
const leaves = [
  () => [["string"], (p) => anyOf(p, WORDS)],
  (pick) => {
    const least = pick(3);
    return [["string", ["minLength", least], ["maxLength", least + 2]], (p) => anyOf(p, WORDS)];
  },
  () => [["string", ["pattern", "^[a-z]*$", ""]], (p) => anyOf(p, WORDS)],
  () => [["string", ["startsWith", "a"]], (p) => anyOf(p, WORDS)],
  () => [["formatted", "UUID_V4"], () => "550e8400-e29b-41d4-a716-446655440000"],
  () => [["formatted", "DATE"], () => "2024-02-29"],
  () => [["number"], (p) => p(100) / 4],
  (pick) => {
    const least = pick(9) - 4;
    return [["int", ["gte", least], ["lt", least + 5]], (p) => least + p(5)];
  },
  () => [["number", ["multipleOf", 0.5]], (p) => p(20) / 2],
  () => [["boolean"], (p) => !p(2)],
  () => [["null"], () => null],
  () => [["any"], (p) => anyOf(p, [1, "a", null, [], {}])],
  () => [["enum", ["a", "b", "xyz"]], (p) => anyOf(p, ["a", "b", "xyz"])],
  () => [["literals", [1, "a", null]], (p) => anyOf(p, [1, "a", null])],
];

function fields(pick, depth) {
  const chosen = names.filter(() => !pick(2)).slice(0, 4);
  const made = chosen.map((name) => {
    const [def, sample] = schema(pick, depth - 1);
    const rare = pick(3);
    return { name, def: rare ? def : [...def, ["optional"]], sample, rare: !rare };
  });
  return {
    shape: Object.fromEntries(made.map(({ name, def }) => [name, def])),
    sample: (p) =>
      Object.fromEntries(made.filter(({ rare }) => !rare || p(2)).map(({ name, sample }) => [name,
          sample(p)])),
  };
}

const several = (pick, depth, n) => Array.from({ length: n }, () => schema(pick, depth - 1));

const branches = [
  (pick, depth) => {
    const [def, sample] = schema(pick, depth - 1);
    const sizes = pick(2) ? [["minItems", 1], ["maxItems", 3]] : [];
    return [["array", def, ...sizes], (p) => Array.from({ length: p(4) }, () => sample(p))];
  },
  (pick, depth) => {
    const items = several(pick, depth, 1 + pick(3));
    const rest = pick(2) ? schema(pick, depth - 1) : null;
    return [
      ["tuple", items.map(([def]) => def), rest ? rest[0] : null],
      (p) => [...items.map(([, sample]) => sample(p)), ...(rest && p(2) ? [rest[1](p)] : [])],
    ];
  },
  (pick, depth) => {
    const { shape, sample } = fields(pick, depth);
    const mode = anyOf(pick, [[], [], [["loose"]], [["catchall", ["number"]]], [["partial"]],
        [["required"]]]);
    return [["object", shape, ...mode], sample];
  },
  (pick, depth) => {
    const [def, sample] = schema(pick, depth - 1);
    return [["record", ["string", ["maxLength", 3]], def],
        (p) => Object.fromEntries(names.filter(() => !p(3)).map((n) => [n, sample(p)]))];
  },
  (pick, depth) => {
    const [def, sample] = schema(pick, depth - 1);
    return [["record", ["enum", ["a", "b"]], def], (p) => ({ a: sample(p), b: sample(p) })];
  },
  (pick, depth) => {
    const options = several(pick, depth, 2 + pick(2));
    return [[anyOf(pick, ["union", "union", "xor"]), options.map(([def]) => def)], (p) => anyOf(p,
        options)[1](p)];
  },
  (pick, depth) => {
    const options = ["x", "y", 1].map((tag) => {
      const { shape, sample } = fields(pick, depth);
      return [["object", { t: ["literal", tag], ...shape }], (p) => ({ t: tag, ...sample(p) })];
    });
    return [["discriminated", "t", options.map(([def]) => def)], (p) => anyOf(p, options)[1](p)];
  },
];

const touches = [["nullable"], ["nullable"], ["describe", "d"], ["deprecated"], ["readOnly"]];

function schema(pick, depth) {
  const [def, sample] = anyOf(pick, depth > 0 && pick(5) ? branches : leaves)(pick, depth);
  if (pick(4)) return [def, sample];
  const touch = anyOf(pick, touches);
  return [[...def, touch], touch[0] === "nullable" ? (p) => (p(4) ? sample(p) : null) : sample];
}

export function randomCases(n) {
  return Array.from({ length: n }, (_, i) => {
    const pick = random(1000 + i);
    const [def, sample] = schema(pick, 3);
    return {
      name: `random: ${i}`,
      def,
      asked: def,
      values: Array.from({ length: 25 }, () => sample(pick)),
    };
  });
}
