import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';

/** A package of others that is part of a bundle. */
export const BundledPackage = z.object({ name: z.string(), version: z.string(), license: z.string() });
export type BundledPackage = z.output<typeof BundledPackage>;

/** Lies beside a bundle's program and lists the packages in it. */
export const packagesFile = 'packages.json';

const Manifest = z.object({ name: z.string(), version: z.string(), license: z.string().default('NOASSERTION') });

/** Writes the packages of `inputs`, bundled files by their path below `root`, sorted by name and version. */
export async function writePackages(root: string, inputs: readonly string[], file: string): Promise<void> {
  const folders = new Set(inputs.flatMap((input) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(input)?.[0] ?? []));
  const packages = [...folders].map((folder): BundledPackage => packageIn(path.join(root, folder)));
  const sorted = packages.sort((a, b) => (`${a.name}@${a.version}` < `${b.name}@${b.version}` ? -1 : 1));
  await writeFile(file, `${JSON.stringify(sorted, null, 2)}\n`);
}

export const packageIn = (folder: string): BundledPackage =>
  Manifest.parse(JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')));
