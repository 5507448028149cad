import { createHash } from 'node:crypto';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ProcessName } from '@webkiln/messages';
import * as z from 'zod';
import { runCommand } from '../download/run-command.ts';
import { buildDashboard, buildDocsSite } from '../platform/build-pages.ts';
import { bundle } from '../platform/bundle.ts';
import { BundledPackage, packageIn, packagesFile } from '../platform/bundled-packages.ts';
import { entryOf, processNames } from '../platform/process-table.ts';

/** An image of each process, and one of the operators' command line. */
export type ImageName = ProcessName | 'cli';
export const imageNames: readonly ImageName[] = [...processNames, 'cli'];

const root = path.resolve(import.meta.dirname, '../../../..');
const entryOfImage = (name: ImageName) => (name === 'cli' ? 'cli/src/main.ts' : entryOf(name));

/** The platform of this machine, as images name it. */
export const thisPlatform = `linux/${process.arch === 'x64' ? 'amd64' : process.arch}`;

/** Fills `<folder>/<name>` with all files of each image: what is `/app` there, on a platform such as linux/arm64. */
export async function writeImageFiles(
  names: readonly ImageName[],
  folder: string,
  version: string,
  platform = thisPlatform,
): Promise<void> {
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
    if (name === 'mcp') await addGuides(app);
    if (name === 'projects-templates') packages.push(...(await addSharp(app, path.join(root, 'services', name), platform)));
    writeFileSync(path.join(app, 'sbom.json'), sbom({ name: `webkiln-${name}`, version }, packages));
  }
}

/** Adds the dashboard and the docs site, which the gateway reads as files. */
async function addPages(app: string): Promise<BundledPackage[]> {
  cpSync(await buildDashboard(), path.join(app, 'dashboard'), { recursive: true });
  cpSync(await buildDocsSite(), path.join(app, 'docs'), { recursive: true });
  return ['dashboard', 'docs-site'].flatMap(packagesOfPages);
}

/** Adds the guides as Markdown, in which agents search. */
async function addGuides(app: string): Promise<void> {
  const built = await buildDocsSite();
  for (const file of globSync('*.md', { cwd: built })) cpSync(path.join(built, file), path.join(app, 'docs', file));
}

/** Adds sharp, which is in no bundle, with its libraries for a platform. */
async function addSharp(app: string, user: string, platform: string): Promise<BundledPackage[]> {
  // pnpm installs a package beside its dependencies.
  const installed = path.dirname(realpathSync(path.join(user, 'node_modules/sharp')));
  const { dependencies, optionalDependencies } = Dependencies.parse(
    JSON.parse(readFileSync(path.join(installed, 'sharp/package.json'), 'utf8')),
  );
  const suffix = `-${platform.replace('/', '-').replace('amd64', 'x64')}`;
  const libraries = Object.entries(optionalDependencies).filter(([name]) => name.endsWith(suffix));
  const added: BundledPackage[] = [];
  for (const [name, version] of [['sharp', ''], ...Object.entries(dependencies), ...libraries] as const) {
    const source = path.join(installed, name);
    const target = path.join(app, 'node_modules', name);
    if (existsSync(source)) cpSync(source, target, { recursive: true, dereference: true });
    else await fetchPackage(`${name}@${version}`, target);
    added.push(packageIn(target));
  }
  return added;
}

/** Unpacks a package that is not installed on this machine, with the bytes that pnpm-lock.yaml names. */
async function fetchPackage(spec: string, target: string): Promise<void> {
  const lock = readFileSync(path.join(root, 'pnpm-lock.yaml'), 'utf8');
  const [, integrity] = lock.split(`'${spec}':\n    resolution: {integrity: `)[1]?.match(/^([^}]+)}/) ?? [];
  if (integrity === undefined) throw new Error(`pnpm-lock.yaml has no ${spec}`);
  mkdirSync(target, { recursive: true });
  const [packed] = JSON.parse(await runCommand('npm', ['pack', spec, '--json', '--pack-destination', target])) as { filename: string }[];
  const archive = path.join(target, packed?.filename ?? '');
  const digest = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`;
  if (digest !== integrity) throw new Error(`${spec} is not what pnpm-lock.yaml names`);
  await runCommand('tar', ['-xzf', archive, '--strip-components=1', '-C', target]);
  rmSync(archive);
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
