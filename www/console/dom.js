// Elements from plain values. Text is always text: nothing that a stranger sent is read as markup.

export const byId = (id) => document.getElementById(id);

/** An element with attributes and children; strings become text. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/**
 * Replaces a table's rows. Columns are { title, value, class, number, wrap }; `value` gives text or an
 * element. Whatever had the focus has it again, if it is still there by its `data-id`.
 */
export function fill(table, columns, rows, empty) {
  const classes = (column, row) => [column.number ? 'number' : '', column.wrap ? 'wrap' : '', column.class?.(row) ?? ''].join(' ').trim();
  const cell = (column, row) => {
    const made = element('td', {}, column.value(row));
    const named = classes(column, row);
    if (named) made.className = named;
    return made;
  };
  const head = columns.map((column) => element('th', { scope: 'col', class: column.number ? 'number' : '' }, column.title));
  const body = rows.map((row) => element('tr', {}, ...columns.map((column) => cell(column, row))));
  if (rows.length === 0) body.push(element('tr', {}, element('td', { colspan: columns.length, class: 'quiet' }, empty)));
  const focused = table.contains(document.activeElement) ? document.activeElement.dataset.id : undefined;
  table.replaceChildren(element('thead', {}, element('tr', {}, ...head)), element('tbody', {}, ...body));
  if (focused) table.querySelector(`[data-id="${CSS.escape(focused)}"]`)?.focus();
}

/** Sets a text only where it changes, so that a screen reader does not read it again. */
export function say(target, text) {
  if (target.textContent !== text) target.textContent = text;
}

/** A rate, short: < 0.1, 0.2, 4.1, 37. */
export function rate(count, seconds) {
  const each = count / seconds;
  if (each > 0 && each < 0.05) return '< 0.1';
  return each === 0 ? '0' : each < 10 ? each.toFixed(1) : String(Math.round(each));
}

/** A network as an operator names it. */
export const network = ({ asn, country }) =>
  asn === 'other' ? 'many other networks' : [asn === '0' ? 'an unknown network' : `AS${asn}`, country && `(${country})`].filter(Boolean).join(' ');
