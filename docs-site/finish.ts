import { hash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { addressOf, base, type Page } from './page.ts';

/** A higher quality saves a tenth, and takes tens of seconds for all pages. */
const brotliQuality = 6;
const utf8 = '; charset=utf-8';
const types: Readonly<Record<string, string>> = {
  '.html': `text/html${utf8}`,
  '.md': `text/markdown${utf8}`,
  '.txt': `text/plain${utf8}`,
  '.js': `text/javascript${utf8}`,
  '.css': `text/css${utf8}`,
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
};
/**
 * Makes a built site ready to be served. Tables scroll by keyboard. There are no inline styles, so that its
 * Content-Security-Policy can forbid them. Each text is also there as .br. `manifest.json` tells a server the pages,
 * the files by their address, and the hashes of inline scripts.
 */
export function finish(folder: string, pages: readonly Page[]): void {
  const [styles, scripts] = [new InlineStyles(), new Set<string>()];
  const html = filesIn(folder)
    .filter((file) => file.endsWith('.html') && !isExample(file))
    .map((file) => ({ file, text: styles.moved(accessible(read(folder, file).toString())) }));
  for (const file of filesIn(folder).filter((each) => each.endsWith('.css'))) {
    const css = read(folder, file).toString().replaceAll("[style^='--']:not([class])", '[class^="style"]');
    writeFileSync(path.join(folder, file), css);
  }
  // Code that scrolls would be a landmark without a name, and in reach of the keyboard only some time after it scrolls.
  for (const file of filesIn(folder).filter((each) => /^_astro.ec\.[^/]+\.js$/.test(each))) {
    const script = read(folder, file).toString();
    const mended = script.replaceAll(/\.(?:setAttribute\("role","region"\)|removeAttribute\("tabindex"\))/g, '.removeAttribute("role")');
    writeFileSync(path.join(folder, file), mended);
  }
  const sheet = `_astro/inline.${digestOf(styles.sheet())}.css`;
  writeFileSync(path.join(folder, sheet), styles.sheet());
  for (const { file, text } of html) {
    for (const [, script = ''] of text.matchAll(/<script(?![^<>]* src=)[^<>]*>([^<]*(?:<(?!\/script>)[^<]*)*)<\/script>/g))
      scripts.add(script);
    writeFileSync(path.join(folder, file), text.replace('</head>', `<link rel="stylesheet" href="${base}/${sheet}"></head>`));
  }
  const files = Object.fromEntries(filesIn(folder).map((file) => [addressOfFile(file), described(folder, file)]));
  const manifest = {
    pages: pages.map(({ path: at, title, description }) => ({ address: addressOf(at), title, description })),
    files,
    scriptHashes: [...scripts].map((script) => `'sha256-${hash('sha256', script, 'base64')}'`),
  };
  writeFileSync(path.join(folder, 'manifest.json'), JSON.stringify(manifest));
}

/** Files that guides show: to be read, not to be run. */
const isExample = (file: string) => file.startsWith('examples');

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => statSync(path.join(folder, file)).isFile());

const read = (folder: string, file: string) => readFileSync(path.join(folder, file));

const digestOf = (content: string | Buffer) => hash('sha256', content, 'base64url').slice(0, 22);

function addressOfFile(file: string): string {
  const address = addressOf(file.split(path.sep).join('/'));
  if (address === `${base}/index.md`) return `${base}.md`;
  return isExample(file) ? address : address.replace(/(?:\/index)?\.html$/, '');
}

function described(folder: string, file: string) {
  const extension = path.extname(file);
  const isText = extension in types || isExample(file);
  const content = read(folder, file);
  const params = { [constants.BROTLI_PARAM_QUALITY]: brotliQuality, [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
  if (isText) writeFileSync(path.join(folder, `${file}.br`), brotliCompressSync(content, { params }));
  const shown = isExample(file) ? types['.txt'] : types[extension];
  return { file, type: shown ?? 'application/octet-stream', etag: digestOf(content), hasBrotli: isText };
}

/**
 * What Starlight leaves to be wished for with a keyboard or a screen reader. Wide tables scroll by keyboard and stay
 * tables. Code can be scrolled before its script has run. The search's button shows what its label says:
 * `aria-keyshortcuts` has the keys.
 */
const accessible = (html: string) =>
  html
    .replaceAll('<table>', '<div class="scroller" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')
    .replaceAll('<th></th>', '<td></td>')
    .replaceAll('<pre data-language', '<pre tabindex="0" data-language')
    .replace(/<kbd class="sl-hidden[^<>]*>(?:<kbd[^<>]*>[^<>]*<\/kbd>)*<\/kbd>/, '');

/** Turns style attributes into classes of a style sheet. Most are the colors of code, a few dozen in all. */
class InlineStyles {
  readonly #classes = new Map<string, string>();

  moved(html: string): string {
    return html.replaceAll(/<[a-z][^<>]*>/g, (tag) => {
      const [attribute, style] = / style="([^"]*)"/.exec(tag) ?? [];
      if (attribute === undefined || style === undefined) return tag;
      const rest = tag.replace(attribute, '');
      // A script of Starlight shows it again by an inline style.
      if (/^display: ?none;?$/.test(style)) return rest;
      const name = this.#classes.get(style) ?? `style${this.#classes.size}`;
      this.#classes.set(style, name);
      return rest.includes(' class="') ? rest.replace(' class="', ` class="${name} `) : rest.replace(/^<[\w-]+/, `$& class="${name}"`);
    });
  }

  /** Each class twice, because an attribute counts more than a class. */
  readonly sheet = () => [...this.#classes].map(([style, name]) => `.${name}.${name}{${style.replaceAll('&quot;', '"')}}`).join('\n');
}
