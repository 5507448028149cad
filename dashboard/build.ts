/** `node build.ts <folder>`: builds the dashboard into the folder, with .br and .gz files beside each text file. */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import optimizeLocales from '@react-aria/optimize-locales-plugin';
import { build, type Plugin } from 'vite';
import { buildScript } from './build-script.ts';
import { writeOperationRoles } from './operation-roles.ts';

/** Modules that at least this many pages share go into one chunk. Texts do not: a page loads those of its own areas. */
const sharedByPages = 3;
/** The frame and the home pages are one chunk: most people open them first, and every file costs a round trip. */
const shownFirst = /\/src\/(?:shell\/shell|home|overview\/overview-page|portal\/portal-page)\.tsx$/;
const text = /\.(html|js|css|svg)$/;

async function compress(file: string): Promise<void> {
  const content = readFileSync(file);
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
  writeFileSync(`${file}.br`, await promisify(brotliCompress)(content, { params }));
  writeFileSync(`${file}.gz`, await promisify(gzip)(content, { level: 9 }));
}

/** Compresses every text file, one on each core: it takes most of the build's time. */
async function compressAll(folder: string): Promise<void> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => text.test(file));
  const waiting = files.values();
  const runner = async () => {
    for (const file of waiting) await compress(path.join(folder, file));
  };
  await Promise.all(Array.from({ length: availableParallelism() }, runner));
}

/** What signed-in people load at once: the modules whose chunks a project's page needs, and every other page. */
const preloaded = { project: ['shell/shell.tsx', 'projects/project-page.tsx'], other: ['shell/shell.tsx'] };
type Preloads = Record<keyof typeof preloaded, readonly string[]>;

/** Finds the files of each page, in the order in which they are wanted: the script that starts, then the others. */
const findingPreloads = (found: (preloads: Preloads) => void): Plugin => ({
  name: 'preloads',
  generateBundle(_options, bundle) {
    const chunks = Object.values(bundle).filter((output) => output.type === 'chunk');
    const filesOf = (modules: readonly string[]) => {
      const files = new Set(chunks.filter(({ isEntry }) => isEntry).map(({ fileName }) => fileName));
      const add = (file: string) => {
        if (files.has(file)) return;
        files.add(file);
        chunks.find(({ fileName }) => fileName === file)?.imports.forEach(add);
      };
      for (const module of modules) {
        const chunk = chunks.find(({ moduleIds }) => moduleIds.includes(path.join(import.meta.dirname, 'src', module)));
        if (chunk === undefined) throw new Error(`the build knows no ${module}`);
        add(chunk.fileName);
      }
      return [...files];
    };
    found({ project: filesOf(preloaded.project), other: filesOf(preloaded.other) });
  },
});

const texts = path.join(import.meta.dirname, 'src/texts');
const english = 'en';
const languages = readdirSync(texts, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));

/** Builds with the texts of one language: sources import the English ones. */
const inLanguage = (language: string): Plugin => ({
  name: 'texts-of-a-language',
  enforce: 'pre',
  async resolveId(source, importer, options) {
    if (!source.includes(`/${english}/`) || !source.endsWith('.json')) return null;
    const resolved = await this.resolve(source, importer, { ...options, skipSelf: true });
    const area = resolved === null ? '..' : path.relative(path.join(texts, english), resolved.id);
    return area.startsWith('..') ? resolved : path.join(texts, language, area);
  },
  transformIndexHtml: (html) => html.replace(`<html lang="${english}">`, `<html lang="${language}">`),
});

/** Names the script that runs before those of the page. */
const startingWith = (script: string): Plugin => ({
  name: 'early-script',
  transformIndexHtml: {
    order: 'post',
    handler: () => [{ tag: 'script', attrs: { async: true, fetchpriority: 'high', src: `/${script}` }, injectTo: 'head-prepend' }],
  },
});

const areaOfTexts = /\/src\/texts\/[^/]+\.ts$/;

/** Builds a page and what it loads. The builder is a build of its own, so neither loads code of the other. */
async function buildPage(folder: string, page: string, language: string, plugins: readonly Plugin[]) {
  await build({
    configFile: false,
    root: import.meta.dirname,
    base: '/',
    logLevel: 'error',
    plugins: [inLanguage(language), optimizeLocales.vite({ locales: [language] }), ...plugins],
    build: {
      outDir: folder,
      emptyOutDir: false,
      target: 'baseline-widely-available',
      // No inlined assets: the Content-Security-Policy forbids inline scripts, styles and fonts.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      // Few files, because each costs a round trip on a slow network.
      cssCodeSplit: false,
      rolldownOptions: {
        input: path.join(import.meta.dirname, page),
        // A page loads the areas that it shows, and no other.
        treeshake: { moduleSideEffects: [{ test: areaOfTexts, sideEffects: false }] },
        output: {
          codeSplitting: {
            groups: [
              { name: 'start', tags: ['$initial'], priority: 2 },
              { name: 'shared', minShareCount: sharedByPages, test: (id) => !id.includes('/src/texts/') },
              { name: 'shell', test: shownFirst, priority: 1 },
            ],
          },
        },
      },
      reportCompressedSize: false,
    },
  });
}

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('name the folder to write to');
// The build is cached and shared, so it is a production build in tests and development too.
process.env.NODE_ENV = 'production';
writeOperationRoles();
rmSync(folder, { recursive: true, force: true });
const early = await buildScript(folder, 'src/early.ts', 'assets/early-[hash].js');
// Pages of others load it by this address.
await buildScript(folder, 'src/embed/embed.ts', 'embed.js');
const preloads: Record<string, Preloads> = {};
for (const language of languages) {
  const preloading = findingPreloads((found) => {
    preloads[language] = found;
  });
  await buildPage(folder, 'index.html', language, [startingWith(early), preloading]);
  await buildPage(folder, 'builder.html', language, [startingWith(early)]);
  mkdirSync(path.join(folder, language));
  for (const page of ['index.html', 'builder.html']) renameSync(path.join(folder, page), path.join(folder, language, page));
}
writeFileSync(path.join(folder, 'module-preloads.json'), JSON.stringify(preloads));
await compressAll(folder);
