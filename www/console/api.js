// Asks Weir's own pages, with the token that this tab keeps.

const KEPT = 'weir-token';

/** The token is wrong, missing, or has been guessed at too often. */
export class TokenError extends Error {}

export const token = {
  get: () => sessionStorage.getItem(KEPT),
  set: (value) => sessionStorage.setItem(KEPT, value),
  forget: () => sessionStorage.removeItem(KEPT),
};

/** What a page says, as JSON. `body` makes it a POST. */
export async function ask(page, body) {
  const init = { headers: { authorization: `Bearer ${token.get()}` }, cache: 'no-store' };
  const response = await fetch(page, body === undefined ? init : { ...init, method: 'POST', body: JSON.stringify(body) });
  if (response.status === 401) throw new TokenError('This is not the token.');
  if (response.status === 429) {
    throw new TokenError(`Too many wrong tokens. Try again in ${response.headers.get('retry-after')} s.`);
  }
  const told = await response.json();
  if (!response.ok) throw new Error(told.detail ?? `Weir answered ${response.status}.`);
  return told;
}
