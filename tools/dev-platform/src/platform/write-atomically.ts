import { renameSync, writeFileSync } from 'node:fs';

/** Replaces a JSON file in one step: readers see either the old or the new content. */
export function writeAtomically(file: string, content: unknown, mode = 0o644): void {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(content, null, 2)}\n`, { mode });
  renameSync(draft, file);
}
