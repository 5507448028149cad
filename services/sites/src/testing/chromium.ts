import { chromium, supplyProgram } from '@webkiln/dev-platform';

/** The path of a Chromium, downloaded first if there is none. Progress is written to stderr. */
export const chromiumPath = (): Promise<string> => supplyProgram(chromium, (part, text) => process.stderr.write(`${part}: ${text}\n`));
