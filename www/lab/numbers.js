// The numbers of the policy as fields: one that is changed is changed in the policy's text, and nothing else there is.

const at = (id) => document.getElementById(id);

/** Fields in the order of the text, each { limit, field, value, start, end, input }. */
let shown = [];

/** What is written as a number alone is turned by the arrow keys as well. */
const isCount = (value) => /^\d+$/.test(value);

function field(number, changed) {
  const label = document.createElement('label');
  const input = document.createElement('input');
  input.type = isCount(number.value) ? 'number' : 'text';
  if (input.type === 'number') Object.assign(input, { min: '0', step: '1', inputMode: 'numeric', required: true });
  else input.spellcheck = false;
  input.autocomplete = 'off';
  input.addEventListener('input', () => changed(number));
  number.input = input;
  label.append(number.field, input);
  return label;
}

function build(numbers, changed) {
  const groups = Map.groupBy ? Map.groupBy(numbers, ({ limit }) => limit) : grouped(numbers);
  at('number-rows').replaceChildren(...[...groups].map(([limit, fields], index) => {
    const row = document.createElement('div');
    row.className = 'number-row';
    row.setAttribute('role', 'group');
    const name = document.createElement('span');
    name.id = `number-row-${index}`;
    name.textContent = limit;
    row.setAttribute('aria-labelledby', name.id);
    row.append(name, ...fields.map((number) => field(number, changed)));
    return row;
  }));
}

function grouped(numbers) {
  const groups = new Map();
  for (const number of numbers) groups.set(number.limit, [...(groups.get(number.limit) ?? []), number]);
  return groups;
}

const shape = (numbers) => JSON.stringify(numbers.map(({ limit, field, value }) => [limit, field, isCount(value)]));

/**
 * Shows the numbers of a policy's text; fields that are there already stay, and so does the caret in them.
 * @param {HTMLTextAreaElement} policy
 * @param {{ limit: string, field: string, value: string, start: number, end: number }[]} numbers
 * @param {() => void} again called once a number has been changed in the text
 */
export function showNumbers(policy, numbers, again) {
  const changed = (number) => {
    const value = number.input.value.trim();
    if (!number.input.validity.valid || value === '') return;
    policy.setRangeText(value, number.start, number.end, 'preserve');
    const more = value.length - (number.end - number.start);
    for (const other of shown) {
      if (other.start > number.start) {
        other.start += more;
        other.end += more;
      }
    }
    number.end += more;
    again();
  };
  if (shape(numbers) === shape(shown)) {
    shown.forEach((number, index) => Object.assign(number, numbers[index]));
  } else {
    shown = numbers;
    build(numbers, changed);
  }
  for (const { input, value } of shown) {
    if (input !== document.activeElement) input.value = value;
  }
  at('numbers').hidden = numbers.length === 0;
}
