// What Weir's own pages need of the platform. It decides nothing.

import { pairs } from "./glue.js";

/** A static file under the headers given, which say its type; 404 where there is none. */
export function asset(assets, file, headers, head) {
  return assets.fetch(`http://assets/${file}`).then((found) => {
    const made = pairs(headers);
    if (found.ok) return new Response(head ? null : found.body, { headers: made });
    made.set("content-type", "text/plain; charset=utf-8");
    return new Response(head ? null : "Not found\n", { status: 404, headers: made });
  });
}

/** The body of an operator's request as text; rejects where it is longer than `max` bytes or no UTF-8. */
export async function textOf(request, max) {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  let size = 0;
  for await (const piece of request.body ?? []) {
    size += piece.byteLength;
    if (size > max) throw new RangeError("too long");
    text += decoder.decode(piece, { stream: true });
  }
  return text + decoder.decode();
}

/** Asks the telemetry object for `what`, or gives it a report; resolves to its text. */
export function telemetry(namespace, what, report) {
  const init = report === "" ? undefined : { method: "POST", body: report };
  return namespace.getByName("all").fetch(`http://telemetry/${what}`, init).then((response) => response.text());
}
