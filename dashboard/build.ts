/** `node build.ts <folder>`: writes the dashboard's files into the folder, each that text can be made smaller of beside its .br and .gz form. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';

/** What so many pages share is loaded as one file. */
const commonTo = 4;
const manifest = 'manifest.json';
const text = /\.(html|js|css|svg)$/;

function compress(file: string): void {
  const content = readFileSync(file);
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
  writeFileSync(`${file}.br`, brotliCompressSync(content, { params }));
  writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
}

interface Chunk {
  readonly file: string;
  readonly isEntry?: boolean;
  readonly imports?: readonly string[];
}

/** The files of these modules and of all that they import, but for those that the page itself names. */
function filesOf(modules: readonly string[], chunks: Readonly<Record<string, Chunk>>): string[] {
  const files = new Set<string>();
  const add = (name: string) => {
    const { file = '', isEntry = false, imports = [] } = chunks[name] ?? {};
    if (file === '') throw new Error(`the build knows no ${name}`);
    if (isEntry || files.has(file)) return;
    files.add(file);
    imports.forEach(add);
  };
  modules.forEach(add);
  return [...files];
}

/** Writes which files somebody who is signed in needs at once, on the first page and on others: the gateway names them with the page. */
function tellEarly(folder: string): void {
  const chunks: Record<string, Chunk> = JSON.parse(readFileSync(path.join(folder, manifest), 'utf8'));
  const around = 'src/shell/shell.tsx';
  const early = { home: filesOf([around, 'src/home.tsx'], chunks), elsewhere: filesOf([around], chunks) };
  writeFileSync(path.join(folder, 'early.json'), JSON.stringify(early));
  rmSync(path.join(folder, manifest));
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
    manifest,
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
tellEarly(folder);
for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) if (text.test(file)) compress(path.join(folder, file));
