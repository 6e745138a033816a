// search.js - the search of the HTML reference: a list below the field, while typing.
//
// Pages load index.js before it, which defines haftIndex: [[name, kind, address, summary], ...].  Both are plain
// scripts, so that they work from file://.

// The entries that match every word of the query, best first.
function haftSearch(index, query, limit) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = [];

  if (!words.length) return found;
  for (let i = 0; i < index.length; i++) {
    const name = index[i][0].toLowerCase(), summary = index[i][3].toLowerCase();
    let score = 0;

    for (const word of words) {
      const at = name.indexOf(word);
      const points = name === word ? 100 : at === 0 ? 60 : at > 0 && /[._\s-]/.test(name[at - 1]) ? 40 : at > 0 ? 25 : summary.includes(word) ? 5 : 0;

      if (!points) {
        score = 0;
        break;
      }
      score += points;
    }
    if (score) found.push({score: score - name.length / 100, i});
  }
  found.sort((a, b) => b.score - a.score || a.i - b.i);
  return found.slice(0, limit).map((one) => index[one.i]);
}

if (typeof document !== 'undefined') {
  const field = document.getElementById('search'), list = document.getElementById('found');
  const show = () => {
    list.textContent = '';
    for (const [name, kind, address, summary] of haftSearch(haftIndex, field.value, 30)) {
      const item = document.createElement('li'), link = document.createElement('a'), about = document.createElement('span');

      link.href = address;
      link.textContent = name;
      about.textContent = ` ${kind}${summary ? ` - ${summary}` : ''}`;
      item.append(link, about);
      list.append(item);
    }
    list.hidden = !list.childElementCount;
  };

  field.addEventListener('input', show);
  field.addEventListener('keydown', (event) => {
    const first = list.querySelector('a');

    if (event.key === 'Enter' && first) location.href = first.href;
    if (event.key === 'Escape') {
      field.value = '';
      show();
    }
  });
  document.addEventListener('keydown', (event) => {
    if (event.key === '/' && event.target !== field) {
      event.preventDefault();
      field.focus();
    }
  });
}

if (typeof module !== 'undefined') module.exports = {haftSearch};
