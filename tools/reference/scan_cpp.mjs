// scan_cpp.mjs - reads a C++ header: what namespace haft has, and the public members of its classes.
//
// Comments belong to declarations as in the C headers (scan.mjs).  A function without a comment that calls a function
// of the C interface is described by that, a class by the comment of its header.  namespace haft::detail is not public.

import {countLines, endOfComment, stripComment} from './scan.mjs';

// Behind the bracket that closes the one at `at`.
function endOfBracket(text, at) {
  let depth = 0;

  for (let i = at; i < text.length; i++) {
    const c = text[i];

    if (text.startsWith('/*', i)) i = endOfComment(text, i) - 1;
    else if (c === '"' || (c === "'" && !/\w/.test(text[i - 1]))) {
      for (i++; text[i] !== c; i++) if (text[i] === '\\') i++;
    } else if ('({['.includes(c)) depth++;
    else if (')}]'.includes(c) && --depth === 0) return i + 1;
  }
  throw new Error(`a bracket does not close: ${text.slice(at, at + 40)}`);
}

// The item at `at`: {head, body, end}.  It ends with a semicolon, or with the body of a function or a namespace.
function item(text, at) {
  for (let i = at; i < text.length; i++) {
    const c = text[i];

    if (text.startsWith('/*', i)) i = endOfComment(text, i) - 1;
    else if (c === ';') return {head: text.slice(at, i), body: '', end: i + 1};
    else if (c === '(' || c === '[') i = endOfBracket(text, i) - 1;
    else if (c === '{') {
      const end = endOfBracket(text, i), rest = text.slice(end).match(/^\s*;/);

      // x_{value} in a list of initializers, and = {value}.
      if (/\w$/.test(text.slice(at, i)) || /=\s*$/.test(text.slice(at, i))) i = end - 1;
      else return {head: text.slice(at, i), body: text.slice(i + 1, end - 1), end: end + (rest ? rest[0].length : 0)};
    }
  }
  return {head: text.slice(at), body: '', end: text.length};
}

