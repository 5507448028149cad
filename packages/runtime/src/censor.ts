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
