// scan.mjs - reads a public header: its sections, declarations and the comments that describe them.
//
// The headers describe a declaration in a plain comment directly above it.  Declarations that follow without an empty
// line and without a comment of their own belong to the same group and share the comment.  A comment at the end of a
// line describes what is on the line.  A comment of the form "---- title ----" starts a section.

export const stripComment = (text) =>
  text.replace(/^\/\*+/, '').replace(/\*+\/$/, '').split('\n')
    .map((line, i) => (i ? line.replace(/^\s*\* ?/, '') : line.replace(/^ /, '')).trimEnd())
    .join('\n').replace(/^\n+|\n+$/g, '');

// The comment as blocks: {kind: 'para' | 'code' | 'list', text}.  Lines that are indented by four or more are code.
export function prose(comment) {
  const blocks = [];
  let last = null;

  for (const line of comment.split('\n')) {
    const code = /^ {3,}\S/.test(line);

    if (line.trim() === '') {
      if (last && last.kind === 'code') last.text += '\n';
      else last = null;
    } else if (code && !(last && last.kind === 'list')) {
      if (!last || last.kind !== 'code') blocks.push(last = {kind: 'code', text: ''});
      last.text += line + '\n';
    } else if (/^- /.test(line)) {
      blocks.push(last = {kind: 'list', text: line.slice(2)});
    } else if (last && last.kind !== 'code') {
      last.text += ' ' + line.trim();
    } else {
      blocks.push(last = {kind: 'para', text: line.trim()});
    }
  }
  for (const block of blocks) block.text = block.kind === 'code' ? outdent(block.text) : block.text.replace(/\s+/g, ' ');
  return blocks;
}

function outdent(text) {
  const lines = text.replace(/\n+$/, '').split('\n');
  const by = Math.min(...lines.filter((line) => line.trim()).map((line) => line.match(/^ */)[0].length));

  return lines.map((line) => line.slice(by)).join('\n');
}

export const countLines = (text) => text.split('\n').length - 1;

export function endOfComment(text, at) {
  const end = text.indexOf('*/', at + 2);

  if (end < 0) throw new Error('a comment does not end');
  return end + 2;
}

// Where a declaration that begins at `at` ends: behind its semicolon.
function endOfDeclaration(text, at) {
  let depth = 0;

  for (let i = at; i < text.length; i++) {
    const c = text[i];

    if (text.startsWith('/*', i)) i = endOfComment(text, i) - 1;
    else if (c === '"' || c === "'") {
      for (i++; text[i] !== c; i++) if (text[i] === '\\') i++;
    } else if ('({['.includes(c)) depth++;
    else if (')}]'.includes(c)) depth--;
    else if (c === ';' && depth === 0) return i + 1;
  }
  throw new Error(`a declaration does not end: ${text.slice(at, at + 60)}`);
}

// A header as a list of {kind: 'comment' | 'directive' | 'code', text, line, end}; lines count from 1.
function tokens(text) {
  const list = [];
  let at = 0, line = 1;

  while (at < text.length) {
    const rest = text.slice(at);
    let size = rest.match(/^\s*/)[0].length, kind;

    if (size === 0) {
      if (rest.startsWith('/*')) {
        kind = 'comment';
        size = endOfComment(text, at) - at;
      } else if (rest.startsWith('#')) {
        kind = 'directive';
        size = rest.match(/^(?:[^\n\\]|\\\n|\\.)*/)[0].length;
      } else if (/^(extern "C" \{|\})/.test(rest)) {
        size = rest.match(/^(extern "C" \{|\})/)[0].length;
      } else {
        kind = 'code';
        size = endOfDeclaration(text, at) - at;
      }
    }
    const piece = text.slice(at, at + size);

    if (kind) list.push({kind, text: piece, line, end: line + countLines(piece)});
    line += countLines(piece);
    at += size;
  }
  return list;
}

// ---- what is in braces ----

