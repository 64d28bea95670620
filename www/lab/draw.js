// A report as figures, bars and tables. Everything that comes from a log goes in as text.

const number = new Intl.NumberFormat('en');
const at = (id) => document.getElementById(id);
const SVG = 'http://www.w3.org/2000/svg';

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function shape(name, attributes, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const share = (part, whole) => (whole ? `${((100 * part) / whole).toFixed(1)} %` : '–');

/** Draws all of it. */
export function draw(report) {
  figures(report);
  chart(report);
  limits(report);
  hits('networks', report.networks, report.shadow > 0);
  hits('clients', report.clients, report.shadow > 0);
  table(at('keys'), ['Key', 'Limit', 'Refused'], report.keys.slice(0, 10).map((hit) => [element('code', {}, hit.key), hit.limit, number.format(hit.refused)]));
  cost(report);
}

function figures({ requests, passed, refused, shadow, callers, cost }) {
  const least = callers.at_least ? 'at least ' : '';
  const all = [
    ['Requests', number.format(requests), ''],
    ['Passed', number.format(passed), share(passed, requests)],
    ['Refused', number.format(refused), share(refused, requests)],
    ...(shadow ? [['In shadow', number.format(shadow), 'would be refused']] : []),
    ['Clients hit', least + number.format(callers.refused || callers.shadow), `of ${least}${number.format(callers.seen)}; ${number.format(callers.refused_seldom)} of them seldom`],
    ['Cost', `$${Number(cost.usd).toFixed(4)}`, 'of counting'],
  ];
  at('figures').replaceChildren(...all.map(([name, value, more]) =>
    element('div', {}, element('dt', {}, name), element('dd', {}, value, ...(more ? [element('small', {}, more)] : [])))));
}

const clock = (seconds, wide) => {
  const text = new Date(seconds * 1000).toISOString();
  return wide ? `${text.slice(0, 10)} ${text.slice(11, 16)}` : text.slice(11, 19);
};

function chart({ timeline, requests, refused, time }) {
  const { start_s: start, width_s: width } = timeline;
  const count = Math.max(timeline.requests.length, 1);
  const most = Math.max(1, ...timeline.requests);
  const bars = [];
  timeline.requests.forEach((all, index) => {
    const parts = [['refused', timeline.refused[index]], ['shadow', timeline.shadow[index]]];
    parts.push(['passed', all - parts[0][1] - parts[1][1]]);
    let top = 0;
    const stack = parts.filter(([, value]) => value > 0).reverse().map(([name, value]) => {
      top += value;
      return shape('rect', { class: name, x: index + 0.06, width: 0.88, y: most - top, height: value });
    });
    if (stack.length === 0) return;
    const when = clock(start + index * width, true) + clock(start + index * width, false).slice(5);
    const title = shape('title', {}, `${when} UTC: ${number.format(all)} requests, ${number.format(parts[0][1])} refused`);
    bars.push(shape('g', {}, title, ...stack));
  });
  const label = time
    ? `Requests from ${time.from} to ${time.to} UTC: ${number.format(requests)}, of which ${number.format(refused)} refused; at most ${number.format(most)} in ${width} s.`
    : 'No requests.';
  const grid = shape('line', { class: 'grid', x1: 0, x2: count, y1: most, y2: most });
  const picture = shape('svg', { viewBox: `0 0 ${count} ${most}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': label }, ...bars, grid);
  const wide = width * count > 86_400;
  const middle = start + Math.floor(count / 2) * width;
  const axis = element('p', { class: 'axis', 'aria-hidden': 'true' }, ...[start, middle, start + count * width].map((second) => element('span', {}, clock(second, wide))));
  at('chart').replaceChildren(picture, axis);
  at('chart-hint').textContent = `One bar is ${width} s, the highest ${number.format(most)} requests. Times are UTC.`;
}

function spark(counts) {
  if (!counts) return '';
  const most = Math.max(1, ...counts);
  const bars = counts.flatMap((value, x) => (value ? [shape('rect', { class: 'refused', x, width: 1, y: most - value, height: value })] : []));
  return shape('svg', { class: 'spark', viewBox: `0 0 ${counts.length} ${most}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' }, ...bars);
}

function limits({ rows, timeline }) {
  const over = new Map(timeline.rows.map(({ name, counts }) => [name, counts]));
  const line = (row) => [
    row.kind === 'limit' ? row.name : `${row.name} (${row.kind})`,
    number.format(row.asked),
    number.format(row.asked - row.refused - row.shadow),
    { hit: row.refused > 0, text: number.format(row.refused) },
    number.format(row.shadow),
    spark(over.get(row.name)),
  ];
  table(at('limits'), ['Limit', 'Asked', 'Passed', 'Refused', 'In shadow', 'Over time'], rows.map(line));
}

function hits(id, all, shadow) {
  const heads = ['Address', 'Refused', ...(shadow ? ['In shadow'] : []), 'Passed'];
  const line = (hit) => [hit.name, hit.refused, ...(shadow ? [hit.shadow] : []), hit.passed];
  table(at(id), heads, all.slice(0, 10).map((hit) => line(hit).map((cell) => (cell === hit.name ? cell : number.format(cell)))));
}

function table(into, heads, rows) {
  const head = element('tr', {}, ...heads.map((text) => element('th', { scope: 'col' }, text)));
  const body = rows.map(([first, ...cells]) => element('tr', {}, element('th', { scope: 'row' }, first),
    ...cells.map((cell) => (cell?.text === undefined || cell instanceof Node ? element('td', {}, cell) : element('td', cell.hit ? { class: 'hit' } : {}, cell.text)))));
  const none = element('tr', {}, element('td', { colspan: heads.length }, 'None.'));
  into.replaceChildren(element('thead', {}, head), element('tbody', {}, ...(body.length ? body : [none])));
}

function cost({ cost, notes, lines }) {
  at('cost').textContent = `About $${cost.usd}: ${number.format(cost.object_calls)} calls of counter objects at $0.15 a million (leases make them fewer), ${number.format(cost.rows_written)} rows written at $1 a million.`;
  const all = [...notes];
  if (lines.most_late_s > 60) all.push(`${number.format(lines.late)} requests are earlier than one before them, by up to ${number.format(lines.most_late_s)} s, and counted at the later time: choose the oldest file first`);
  for (const bad of lines.first_unreadable) all.push(`line ${number.format(bad.line)} of ${bad.file}: ${bad.why}`);
  if (lines.unreadable > lines.first_unreadable.length) all.push(`and ${number.format(lines.unreadable - lines.first_unreadable.length)} more lines that are no requests`);
  at('notes').replaceChildren(...all.map((text) => element('li', {}, text)));
}
