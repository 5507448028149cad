import pino from 'pino';
import { censor } from './censor.ts';

const { LOG_LEVEL: level = 'info', NODE_ENV } = process.env;

/**
 * JSON lines on standard output. In production lines are gathered for up to a second, and flushed when the process ends.
 * Fields that hold secrets are never written, whatever is logged.
 */
export const logger = pino(
  {
    // A level that does not exist is reported with the rest of the configuration; until then it must not keep the process from starting.
    level: level in pino.levels.values || level === 'silent' ? level : 'info',
    base: {},
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }), log: (fields) => censor(fields) },
  },
  pino.destination(NODE_ENV === 'production' ? { dest: 1, sync: false, minLength: 8192, periodicFlush: 1000 } : { dest: 1, sync: true }),
);

/** Puts the process's name on each line from here on. */
export function nameService(name: string): void {
  logger.setBindings({ name });
}
