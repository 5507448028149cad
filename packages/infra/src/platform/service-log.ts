import { writeSync } from 'node:fs';
import { openLog } from '../processes/log-file.ts';
import type { Report } from '../report.ts';

const loud = /"level":"(warn|error|fatal)"/;

/** Takes a service's lines: all go to its log file, and what a person should see to the report as well. */
export function serviceLog(folder: string, name: string, report: Report): (line: string) => void {
  const log = openLog(folder, name);
  return (line) => {
    writeSync(log, `${line}\n`);
    if (!line.startsWith('{')) report(name, line, 'warn');
    else if (loud.test(line)) report(name, ...summary(line));
  };
}

function summary(line: string): [text: string, level: 'warn' | 'error'] {
  try {
    const { level, msg, err } = JSON.parse(line) as { level: string; msg?: string; err?: { message?: string } };
    return [[msg, err?.message].filter(Boolean).join(': '), level === 'warn' ? 'warn' : 'error'];
  } catch {
    return [line, 'warn'];
  }
}
