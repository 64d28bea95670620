// How the scripts talk: one line for each thing begun, one sentence where they have to stop.

/** Says what is being done, before it is done. */
export const say = (text) => process.stderr.write(`weir: ${text}\n`);

/** A reason to stop that the user can do something about: shown as a sentence, without a stack. */
export class Stop extends Error {}

/** Runs a script's main function; a [Stop] ends it with its sentence. */
export async function main(body) {
  try {
    process.exitCode = (await body(process.argv.slice(2))) ?? 0;
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    say(error.message);
    process.exitCode = 1;
  }
}
