/** Writes deploy/rendered, what Helm makes of each example: a change of a template shows in its diff. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { renderedExamples } from './rendered-examples.ts';

const folder = path.resolve(import.meta.dirname, '../rendered');
const files = await renderedExamples();
rmSync(folder, { recursive: true, force: true });
for (const [file, text] of Object.entries(files)) {
  mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
  writeFileSync(path.join(folder, file), text);
}
