import { chromium, supplyProgram } from '@webkiln/infra';

/** The path of a Chromium. Where there is none it is fetched, which takes a while; what it waits for is told on stderr. */
export const chromiumPath = (): Promise<string> => supplyProgram(chromium, (part, text) => process.stderr.write(`${part}: ${text}\n`));
