// A workerd config as Cap'n Proto text: objects are structs, arrays lists, strings Text, null Void.

/** The content of a file, by its path relative to the config. */
export const embed = (file) => ({ embed: file });

const text = (value) => `"${[...Buffer.from(value, "utf8")].map(character).join("")}"`;

function character(byte) {
  if (byte === 0x22 || byte === 0x5c) return `\\${String.fromCharCode(byte)}`;
  if (byte >= 0x20 && byte < 0x7f) return String.fromCharCode(byte);
  return `\\x${byte.toString(16).padStart(2, "0")}`;
}

function literal(value) {
  if (value === null) return "void";
  if (typeof value === "string") return text(value);
  if (typeof value !== "object") return String(value);
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  if (fields.length === 1 && fields[0][0] === "embed") return `embed ${text(fields[0][1])}`;
  return `(${fields.map(([name, field]) => `${name} = ${literal(field)}`).join(", ")})`;
}

export const config = (value) =>
  `using Workerd = import "/workerd/workerd.capnp";\nconst config :Workerd.Config = ${literal(value)};\n`;
