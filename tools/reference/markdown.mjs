// markdown.mjs - the Markdown that docs/ uses, as blocks:
//   {kind: 'heading', level, text}  {kind: 'para', text}  {kind: 'code', text, language}
//   {kind: 'list', ordered, items: [blocks]}  {kind: 'table', head, rows}  {kind: 'quote', blocks}
// Text keeps its inline marks; inline() takes them apart.

const isTable = (lines, i) => /^\s*\|/.test(lines[i]) && /^\s*\|[\s:|-]+\|?\s*$/.test(lines[i + 1] || '');

function cells(line) {
  const list = [];
  let text = '', code = false;

  for (const c of line.trim().replace(/^\|/, '').replace(/\|$/, '').replace(/\\\|/g, '\u0001')) {
    if (c === '`') code = !code;
    if (c === '|' && !code) {
      list.push(text.trim());
      text = '';
    } else text += c === '\u0001' ? '|' : c;
  }
  return [...list, text.trim()];
}

function readCode(lines, i, blocks) {
  const [, indent, language] = lines[i].match(/^(\s*)```(\S*)/);
  const code = [];

  for (i++; i < lines.length && !lines[i].trim().startsWith('```'); i++) code.push(lines[i].replace(new RegExp(`^ {0,${indent.length}}`), ''));
  blocks.push({kind: 'code', text: code.join('\n'), language});
  return i + 1;
}

const ITEM = /^(\s*)([-*]|\d+\.) +(.*)$/;

function readList(lines, i, blocks) {
  const [, indent, mark] = lines[i].match(ITEM);
  const list = {kind: 'list', ordered: /\d/.test(mark), items: []};

  while (i < lines.length) {
    const m = lines[i].match(ITEM);

    if (!m || m[1].length !== indent.length) break;
    const by = m[1].length + m[2].length + 1, item = [m[3]];

    for (i++; i < lines.length; i++) {
      if (lines[i].trim() && lines[i].match(/^ */)[0].length < by) break;
      if (!lines[i].trim() && !(lines[i + 1] || '').startsWith(' '.repeat(by))) break;
      item.push(lines[i].slice(by));
    }
    list.items.push(parse(item.join('\n')));
    while (i < lines.length && !lines[i].trim() && ITEM.test(lines[i + 1] || '')) i++;
  }
  blocks.push(list);
  return i;
}

export function parse(text) {
  const lines = text.replace(/<!--[\s\S]*?-->/g, '').split('\n'), blocks = [];
  let i = 0;

  while (i < lines.length) {
    const line = lines[i];

    if (!line.trim()) i++;
    else if (/^\s*```/.test(line)) i = readCode(lines, i, blocks);
    else if (/^#+ /.test(line)) {
      blocks.push({kind: 'heading', level: line.match(/^#+/)[0].length, text: line.replace(/^#+ +/, '').trim()});
      i++;
    } else if (isTable(lines, i)) {
      const table = {kind: 'table', head: cells(line), rows: []};

      for (i += 2; i < lines.length && /^\s*\|/.test(lines[i]); i++) table.rows.push(cells(lines[i]));
      blocks.push(table);
    } else if (ITEM.test(line)) i = readList(lines, i, blocks);
    else if (line.startsWith('>')) {
      const quote = [];

      for (; i < lines.length && lines[i].startsWith('>'); i++) quote.push(lines[i].replace(/^> ?/, ''));
      blocks.push({kind: 'quote', blocks: parse(quote.join('\n'))});
    } else {
      const para = [];

      for (; i < lines.length && lines[i].trim() && !/^(\s*```|#+ |>)/.test(lines[i]) && !(para.length && ITEM.test(lines[i]) && !/^\s*\d/.test(lines[i])) &&
        !isTable(lines, i); i++)
        para.push(lines[i].trim());
      blocks.push({kind: 'para', text: para.join(' ')});
    }
  }
  return blocks;
}

// Inline marks: [{kind: 'text' | 'code' | 'strong' | 'em' | 'link' | 'image', text, target}].
export function inline(text) {
  const pattern = /(`+)(.+?)\1(?!`)|!\[([^\]]*)\]\(([^)]+)\)|\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)]+)\)|\*\*(.+?)\*\*|\*([^*\s][^*]*?)\*|<(https?:[^>]+)>|\\([*_|<>\\`\[\]])/g;
  const list = [];
  let at = 0;
  const put = (kind, content, target) => list.push({kind, text: content, target});

  for (const m of text.matchAll(pattern)) {
    if (m.index > at) put('text', text.slice(at, m.index));
    if (m[2] !== undefined) put('code', m[2].trim());
    else if (m[4] !== undefined) put('image', m[3], m[4]);
    else if (m[6] !== undefined) put('link', m[5], m[6]);
    else if (m[7] !== undefined) put('strong', m[7]);
    else if (m[8] !== undefined) put('em', m[8]);
    else if (m[9] !== undefined) put('link', m[9], m[9]);
    else put('text', m[10]);
    at = m.index + m[0].length;
  }
  if (at < text.length) put('text', text.slice(at));
  return list;
}

// A heading's anchor, as GitHub makes it.
export const anchor = (text) =>
  text.replace(/\]\([^)]*\)/g, '').toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, '').replace(/ /g, '-');
