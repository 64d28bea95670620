// Which requests may be sent a second time, and how a refusal by Weir is told from any other answer.

/** Methods that RFC 9110 (section 9.2.2) calls idempotent: sending them twice does no more than sending them once. */
const IDEMPOTENT = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE']);

/** Weir's codes for "not now". With each of them the origin has seen nothing of the request. */
const NOT_NOW = new Set(['rate_limited', 'busy', 'unavailable']);

/** Longer than any problem document of Weir's, and than one takes to arrive. */
const MAX_PROBLEM_BYTES = 64 * 1024;
const PATIENCE_MS = 5_000;

/**
 * Whether the body can be sent again: a stream is gone once it has been read.
 * @param {Request | null} request the Request that was passed instead of a URL
 * @param {RequestInit} init
 * @param {string} method
 */
export function hasReplayableBody(request, init, method) {
  const body = init.body;
  if (body !== undefined && body !== null) {
    if (typeof body === 'string' || body instanceof ArrayBuffer || ArrayBuffer.isView(body)) return true;
    return [globalThis.URLSearchParams, globalThis.FormData, globalThis.Blob].some((kind) => kind && body instanceof kind);
  }
  // A Request holds its body as a stream. Where a browser does not say whether there is one, only the method tells.
  return request === null || method === 'GET' || method === 'HEAD' || request.body === null;
}

/**
 * Whether a refused request may be sent again. What is not idempotent may be only after a refusal by Weir itself:
 * a 429 or 503 from anything behind it can mean that the work was done.
 * @param {{ method: string, replayable: boolean }} call
 * @param {Problem | null} problem
 * @param {number} status
 */
export function mayReplay(call, problem, status) {
  if (!call.replayable) return false;
  return IDEMPOTENT.has(call.method) || isRefusalByWeir(problem, status);
}

/** @param {Problem | null} problem @param {number} status */
function isRefusalByWeir(problem, status) {
  return problem !== null && NOT_NOW.has(problem.error) && problem.status === status;
}

/**
 * @typedef {object} Problem the members read from a problem document (RFC 9457)
 * @property {string | null} error Weir's code
 * @property {number | null} status
 * @property {number | null} retryAfterMs
 * @property {string[]} violatedPolicies
 */

/**
 * The problem document of an answer, or null where it has none, or none that arrives. The answer stays readable.
 * @param {Response} response
 * @param {number} patienceMs
 * @returns {Promise<Problem | null>}
 */
export async function readProblem(response, patienceMs = PATIENCE_MS) {
  const type = response.headers.get('content-type')?.split(';')[0].trim().toLowerCase();
  if (type !== 'application/problem+json' || response.body === null) return null;
  let document;
  try {
    document = JSON.parse(await readText(response.clone().body, MAX_PROBLEM_BYTES, AbortSignal.timeout(patienceMs)));
  } catch {
    return null;
  }
  if (typeof document !== 'object' || document === null) return null;
  const seconds = document.retryAfter;
  const names = document['violated-policies'];
  return {
    error: typeof document.error === 'string' ? document.error : null,
    status: typeof document.status === 'number' ? document.status : null,
    retryAfterMs: Number.isFinite(seconds) && seconds >= 0 ? Math.ceil(seconds * 1000) : null,
    violatedPolicies: Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [],
  };
}

/** @param {ReadableStream<Uint8Array>} stream @param {number} maxBytes @param {AbortSignal} signal */
async function readText(stream, maxBytes, signal) {
  const reader = stream.getReader();
  // A read that is under way ends with it. Not awaited, as below.
  signal.addEventListener('abort', () => reader.cancel().catch(() => {}), { once: true });
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    signal.throwIfAborted();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > maxBytes) {
      // Not awaited: a copy is only given up once the other copy is, too.
      reader.cancel().catch(() => {});
      throw new RangeError('the problem document is too long');
    }
    text += decoder.decode(value, { stream: true });
  }
}
