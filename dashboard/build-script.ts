import path from 'node:path';
import { build } from 'vite';

/** Builds a classic script of one file, for all languages; returns its name. `fileName` may have `[hash]` in it. */
export async function buildScript(folder: string, source: string, fileName: string): Promise<string> {
  const built = await build({
    configFile: false,
    root: import.meta.dirname,
    logLevel: 'error',
    build: {
      outDir: folder,
      emptyOutDir: false,
      target: 'baseline-widely-available',
      lib: {
        entry: path.join(import.meta.dirname, source),
        name: 'Webkiln',
        formats: ['iife'],
        fileName: () => fileName,
      },
      reportCompressedSize: false,
    },
  });
  const [script] = [built].flat().flatMap((each) => ('output' in each ? each.output : []));
  if (script === undefined) throw new Error(`${source} was not built`);
  return script.fileName;
}
