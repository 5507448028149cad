import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** What a rules file says that is not done, in a sentence for its author. */
export interface Warning {
  readonly path: string;
  readonly message: string;
}

export const maxFileBytes = 256 * 1024;
const maxLineLength = 2_000;
const maxShownLength = 120;

export const shown = (text: string): string => (text.length > maxShownLength ? `${text.slice(0, maxShownLength - 1)}…` : text);

interface Limits {
  /** Lines that are rules, in the order of the file. */
  readonly maxLines: number;
}

/** The lines that a parser gets: their number and length are bounded, since its work is not linear in them. */
export function boundedLines(file: string, content: Uint8Array, { maxLines }: Limits): { lines: string[]; warnings: Warning[] } {
  if (content.byteLength > maxFileBytes) {
    return { lines: [], warnings: [{ path: file, message: `The file is larger than ${maxFileBytes / 1024} KB and is not applied.` }] };
  }
  const warnings: Warning[] = [];
  const lines: string[] = [];
  for (const [at, line] of new TextDecoder()
    .decode(content)
    .split(/\r?\n|\r/)
    .entries()) {
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.startsWith('#')) continue;
    if (trimmed.length > maxLineLength) {
      warnings.push({ path: file, message: `Line ${at + 1} has more than ${maxLineLength} characters and is left out.` });
    } else if (lines.length < maxLines) lines.push(trimmed);
    else {
      warnings.push({ path: file, message: `The file has more than ${maxLines} lines; those from line ${at + 1} on are left out.` });
      break;
    }
  }
  return { lines, warnings };
}

/** Netlify's parsers read files alone. */
export async function inFile<T>(lines: readonly string[], parse: (file: string) => Promise<T>): Promise<T> {
  const file = path.join(tmpdir(), `webkiln-rules-${randomUUID()}`);
  try {
    await writeFile(file, lines.join('\n'), { mode: 0o600 });
    return await parse(file);
  } finally {
    await rm(file, { force: true });
  }
}

/** The parser's error, in one line. */
export const problemOf = (error: Error): string => shown(error.message.replace(/\s+/g, ' ').replace(/ line \d+:/, ':'));