// The items of a region: [{head, body, doc, note, access}].
function items(text, access) {
  const list = [];
  let at = 0, line = 0, comment = null, last = null;

  while (at < text.length) {
    const rest = text.slice(at), space = rest.match(/^\s+/), label = rest.match(/^(public|private|protected):/), directive = rest.match(/^#(?:[^\n\\]|\\\n|\\.)*/);
    let size;

    if (space) size = space[0].length;
    else if (rest.startsWith('/*')) {
      size = endOfComment(text, at) - at;
      const body = stripComment(text.slice(at, at + size));

      if (/^-{3,}/.test(body)) comment = null;
      else if (last && last.line === line && !last.note) last.note = body;
      else comment = {text: body, end: line + countLines(text.slice(at, at + size))};
    } else if (label) {
      access = label[1];
      size = label[0].length;
    } else if (directive) {
      size = directive[0].length;
      list.push(last = {directive: directive[0], doc: comment && comment.end + 1 >= line ? comment.text : '', note: '', access});
      comment = null;
    } else {
      const {head, body, end} = item(text, at);

      size = end - at;
      last = {head, body, doc: comment && comment.end + 1 >= line ? comment.text : '', note: '', access};
      list.push(last);
      comment = null;
    }
    line += countLines(text.slice(at, at + size));
    if (last && !space) last.line = line;
    at += size;
  }
  return list;
}

const tidy = (head) => head.replace(/\/\*[\s\S]*?\*\//g, ' ').replace(/\s+/g, ' ').trim();

// A constructor's declaration ends before its initializers.
function signature(head) {
  const text = tidy(head);
  const open = text.indexOf('(', text.startsWith('template') ? text.indexOf('>') : 0);

  if (open < 0) return text;
  const close = endOfBracket(text, open), tail = text.slice(close).match(/^\s*(const)?\s*(noexcept)?\s*(override)?/)[0];

  return (text.slice(0, close) + tail.trimEnd()).trim();
}

const withoutTemplate = (text) => {
  let rest = text;

  while (rest.startsWith('template')) {
    let depth = 0, i = rest.indexOf('<');

    for (; i < rest.length; i++) {
      if (rest[i] === '<') depth++;
      if (rest[i] === '>' && --depth === 0) break;
    }
    rest = rest.slice(i + 1).trim();
  }
  return rest;
};

function nameOf(head) {
  const text = withoutTemplate(tidy(head));
  let m;

  if ((m = text.match(/^using (\w+) =/))) return {kind: 'type', name: m[1]};
  if ((m = text.match(/^enum (?:class )?(\w+)/))) return {kind: 'enum', name: m[1]};
  if (/^using /.test(text) || /^friend /.test(text) || /^static_assert/.test(text)) return null;
  if ((m = text.match(/^(?:class|struct) (\w+)(?! *<)\b(?: final)?(?: :.*)?$/))) return {kind: 'class', name: m[1]};
  if (/^(class|struct) \w+ *</.test(text)) return null; // a specialization
  if ((m = text.match(/(operator\s*[^\s(]+|~?\w+)\s*\(/))) return {kind: 'function', name: m[1].replace(/\s/g, '')};
  if ((m = text.match(/(\w+)\s*(=.*|\{.*)?$/))) return {kind: 'variable', name: m[1]};
  return null;
}

// What a declaration is, where its comment does not say it: a function of the C interface that it calls, the object of
// the C interface that it returns, or what an alias stands for.
function obvious(head, body) {
  const text = withoutTemplate(tidy(head)), found = body.match(/\bhaft_(?!server_error\b)\w+(?=\()/);
  const object = text.match(/^(?:const )?(haft_\w+) \*get\(/), alias = text.match(/^using \w+ = (.*)$/);

  if (object) return `Returns the ${object[1]}, for functions of the C interface.`;
  if (alias) return `An alias of \`${alias[1]}\`.`;
  return found ? `Calls ${found[0]}.` : '';
}

const isDeleted = (head) => /= delete$/.test(tidy(head));

function membersOf(body, scope, access) {
  const members = [], own = scope.split('::').pop();

  for (const one of items(body, access)) {
    const named = !one.directive && one.access === 'public' && !isDeleted(one.head) ? nameOf(one.head) : null;

    if (!named || named.name.endsWith('_') || named.name.startsWith('~')) continue;
    const fallback = named.name === own ? 'Constructor.' : obvious(one.head, one.body), text = named.kind === 'function' ? signature(one.head) : tidy(one.head);

    members.push({text: `${text};`, names: [named.name], doc: one.doc || one.note || fallback});
  }
  return members;
}

function entryOf(one, include) {
  const named = nameOf(one.head);

  if (!named || named.name.endsWith('_')) return null;
  const name = `haft::${named.name}`, text = named.kind === 'function' ? signature(one.head) : tidy(one.head), common = {name, include, note: '', short: named.name};

  if (named.kind === 'class') {
    const access = /\bclass \w+( :|$)/.test(withoutTemplate(tidy(one.head))) ? 'private' : 'public';

    return {...common, kind: 'struct', text: `${text} {};`, members: mergeOverloads(membersOf(one.body, name, access))};
  }
  if (named.kind === 'enum') return {...common, kind: 'type', text: `${text} {${tidy(one.body)}};`};
  return {...common, kind: named.kind, text: `${text};`};
}

// Overloads are one member; each that has a comment adds to its description.
function mergeOverloads(members) {
  const list = [];

  for (const member of members) {
    const same = list.find((one) => one.names[0] === member.names[0]);

    if (!same) list.push({...member});
    else {
      same.text += `\n    ${member.text}`;
      if (!same.doc.includes(member.doc)) same.doc = same.doc === 'Constructor.' ? member.doc : `${same.doc}\n\n${member.doc}`;
    }
  }
  return list;
}

function groupsOf(text, include, inside, groups, about) {
  for (const one of items(text, 'public')) {
    if (one.directive) {
      const m = one.directive.match(/^#define (HAFT_\w+)(\([^)]*\))/);

      if (m && !m[1].endsWith('_')) {
        const doc = one.doc || (about.includes(m[1]) ? about : '');

        groups.push({section: '', doc, entries: [{kind: 'macro', name: m[1], text: `#define ${m[1]}${m[2]}`, include, note: ''}]});
      }
      continue;
    }
    const head = tidy(one.head);

    if (/^extern "C/.test(head) || head === 'namespace haft') groupsOf(one.body, include, inside || head === 'namespace haft', groups, about);
    else if (inside && !head.startsWith('namespace')) {
      const entry = entryOf(one, include);

      if (entry) groups.push({section: '', doc: one.doc || one.note || (entry.members ? about : obvious(one.head, one.body)), entries: [entry]});
    }
  }
  return groups;
}

// As scanHeader, with groups instead of sections.
export function scanCpp(include, text) {
  const [, comment] = text.match(/^(\/\*[\s\S]*?\*\/)/), body = stripComment(comment);
  const [first, ...rest] = body.split(/\n\n/), overview = rest.join('\n\n');
  const title = first.slice(include.length).replace(/^\s*-\s*/, '').replace(/\s+/g, ' ').replace(/\.$/, '');

  return {include, title, overview, sections: [], groups: groupsOf(text, include, false, [], `${title[0].toUpperCase()}${title.slice(1)}.\n\n${overview}`)};
}
