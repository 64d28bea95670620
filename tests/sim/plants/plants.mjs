// The faults that the simulation has to find: `npm run plants` puts all of them into a copy of the sources,
// each behind its name, and plays seeds with one of them switched on until a promise is broken.
//
// name   what is wrong
// edits  [file, what stands there exactly once, what to put there]; PLANTED is true while the fault is on
// found  where seeds cannot find it, for the reason given: the unit test that fails instead
import { ADMISSION } from "./admission.mjs";
import { LEDGER } from "./ledger.mjs";
import { STORING } from "./storage.mjs";

export const PLANTS = [...ADMISSION, ...LEDGER, ...STORING];
