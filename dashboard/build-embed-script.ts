import path from 'node:path';
import { build } from 'vite';

/** Writes `embed.js`: one classic script, since pages of others load it by its fixed address. */
export async function buildEmbedScript(folder: string): Promise<void> {
  await build({
    configFile: false,
    root: import.meta.dirname,
    logLevel: 'error',
    build: {
      outDir: folder,
      emptyOutDir: false,
      target: 'baseline-widely-available',
      lib: {
        entry: path.join(import.meta.dirname, 'src/embed/embed.ts'),
        name: 'Webkiln',
        formats: ['iife'],
        fileName: () => 'embed.js',
      },
      reportCompressedSize: false,
    },
  });
}
