import { existsSync, globSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import {
  cached,
  caddy,
  cosign,
  crane,
  LocalRegistry,
  mongodb,
  nats,
  redis,
  runCommand,
  supplyDownload,
  supplyProgram,
  terminalReport,
} from '@webkiln/dev-platform';

const root = path.resolve(import.meta.dirname, '../../..');
const composeFile = path.join(root, 'compose.yaml');

/** A release as operators get it: a registry with images and chart, and compose.yaml. */
export interface Artifacts {
  readonly crane: string;
  /** `localhost:5000` */
  readonly registry: string;
  readonly composeFile: string;
  /** The public key of the signatures. */
  readonly publicKey: string;
  readonly remove: () => Promise<void>;
}

/**
 * Makes a release by its scripts, in a registry of this machine. The images of stores and of Caddy, which come from
 * public registries, are made of the programs of this machine.
 */
export async function makeRelease(folder: string): Promise<Artifacts> {
  const [program, signer] = await Promise.all([supplyProgram(crane, terminalReport), supplyProgram(cosign, terminalReport)]);
  mkdirSync(folder, { recursive: true });
  const served = await LocalRegistry.start(program, path.join(folder, 'registry'));
  const registry = served.host;
  const env = { ...process.env, CRANE: program, COSIGN_PASSWORD: '' };
  const imageOf = async (image: string, file: string, target: string, libraries = '', platform = 'linux/amd64') =>
    runCommand(path.join(root, 'deploy/images/program-image.sh'), [`${registry}/${image}`, file, target, platform], {
      env: { ...env, LD_LIBRARY_PATH: libraries },
    });

  const other = await nodeOf('linux-arm64');
  await imageOf('base-amd64:24', process.execPath, '/nodejs/bin/node');
  await imageOf('base-arm64:24', other, '/nodejs/bin/node', '', 'linux/arm64');
  const manifests = ['amd64', 'arm64'].flatMap((each) => ['--manifest', `${registry}/base-${each}:24`]);
  await runCommand(program, ['index', 'append', '--tag', `${registry}/base:24`, ...manifests]);
  for (const [images, file, name, libraries] of await strangers()) {
    for (const image of images) await imageOf(image, file, `/usr/local/bin/${name}`, libraries);
  }

  await runCommand(signer, ['generate-key-pair', '--output-key-prefix', path.join(folder, 'release')], { env });
  const key = ['--registry', registry, '--key', path.join(folder, 'release.key')];
  const script = (name: string, ...args: string[]) =>
    runCommand(process.execPath, [path.join(root, 'scripts/release', name), '--out', path.join(folder, 'out'), ...key, ...args], { env });
  await script('images.ts', '--base', `${registry}/base:24`);
  await script('chart.ts');
  return {
    crane: program,
    registry,
    composeFile,
    publicKey: path.join(folder, 'release.pub'),
    remove: () => served[Symbol.asyncDispose](),
  };
}

/** The Node of another platform, in the version of this repository. */
async function nodeOf(platform: string): Promise<string> {
  const name = `node-${platform}@${process.versions.node}`;
  const folder = await cached(name, async (draft) => {
    await runCommand('npm', ['pack', name, '--pack-destination', draft]);
    await runCommand('tar', ['-xzf', globSync('*.tgz', { cwd: draft })[0] ?? '', 'package/bin/node'], { cwd: draft });
  });
  return path.join(folder, 'package/bin/node');
}

/** The images that are not ours: their names, the program, and where its libraries are. */
async function strangers(): Promise<[images: string[], file: string, name: string, libraries: string][]> {
  const parts = { mongo: mongodb, nats, redis, caddy } as const;
  const text = readFileSync(composeFile, 'utf8');
  return Promise.all(
    Object.entries(parts).map(async ([image, part]): Promise<[string[], string, string, string]> => {
      const [name = ''] = new RegExp(`${image}:[\\w.-]+`).exec(text) ?? [];
      const file = await supplyDownload(part, terminalReport);
      // What is unpacked below a folder has a launcher, run/…, which says where its libraries are.
      const folder = path.resolve(path.dirname(file), '..');
      const binary = [`${folder}/${part.program}`, `${folder}/usr/bin/${part.program}`].find((each) => existsSync(each)) ?? file;
      const libraries = binary === file ? [] : globSync('{usr/lib,lib}/**/', { cwd: folder }).map((each) => path.join(folder, each));
      return [[name, name.replace('-alpine', '')], binary, part.program, libraries.join(':')];
    }),
  );
}
