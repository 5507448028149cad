import { readFileSync } from 'node:fs';

/** The version of the repository, which all images, the chart and the packages have. */
export const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { readonly version: string };
