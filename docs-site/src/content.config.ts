import { defineCollection } from 'astro:content';
import { docsSchema } from '@astrojs/starlight/schema';
import { sourceOf } from '../page.ts';
import { pages } from '../site.ts';

/** Starlight's pages: the guides and the reference, from memory. */
export const collections = {
  docs: defineCollection({
    schema: docsSchema(),
    loader: {
      name: 'webkiln-docs',
      async load({ store, parseData, renderMarkdown, generateDigest }) {
        store.clear();
        for (const page of pages()) {
          const { path, title, description } = page;
          const [id, body] = [path === '' ? 'index' : path, sourceOf(page)];
          const data = await parseData({ id, data: { title, description } });
          store.set({ id, data, body, digest: generateDigest(body), rendered: await renderMarkdown(body) });
        }
      },
    },
  }),
};
