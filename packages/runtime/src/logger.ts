import pino from 'pino';

const { LOG_LEVEL: level = 'info', NODE_ENV } = process.env;

/** In production lines are buffered for up to a second, and flushed when the process ends. */
const destination = pino.destination(
  NODE_ENV === 'production' ? { dest: 1, sync: false, minLength: 32_768, maxWrite: 65_536, periodicFlush: 1000 } : { dest: 1, sync: true },
);

/** JSON lines on standard output. Fields with secret names are never written. */
export const logger = pino(
  {
    // The configuration check reports an unknown level; until then it must not prevent the start.
    level: level in pino.levels.values || level === 'silent' ? level : 'info',
    base: {},
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }), log: (fields) => censor(fields) },
  },
  destination,
);

/** Adds the process's name to every later line. */
export function nameService(name: string): void {
  logger.setBindings({ name });
  processName = name;
}

let processName: string | undefined;
let second = 0;
let secondText = '';

/**
 * Logs a finished request at a tenth of the cost of `logger.info`; at `error` for a status of 500 and at `warn` above.
 * Fields are not censored: none may hold a secret.
 */
export function logRequest(fields: Readonly<Record<string, string | number | undefined>> & { readonly status: number }): void {
  const level = fields.status < 500 ? 'info' : fields.status === 500 ? 'error' : 'warn';
  if (logger.levelVal > (pino.levels.values[level] ?? 0)) return;
  const line = { level, time: isoNow(), name: processName, ...fields, msg: 'request' };
  destination.write(`${JSON.stringify(line)}\n`);
}

/** ISO 8601, cached, because formatting a time costs more than the rest of a line. */
function isoNow(): string {
  const now = Date.now();
  const ms = now % 1000;
  if (now - ms !== second) {
    second = now - ms;
    secondText = new Date(second).toISOString().slice(0, -4);
  }
  return `${secondText}${String(ms).padStart(3, '0')}Z`;
}

const secretName = /(authorization|cookie|password|secret|token)$/i;
const censoredText = '[secret]';
const deepest = 5;

/** A log line's fields with secrets replaced, by field name at any depth; the same object if there are none. */
export function censor(fields: Record<string, unknown>, depth = 0): Record<string, unknown> {
  let shown = fields;
  for (const name in fields) {
    const value = fields[name];
    const safe = secretName.test(name) && value !== undefined ? censoredText : censorWithin(value, depth);
    if (safe === value) continue;
    if (shown === fields) shown = { ...fields };
    shown[name] = safe;
  }
  return shown;
}

/** Skips errors: the logger writes their message and stack. */
function censorWithin(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Error) return value;
  if (depth === deepest) return '[deep]';
  if (!Array.isArray(value)) return censor(value as Record<string, unknown>, depth + 1);
  const safe = value.map((item) => censorWithin(item, depth + 1));
  return safe.some((item, index) => item !== value[index]) ? safe : value;
}
