/** `node build.ts <folder>`: builds the docs site into the folder, with a .br file beside each text file. */
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import starlight from '@astrojs/starlight';
import { build } from 'astro';
import { passthroughImageService } from 'astro/config';
import { finish } from './finish.ts';
import { exampleFiles } from './guides.ts';
import { base, type Group, isGroup, type Page, pagesOf, textOf } from './page.ts';
import { menu } from './site.ts';

type MenuItem = { label: string; link: string } | { label: string; collapsed: boolean; items: MenuItem[] };

const menuItem = (item: Page | Group): MenuItem =>
  isGroup(item)
    ? { label: item.label, collapsed: item.isOpen !== true, items: item.items.map(menuItem) }
    : { label: item.label ?? item.title, link: item.path === '' ? '/' : `/${item.path}` };

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('name the folder to write to');
process.env.ASTRO_TELEMETRY_DISABLED = '1';
process.env.NODE_ENV = 'production';
rmSync(folder, { recursive: true, force: true });
const items = menu();
await build({
  root: import.meta.dirname,
  configFile: false,
  base,
  outDir: folder,
  logLevel: 'error',
  trailingSlash: 'never',
  image: { service: passthroughImageService() },
  // Nothing inline: the Content-Security-Policy names the hashes of a few scripts, and no styles.
  vite: { build: { assetsInlineLimit: 0 } },
  integrations: [
    starlight({
      title: 'Webkiln docs',
      customCss: ['./src/style.css'],
      components: { PageTitle: './src/page-title.astro' },
      pagination: false,
      credits: false,
      disable404Route: false,
      sidebar: items.map(menuItem),
    }),
  ],
});
const pages = pagesOf(items);
for (const page of pages) {
  const file = path.join(folder, page.path === '' ? 'index.md' : `${page.path}.md`);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, textOf(page));
}
cpSync(path.join(import.meta.dirname, '../dashboard/src/brand/logo.svg'), path.join(folder, 'favicon.svg'));
for (const [name, file] of exampleFiles()) cpSync(file, path.join(folder, name), { recursive: true });
finish(folder, pages);