// The parts of a struct or enum, [{text, doc}]: a comment belongs to what is on its line, else to what follows it
// without an empty line.
function parts(text, separator) {
  const body = text.replace(/^[ \t]*#.*$/gm, ''), list = [];
  let line = 0, depth = 0, part = null, leading = null;
  const finish = () => {
    const previous = list[list.length - 1];

    if (part) {
      if (leading && leading.end + 1 >= part.line) part.leading = leading.text;
      else if (previous && !previous.own && previous.end + 1 >= part.line) part.leading = previous.leading;
      list.push({...part, text: part.text.trim().replace(/\s+/g, ' '), end: line});
      leading = null;
    }
    part = null;
  };

  for (let at = 0; at < body.length; at++) {
    const c = body[at], last = list[list.length - 1];

    if (body.startsWith('/*', at)) {
      const comment = body.slice(at, endOfComment(body, at));

      if (part) part.own = stripComment(comment);
      else if (last && last.end === line && !last.own) last.own = stripComment(comment);
      else leading = {text: stripComment(comment), end: line + countLines(comment)};
      line += countLines(comment);
      at += comment.length - 1;
      continue;
    }
    if ('({['.includes(c)) depth++;
    if (')}]'.includes(c)) depth--;
    if (c === separator && depth === 0) finish();
    else if (part) part.text += c;
    else if (c.trim()) part = {text: c, line, own: '', leading: ''};
    if (c === '\n') line++;
  }
  finish();
  return list.map((one) => ({text: one.text, doc: one.own || one.leading}));
}

// The names that a member declares: "size_t size, capacity" has two.
function memberNames(text) {
  const pointer = text.match(/\(\*\s*(\w+)\)\s*\(/);

  if (pointer) return [pointer[1]];
  return text.replace(/\{.*\}/s, ' ').split(',').map((part) => (part.replace(/\[[^\]]*\]/g, '').match(/(\w+)\s*$/) || [])[1])
    .filter(Boolean);
}

// Rows of a list macro: X(NAME, 1, "text") with an optional comment behind it.
function rows(body) {
  const list = [];
  const pattern = /X\(((?:[^()"]|"(?:[^"\\]|\\.)*")*)\)\s*(?:\/\*([\s\S]*?)\*\/)?/g;

  for (const [, args, comment] of body.replace(/\\\n/g, '\n').matchAll(pattern)) {
    const values = [...args.matchAll(/"(?:[^"\\]|\\.)*"|[^,\s]+/g)].map((m) => m[0]);

    list.push({values, comment: (comment || '').replace(/\s+/g, ' ').trim()});
  }
  return list;
}

const quoted = (value) => value.startsWith('"');

function rowDoc(list, row) {
  if (list === 'HAFT_FORMATS') {
    const [, zod, json, noun] = row.values.map((value) => (quoted(value) ? value.slice(1, -1) : ''));

    return `${noun}; ${json ? `\`"format": "${json}"\` in JSON Schema` : 'a `pattern` in JSON Schema'}; issues name it \`${zod}\``;
  }
  const texts = row.values.filter(quoted).map((value) => '`' + value + '`').join(', ');

  if (list === 'HAFT_ERRORS') return `${texts} (${row.comment})`;
  return [texts, row.comment].filter(Boolean).join(': ');
}

// ---- declarations ----

const isPublic = (name) => /^(haft_|HAFT_)/.test(name) && !name.endsWith('_');
const tidy = (text) =>
  text.replace(/\/\*[\s\S]*?\*\//g, ' ').replace(/\bHAFT_(PRINTF_\([^)]*\)|SENTINEL_|SHOWN_)/g, '')
    .replace(/\s+/g, ' ').replace(/ ;/g, ';').replace(/\( /g, '(').trim();

function enumerators(body, header) {
  const found = [];
  const rename = new Map([...body.matchAll(/#define (\w+)\(name[^)]*\)\s*(\S+)/g)].map((m) => [m[1], m[2]]));

  for (const part of parts(body, ',')) {
    for (const [, list, helper] of part.text.matchAll(/(HAFT_\w+)\((\w+)\)/g)) {
      const form = rename.get(helper) || header.helpers.get(helper) || 'name';

      for (const row of header.lists.get(list) || []) {
        const name = form.replace(/,$/, '').replace('##name', row.values[0]).replace(/^name$/, row.values[0]);

        found.push({name, value: form.includes('value') || list === 'HAFT_ERRORS' ? row.values[1] : '', doc: rowDoc(list, row)});
      }
    }
    const plain = part.text.replace(/HAFT_\w+\(\w+\)/g, ' ').trim();
    const [, name, value] = plain.match(/^(\w+)(?:\s*=\s*(.+))?$/) || [];

    if (name && isPublic(name)) found.push({name, value: value || '', doc: part.doc});
  }
  return found;
}

function members(body, header) {
  const expanded = body.replace(/\bHAFT_WORDS_\b/g, () => header.words || '');

  return parts(expanded, ';').map((part) => {
    const nested = part.text.match(/^union \{([\s\S]*)\} (\w+)$/);

    return {text: tidy(part.text) + ';', names: nested ? [nested[2]] : memberNames(part.text), doc: part.doc};
  }).filter((member) => !member.names.every((name) => name.endsWith('_')));
}

function declaration(code, header) {
  const text = tidy(code);
  let m;

  if ((m = code.match(/^(?:typedef )?enum(?: (\w+))? \{([\s\S]*)\}\s*(\w*);$/))) {
    const list = enumerators(m[2], header);

    if (m[1] || m[3]) return {kind: 'enum', name: m[3] || m[1], tag: m[1], text, enumerators: list};
    return list.length ? {kind: 'constants', name: list[0].name, text, enumerators: list} : null;
  }
  if ((m = code.match(/^(typedef )?struct (\w+) \{([\s\S]*)\}\s*(\w*);$/)))
    return {kind: 'struct', name: m[4] || m[2], tag: m[1] ? null : m[2], text, members: members(m[3], header)};
  if ((m = text.match(/^typedef struct (\w+) (\w+);$/))) return {kind: 'type', name: m[2], text, opaque: true};
  if ((m = text.match(/^struct (\w+);$/))) return null;
  if ((m = text.match(/^typedef .*?(\w+)\(.*\);$/)) && !/\(\*/.test(text.split('(')[0] + '(')) return {kind: 'type', name: m[1], text};
  if ((m = text.match(/^typedef .*\b(\w+);$/))) return {kind: 'type', name: m[1], text};
  if ((m = text.match(/^extern .*\b(\w+);$/))) return {kind: 'variable', name: m[1], text};
  if ((m = text.match(/^[^(]*?\b(\w+)\(/))) return {kind: 'function', name: m[1], text};
  throw new Error(`${header.include}: a declaration that is not understood: ${text}`);
}

function macro(directive) {
  const m = directive.match(/^#define (\w+)(\([^)]*\))?([\s\S]*)$/);

  if (!m) return null;
  const body = m[3].replace(/\\\n/g, '\n').trim();

  if (!body && /_H$/.test(m[1])) return null;
  const plain = body.replace(/\s+/g, ' ');
  const value = !m[2] && plain.length < 60 && !/_\b/.test(plain) ? ' ' + plain : '';

  return {kind: 'macro', name: m[1], text: `#define ${m[1]}${m[2] || ''}${value}`, body};
}

// {include, title, overview, sections: [{title, groups: [{doc, entries}]}]}.
export function scanHeader(include, text) {
  const header = {include, title: '', overview: '', sections: [], lists: new Map(), helpers: new Map()};
  let section = null, group = null, comment = null, end = -1, last = null, hidden = false;
  const add = (entry, token) => {
    const own = comment && comment.end + 1 >= token.line ? comment.text : null;

    comment = null;
    if (!entry || !isPublic(entry.name) || hidden) {
      if (!hidden && end === token.line - 1) end = token.end;
      return;
    }
    if (own !== null || !group || end + 1 < token.line) {
      if (!section) header.sections.push(section = {title: '', groups: []});
      section.groups.push(group = {doc: own || '', entries: []});
    }
    group.entries.push(last = {...entry, include, line: token.line, note: '', endLine: token.end});
    end = token.end;
  };

  for (const token of tokens(text)) {
    if (token.kind === 'comment') {
      const body = stripComment(token.text);
      const title = body.match(/^-{3,} (.*?) -{3,}$/s);

      if (!header.title && body.startsWith(include)) {
        const [first, ...rest] = body.split(/\n\n/);

        header.title = first.slice(include.length).replace(/^\s*-\s*/, '').replace(/\s+/g, ' ').replace(/\.$/, '');
        header.overview = rest.join('\n\n');
      } else if (title) {
        header.sections.push(section = {title: title[1], groups: []});
        group = comment = null;
        hidden = title[1] === 'behind the macros';
      } else if (last && last.endLine === token.line) {
        last.note = body;
        end = token.end;
      } else comment = {text: body, end: token.end};
    } else if (token.kind === 'directive') {
      const entry = macro(token.text);

      if (entry && /^\(X\)/.test(token.text.slice(`#define ${entry.name}`.length))) header.lists.set(entry.name, rows(token.text));
      if (entry && entry.name.endsWith('_')) header.helpers.set(entry.name, entry.body.split(/\s/)[0]);
      if (entry && entry.name === 'HAFT_WORDS_') header.words = entry.body;
      if (entry) add(entry, token);
    } else add(declaration(token.text, header), token);
  }
  header.sections = header.sections.filter((one) => one.groups.length);
  return header;
}
