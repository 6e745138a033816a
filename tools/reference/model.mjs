// model.mjs - everything public as one list: what the headers declare, and what the tables of the program have.
//
// An entry is {name, kind, text, doc, page, ...}.  Declarations that a header documents together make one page, which
// is named after the first of them.

import fs from 'node:fs';
import path from 'node:path';
import {prose, scanHeader} from './scan.mjs';
import {scanCpp} from './scan_cpp.mjs';

// Whether a page is about libhaft alone; libhaft-core has the others.
const OUTER = new Set(['authenticate', 'authorize', 'connect', 'gateway', 'option', 'otlp', 'part', 'plugin', 'redis', 'run', 'skill', 'sqlite'].map((name) => `haft/${name}.h`));
export const isOuter = (page) => OUTER.has(page.header) || (page.header === 'haft/http.h' && page.section === 'the server, on libuv');

export const headerFiles = (include) => {
  const below = fs.readdirSync(path.join(include, 'haft')).filter((name) => name.endsWith('.h')).sort().map((name) => `haft/${name}`);

  return ['haft.h', ...below];
};

export const cppFiles = (include) => {
  const folder = path.join(include, 'haft/cpp');

  if (!fs.existsSync(folder)) return [];
  return fs.readdirSync(folder).filter((name) => name.endsWith('.hpp')).sort().map((name) => `haft/cpp/${name}`).concat('haft.hpp');
};

// The first sentence, for lists and the NAME section.
export function summary(doc) {
  const [first] = prose(doc).filter((block) => block.kind === 'para');

  if (!first) return '';
  const text = first.text.replace(/`/g, '');
  const end = text.search(/[.:;](\s|$)/);

  return (end < 0 ? text : text.slice(0, end)).replace(/\s+/g, ' ');
}

const isDeclared = (entry) => entry.kind === 'struct' || entry.kind === 'enum';

// Of two entries with one name, the definition stays, and takes the description of the other if it has none.
function merge(pages) {
  const defined = new Map();

  for (const page of pages)
    for (const entry of page.entries) if (isDeclared(entry)) defined.set(entry.name, {entry, page});
  for (const page of pages) {
    page.entries = page.entries.filter((entry) => {
      const other = defined.get(entry.name);

      if (!entry.opaque || !other || other.entry === entry) return true;
      if (!other.page.doc) other.page.doc = entry.note || page.doc;
      other.entry.text = `${entry.text}\n${other.entry.text}`;
      return false;
    });
  }
  return pages.filter((page) => page.entries.length);
}

export function readHeaders(include) {
  const headers = headerFiles(include).map((file) => scanHeader(file, fs.readFileSync(path.join(include, file), 'utf8')));
  let pages = [];

  for (const header of headers)
    for (const section of header.sections)
      for (const group of section.groups)
        pages.push({header: header.include, section: section.title, doc: group.doc, entries: group.entries});
  pages = merge(pages);
  const known = new Set(pages.flatMap((page) => page.entries.map((entry) => entry.name)));

  for (const file of cppFiles(include)) {
    const header = scanCpp(file, fs.readFileSync(path.join(include, file), 'utf8'));

    headers.push(header);
    // C++ defines some macros again; they are described in C.
    for (const group of header.groups.filter(({entries}) => !known.has(entries[0].name))) pages.push({header: file, section: group.section, doc: group.doc, entries: group.entries, cpp: true});
  }
  // Headers that only hold what macros expand to have nothing to describe.
  const shown = headers.filter((header) => /^haft\.h(pp)?$/.test(header.include) || pages.some((page) => page.header === header.include));

  for (const page of pages) {
    page.name = page.entries[0].name;
    page.summary = summary(page.doc) || summary(page.entries[0].note) || page.name;
  }
  return {headers: shown, pages};
}

// Every name with the page that has it, and its description.
export function names(pages) {
  const list = [];

  for (const page of pages) {
    for (const entry of page.entries) {
      list.push({name: entry.name, kind: entry.kind, page, entry, doc: entry.note || page.doc, summary: summary(entry.note) || page.summary});
      for (const one of entry.enumerators || [])
        if (one.name !== entry.name) list.push({name: one.name, kind: 'enumerator', page, entry, doc: one.doc, summary: one.doc.replace(/`/g, '')});
    }
  }
  return list;
}

// Members are found by search as haft_tool.timeout_ms, those of C++ as haft::call::text.
export const memberName = (entry, name) => `${entry.name}${entry.name.includes('::') ? '::' : '.'}${name}`;

export function memberNames(pages) {
  const list = [];

  for (const page of pages)
    for (const entry of page.entries)
      for (const member of entry.members || [])
        for (const name of member.names)
          if (!name.endsWith('_')) list.push({name: memberName(entry, name), kind: 'member', page, entry, doc: member.doc, summary: summary(member.doc)});
  return list;
}

// ---- examples and cross references ----

const words = (text) => new Set(text.match(/\b(?:haft|HAFT)_\w+/g) || []);

// The C blocks of the documentation: {file, title, text, words}.
export function readExamples(docs) {
  const blocks = [];

  for (const {file, text} of docs) {
    const title = (text.match(/^# (.*)$/m) || [])[1];

    for (const [, code] of text.matchAll(/^```c(?: [a-z ]+)?\n([\s\S]*?)^```/gm)) blocks.push({file, title, text: code.trimEnd(), words: words(code)});
  }
  return blocks.sort((a, b) => a.text.length - b.text.length);
}

const LONGEST_EXAMPLE = 45;

// The shortest example that uses a name of the page.
export function exampleFor(page, blocks) {
  for (const entry of page.entries) {
    const used = new RegExp(`\\b${entry.name}\\b`);
    const block = blocks.find((one) => used.test(one.text) && one.text.split('\n').length <= LONGEST_EXAMPLE);

    if (block) return block;
  }
  return null;
}

// What else to read: types of the declarations, names in the description, pages of the same section.
export function related(page, pages, byName) {
  const found = new Set();
  const add = (name) => {
    const entry = byName.get(name);

    if (entry && entry.page !== page) found.add(entry.page.name);
  };

  for (const entry of page.entries) words(entry.text).forEach(add);
  words(page.doc).forEach(add);
  for (const other of pages) if (other.header === page.header && other.section === page.section && found.size < 12) add(other.name);
  return [...found].slice(0, 14);
}
