/** `node build.ts <folder>`: writes the dashboard's files into the folder, each that text can be made smaller of beside its .br and .gz form. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';

/** What so many pages share is loaded as one file. */
const commonTo = 4;
const text = /\.(html|js|css|svg|json)$/;

function compress(file: string): void {
  const content = readFileSync(file);
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
  writeFileSync(`${file}.br`, brotliCompressSync(content, { params }));
  writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
}

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('name the folder to write to');
// What is built is kept and served to everybody, also where tests or developers asked for it.
process.env.NODE_ENV = 'production';
await build({
  configFile: false,
  root: import.meta.dirname,
  base: '/',
  logLevel: 'error',
  build: {
    outDir: folder,
    emptyOutDir: true,
    target: 'baseline-widely-available',
    // Everything is a file of its own: the pages' Content-Security-Policy knows no inline script, style or font.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Few files: on a slow network each costs a round trip, however small it is.
    cssCodeSplit: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'start', tags: ['$initial'], priority: 1 },
            { name: 'shared', minShareCount: commonTo },
          ],
        },
      },
    },
    reportCompressedSize: false,
  },
});
for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) if (text.test(file)) compress(path.join(folder, file));
