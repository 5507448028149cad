import { styleText } from 'node:util';
import type { Report } from '../report.ts';

const nameWidth = 20;
const colors = { info: 'reset', warn: 'yellow', error: 'red' } as const;

/** Prints one line per report, in color if the output is a terminal. */
export const terminalReport: Report = (name, text, level = 'info') => {
  console.log(`${styleText('dim', name.padEnd(nameWidth))}${styleText(colors[level], text)}`);
};
