/** Writes the minified tracker from its source; with --check only reports a stale one. */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
const folder = path.join(root, 'services/analytics/src/tracker');
const { transformSync } = createRequire(path.join(root, 'tools/dev-platform/package.json'))('esbuild');
const file = path.join(folder, 'minified.ts');

const { code } = transformSync(readFileSync(path.join(folder, 'tracker.js'), 'utf8'), {
  minify: true,
  target: 'es2018',
  legalComments: 'none',
});
const text = `/** Generated from tracker.js by scripts/tracker.ts. */\nexport const minified =\n  ${JSON.stringify(code.trim()).replaceAll("'", "\\'").replace(/^"|"$/g, "'").replaceAll('\\"', '"')};\n`;

if (!process.argv.includes('--check')) writeFileSync(file, text);
else if (readFileSync(file, 'utf8') !== text) {
  console.error('The minified tracker is not that of tracker.js: run `node scripts/tracker.ts` and commit it.');
  process.exitCode = 1;
}
