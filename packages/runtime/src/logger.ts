import pino from 'pino';
import { censor } from './censor.ts';

const { LOG_LEVEL: level = 'info', NODE_ENV } = process.env;

/** In production lines are gathered for up to a second, and flushed when the process ends. */
const destination = pino.destination(
  NODE_ENV === 'production' ? { dest: 1, sync: false, minLength: 8192, periodicFlush: 1000 } : { dest: 1, sync: true },
);

/** JSON lines on standard output. Fields that hold secrets are never written, whatever is logged. */
export const logger = pino(
  {
    // A level that does not exist is reported with the rest of the configuration; until then it must not keep the process from starting.
    level: level in pino.levels.values || level === 'silent' ? level : 'info',
    base: {},
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }), log: (fields) => censor(fields) },
  },
  destination,
);

/** Puts the process's name on each line from here on. */
export function nameService(name: string): void {
  logger.setBindings({ name });
  processName = name;
}

let processName: string | undefined;
const infoLevel = pino.levels.values.info ?? 30;
let second = 0;
let secondText = '';

/** One finished request of a hot path, as `logger.info` would write it and at a tenth of its cost. No field may hold a secret: none is looked at. */
export function logRequest(fields: Readonly<Record<string, string | number | undefined>>): void {
  if (logger.levelVal > infoLevel) return;
  const line = { level: 'info', time: isoNow(), name: processName, ...fields, msg: 'request' };
  destination.write(`${JSON.stringify(line)}\n`);
}

/** ISO 8601; making one anew costs more than the rest of a line. */
function isoNow(): string {
  const now = Date.now();
  const ms = now % 1000;
  if (now - ms !== second) {
    second = now - ms;
    secondText = new Date(second).toISOString().slice(0, -4);
  }
  return `${secondText}${String(ms).padStart(3, '0')}Z`;
}
