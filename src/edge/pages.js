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

// ---- telemetry

const telemetry = (namespace, shard, path, init) =>
  namespace.getByName(`${shard}`).fetch(`http://telemetry/${path}`, init).then((response) => response.text());

/** Gives a report to one of the telemetry objects. */
export const report = (namespace, shard, body) => telemetry(namespace, shard, "report", { method: "POST", body });

/** What all telemetry objects know; rejects where one of them cannot be reached. */
export const gather = (namespace, shards) =>
  Promise.all(Array.from({ length: shards }, (_, shard) => telemetry(namespace, shard, "all"))).then((all) => all.join(""));

/** A data point for each line: fields between tabs, the last of them numbers. */
export function writeEvents(dataset, lines) {
  for (const line of lines.split("\n")) {
    const blobs = line.split("\t");
    const doubles = blobs.pop().split(" ").map(Number);
    if (blobs.length === 0) continue;
    try {
      dataset.writeDataPoint({ indexes: [blobs[1]], blobs, doubles });
    } catch (error) {
      console.error(`weir: EVENTS takes no data point: ${error}`);
      return;
    }
  }
}
