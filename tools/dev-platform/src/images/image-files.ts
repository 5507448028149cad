import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ProcessName } from '@webkiln/messages';
import * as z from 'zod';
import { buildDashboard, buildDocsSite } from '../platform/build-pages.ts';
import { bundle } from '../platform/bundle.ts';
import { BundledPackage, packageIn, packagesFile } from '../platform/bundled-packages.ts';
import { entryOf, processNames } from '../platform/process-table.ts';

/** An image of each process, and one of the operators' command line. */
export type ImageName = ProcessName | 'cli';
export const imageNames: readonly ImageName[] = [...processNames, 'cli'];

const root = path.resolve(import.meta.dirname, '../../../..');
const entryOfImage = (name: ImageName) => (name === 'cli' ? 'cli/src/main.ts' : entryOf(name));

/** Fills `<folder>/<name>` with all files of each image: what is `/app` there. */
export async function writeImageFiles(names: readonly ImageName[], folder: string, version: string): Promise<void> {
  const programs = await bundle(names.map(entryOfImage));
  for (const name of names) {
    const app = path.join(folder, name);
    mkdirSync(app, { recursive: true });
    const source = path.dirname(programs.get(entryOfImage(name)) ?? '');
    cpSync(source, app, { recursive: true, filter: (file) => path.basename(file) !== packagesFile });
    cpSync(path.join(root, 'protos'), path.join(app, 'protos'), { recursive: true });
    writeFileSync(path.join(app, 'package.json'), `${JSON.stringify({ name: `webkiln-${name}`, version, type: 'module' })}\n`);
    const packages = z.array(BundledPackage).parse(JSON.parse(readFileSync(path.join(source, packagesFile), 'utf8')));
    if (name === 'gateway') packages.push(...(await addPages(app)));
    if (name === 'projects-templates') packages.push(...addPackage(app, path.join(root, 'services', name), 'sharp'));
    writeFileSync(path.join(app, 'sbom.json'), sbom({ name: `webkiln-${name}`, version }, packages));
  }
}

/** Adds the dashboard and the docs site, which the gateway reads as files. */
async function addPages(app: string): Promise<BundledPackage[]> {
  cpSync(await buildDashboard(), path.join(app, 'dashboard'), { recursive: true });
  cpSync(await buildDocsSite(), path.join(app, 'docs'), { recursive: true });
  return ['dashboard', 'docs-site'].flatMap(packagesOfPages);
}

/** Adds a package that is in no bundle, with those of its dependencies that are installed for this system. */
function addPackage(app: string, user: string, name: string): BundledPackage[] {
  // pnpm installs a package beside its dependencies.
  const installed = path.dirname(realpathSync(path.join(user, 'node_modules', name)));
  const { dependencies, optionalDependencies } = Dependencies.parse(
    JSON.parse(readFileSync(path.join(installed, name, 'package.json'), 'utf8')),
  );
  const names = [name, ...Object.keys({ ...dependencies, ...optionalDependencies })];
  return names
    .filter((each) => existsSync(path.join(installed, each)))
    .map((each) => {
      cpSync(path.join(installed, each), path.join(app, 'node_modules', each), { recursive: true, dereference: true });
      return packageIn(path.join(installed, each));
    });
}

/** The packages that a folder of pages names as its dependencies; its bundler does not list those behind them. */
function packagesOfPages(name: string): BundledPackage[] {
  const folder = path.join(root, name);
  const { dependencies } = Dependencies.parse(JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')));
  return Object.keys(dependencies).map((dependency) => packageIn(path.join(folder, 'node_modules', dependency)));
}

const Versions = z.record(z.string(), z.string());
const Dependencies = z.object({ dependencies: Versions, optionalDependencies: Versions.default({}) });

/** A software bill of materials, CycloneDX 1.6 as JSON. Equal arguments give equal bytes: images can be rebuilt. */
export function sbom(image: { readonly name: string; readonly version: string }, packages: readonly BundledPackage[]): string {
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'application', 'bom-ref': image.name, ...image, licenses: [{ expression: 'Apache-2.0' }] } },
    components: packages.map(({ name, version, license }) => {
      const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
      return { type: 'library', 'bom-ref': purl, name, version, purl, licenses: [{ license: { name: license } }] };
    }),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}
