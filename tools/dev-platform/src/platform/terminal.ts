import { styleText } from 'node:util';
import type { Report } from '../report.ts';

const nameWidth = 20;
const colours = { info: 'reset', warn: 'yellow', error: 'red' } as const;

/** One line on the terminal for each thing that happens, in colour where there is a person to see it. */
export const terminalReport: Report = (name, text, level = 'info') => {
  console.log(`${styleText('dim', name.padEnd(nameWidth))}${styleText(colours[level], text)}`);
};
