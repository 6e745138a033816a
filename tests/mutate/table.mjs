// The table of faults: tests/mutate/<room>.txt, one paragraph a fault.
//
//   @ FILE      the file's name, anywhere below the room's folder; * for any file there
//   - TEXT      what stands there: part of one line, once in the file
//   + TEXT      what it becomes; nothing takes a statement away
//   # WHY       why it is a fault
//   = REASON    it cannot be noticed, or must not be: not run
//
// A text that ends with ; is a statement, any other an expression with everything that binds tighter.
import { readdirSync, readFileSync, existsSync } from "node:fs";
import { basename, join } from "node:path";

const rooms = { home: "apps/home", program: "apps/haft", http_client: "src/http/client", sqlite: "src/store/sqlite" };
const elsewhere = { http: ["src/http/client"], store: ["src/store/sqlite"] };

export const roomFolder = (room) => rooms[room] ?? join("src", room);

const sourcesBelow = (root, folder, skip = []) =>
  !existsSync(join(root, folder)) ? [] : readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return skip.includes(path) ? [] : sourcesBelow(root, path, skip);
    return /\.[ch]$/.test(entry.name) ? [path] : [];
  });

const marks = { "@": "file", "-": "from", "+": "to", "#": "why", "=": "excluded" };

const readParagraph = (room, text, line) => {
  const row = { room, line };
  for (const part of text.split("\n")) {
    const name = marks[part[0]];
    if (!name || (part.length > 1 && part[1] !== " ")) throw new Error(`${room}.txt:${line}: not a row: ${part}`);
    if (name === "why" && row.why) row.why += " " + part.slice(2);
    else if (name in row) throw new Error(`${room}.txt:${line}: two lines with ${part[0]}`);
    else row[name] = part.slice(2);
  }
  for (const name of ["file", "from", "to", "why"])
    if (row[name] === undefined) throw new Error(`${room}.txt:${line}: no ${name}`);
  if ([row.from, row.to].some((text) => /^(else\b|(if|for|while|switch) ?\()/.test(text)))
    throw new Error(`${room}.txt:${line}: take the expression alone, not the ${row.from.split(/\W/)[0]}`);
  if (row.from === row.to) throw new Error(`${room}.txt:${line}: nothing changes`);
  return row;
};

const readRoom = (folder, name) => {
  const rows = [];
  let line = 1;
  for (const paragraph of readFileSync(join(folder, name), "utf8").split("\n\n")) {
    const text = paragraph.replace(/^\n+|\n+$/g, "");
    if (text && !text.startsWith("##")) rows.push(readParagraph(basename(name, ".txt"), text, line));
    line += paragraph.split("\n").length + 1;
  }
  return rows;
};

// All rows, numbered from 1 and placed in the sources of `root`.  `problems` has a line for each row that does not
// apply.
export const readTable = (root) => {
  const folder = join(root, "tests/mutate");
  const names = readdirSync(folder).filter((name) => name.endsWith(".txt")).sort();
  const rows = names.flatMap((name) => readRoom(folder, name));
  const problems = [];
  const texts = new Map();
  const textOf = (path) => {
    if (!texts.has(path)) texts.set(path, readFileSync(join(root, path), "utf8"));
    return texts.get(path);
  };
  rows.forEach((row, index) => {
    row.number = index + 1;
    const files = sourcesBelow(root, roomFolder(row.room), elsewhere[row.room])
      .filter((path) => row.file === "*" || basename(path) === row.file);
    const places = files.flatMap((path) => {
      const found = [];
      for (let at = textOf(path).indexOf(row.from); at >= 0; at = textOf(path).indexOf(row.from, at + 1)) found.push({ path, at });
      return found;
    });
    const where = `tests/mutate/${row.room}.txt:${row.line}`;
    if (files.length === 0) problems.push(`${where}: there is no ${row.file} below ${roomFolder(row.room)}`);
    else if (places.length !== 1) problems.push(`${where}: found ${places.length} times in ${row.file}: ${row.from}`);
    else Object.assign(row, places[0], { file: basename(places[0].path) });
  });
  return { rows, problems };
};

// The text of a file with its faults behind switches.
export const withFaults = (text, rows) => {
  let out = "", at = 0;
  const sorted = [...rows].sort((a, b) => a.at - b.at || a.number - b.number);
  for (let i = 0; i < sorted.length; ) {
    const row = sorted[i];
    const same = sorted.slice(i).filter((other) => other.at === row.at && other.from === row.from);
    if (row.at < at) throw new Error(`${row.room}.txt:${row.line}: overlaps the fault before it`);
    out += text.slice(at, row.at);
    if (row.from.endsWith(";"))
      out += same.map((fault) => `if (mutant_is(${fault.number})) { ${fault.to} } else `).join("") + `{ ${row.from} }`;
    else
      out += "(" + same.map((fault) => `mutant_is(${fault.number}) ? (${fault.to}) : `).join("") + `(${row.from}))`;
    at = row.at + row.from.length;
    i += same.length;
  }
  return out + text.slice(at);
};
