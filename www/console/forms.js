// The two things that one can do: try a request, and unblock a key.
import { ask } from './api.js';
import { byId, element, fill, say } from './dom.js';

const lines = (text) => text.split('\n').map((line) => line.trim()).filter(Boolean);

/** Fills the form that unblocks with a key that was explained, and goes there. */
function offer({ name, key }) {
  const form = byId('unblock');
  form.elements.limit.value = name;
  form.elements.key.value = key.join('\n');
  form.elements.key.focus();
}

/** What the form describes, as `explain` wants it. */
function described(form) {
  const values = Object.fromEntries(new FormData(form));
  const headers = Object.fromEntries(lines(values.headers).map((line) => {
    const colon = line.indexOf(':');
    return colon < 0 ? [line, ''] : [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
  }));
  return {
    method: values.method,
    url: values.url,
    headers,
    ...(values.ip ? { ip: values.ip } : {}),
    ...(values.asn || values.country ? { cf: { ...(values.asn ? { asn: Number(values.asn) } : {}), ...(values.country ? { country: values.country.toUpperCase() } : {}) } } : {}),
    ...(values.body ? { body: values.body } : {}),
  };
}

function unblockButton(limit) {
  const made = element('button', { type: 'button', class: 'plain', 'aria-label': `Unblock this key of ${limit.name}` }, 'Unblock…');
  made.addEventListener('click', () => offer(limit));
  return made;
}

function tell(told) {
  const words =
    told.would === 'pass'
      ? 'It would pass.'
      : `It would be refused: ${told.refusal.status} ${told.refusal.error}. ${told.refusal.message}`;
  const rules = told.rules.map(({ name, mode }) => (mode === 'enforce' ? name : `${name} (${mode})`)).join(', ');
  const table = element('table');
  fill(
    table,
    [
      { title: 'Limit', value: ({ name }) => name },
      { title: 'Key', wrap: true, value: ({ key, hash }) => element('span', {}, key.join(', ') || '(shared)', element('br'), element('span', { class: 'hash quiet' }, hash)) },
      { title: 'Left', number: true, value: ({ remaining, quota }) => (remaining === undefined ? '?' : `${remaining} of ${quota}`) },
      { title: 'It would', wrap: true, value: ({ would, retry_after_s: wait }) => (wait ? `${would}, for ${wait} s` : would), class: ({ would }) => (would === 'pass' ? '' : 'refused') },
      { title: '', value: (limit) => unblockButton(limit) },
    ],
    told.limits,
    'No limit holds for it.',
  );
  byId('told').replaceChildren(
    element('p', {}, element('strong', {}, words)),
    element('p', {}, rules ? `Rules: ${rules}` : 'No rule holds for it.'),
    element('div', { class: 'scroll' }, table),
  );
}

/** The limits that one can choose, from `status`. */
export function offerLimits(rules) {
  const select = byId('unblock').elements.limit;
  const names = rules.flatMap(({ name, limits }) => limits.map((limit) => `${name}.${limit.name}`));
  if ([...select.options].map(({ value }) => value).join() === names.join()) return;
  select.replaceChildren(...names.map((name) => element('option', {}, name)));
}

export function wireForms() {
  byId('try').addEventListener('submit', async (event) => {
    event.preventDefault();
    try {
      tell(await ask('explain', described(event.target)));
    } catch (error) {
      byId('told').replaceChildren(element('p', { class: 'fault' }, error.message));
    }
  });
  byId('unblock').addEventListener('submit', async (event) => {
    event.preventDefault();
    const { limit, key } = Object.fromEntries(new FormData(event.target));
    const [rule, name] = limit.split('.');
    try {
      const { counters } = await ask('unblock', { rule, limit: name, key: lines(key) });
      say(byId('lifted'), counters === 0 ? 'Nothing was counted for this key.' : 'Lifted: this key starts anew.');
    } catch (error) {
      say(byId('lifted'), error.message);
    }
  });
}
