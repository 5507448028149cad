import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { terminalReport } from '../platform/terminal.ts';
import { crane as craneDependency } from '../stores/go-programs.ts';
import { supplyProgram } from '../supply/supply.ts';
import { buildImage, maxImageBytes } from './build-image.ts';
import { type ImageName, writeImageFiles } from './image-files.ts';
import { LocalRegistry } from './local-registry.ts';

export interface MakeImages {
  /** The names before `/webkiln/<process>`, such as ghcr.io. */
  readonly registry: string;
  readonly tag: string;
  readonly version: string;
  /** Several make one image that has all of them. */
  readonly platforms: readonly string[];
  readonly base?: string;
  /** A folder for archives, `<process>.tar`, of the one platform; nothing is pushed then. */
  readonly save?: string;
}

export interface MadeImage {
  readonly name: ImageName;
  /** With registry and tag. */
  readonly image: string;
  /** As it is transferred, of the largest platform. */
  readonly bytes: number;
  /** `sha256:…` of what was pushed. */
  readonly digest?: string;
  /** Its bill of materials. */
  readonly sbom: string;
}

/** Makes the images of processes, and pushes them or saves them. Each is yielded as soon as it is there. */
export async function* makeImages(names: readonly ImageName[], options: MakeImages): AsyncGenerator<MadeImage> {
  const { registry, tag, version, platforms, base, save } = options;
  const [first] = platforms;
  if (first === undefined || (save !== undefined && platforms.length > 1)) throw new Error('An archive holds one platform.');
  const crane = await supplyProgram(craneDependency, terminalReport);
  const run = async (...args: string[]) => (await promisify(execFile)(crane, args, { maxBuffer: 64 * 1024 * 1024 })).stdout.trim();
  if (save !== undefined) mkdirSync(save, { recursive: true });
  const work = mkdtempSync(path.join(tmpdir(), 'webkiln-images-'));
  const staging = await LocalRegistry.start(crane);
  try {
    const filesOf = (platform: string) => path.join(work, platform.replace('/', '-'));
    for (const platform of platforms) await writeImageFiles(names, filesOf(platform), version, platform);
    for (const name of names) {
      const image = `${registry}/webkiln/${name}:${tag}`;
      const archive = save === undefined ? undefined : path.join(save, `${name}.tar`);
      const imageOf = (platform: string) => (platforms.length === 1 ? image : `${image}-${platform.split('/')[1]}`);
      for (const platform of platforms) {
        const own = { crane, staging: staging.host, files: filesOf(platform), platform, image: imageOf(platform), version };
        await buildImage(name, { ...own, ...(base !== undefined && { base }), ...(archive !== undefined && { archive }) });
      }
      const bytes =
        archive === undefined
          ? Math.max(...(await Promise.all(platforms.map((each) => sizeOf(run, imageOf(each))))))
          : statSync(archive).size;
      if (bytes > maxImageBytes)
        throw new Error(`${image} is larger than ${maxImageBytes / 1e6} MB: see what its /app holds, and its base.`);
      if (platforms.length > 1) await run('index', 'append', '--tag', image, ...platforms.flatMap((each) => ['--manifest', imageOf(each)]));
      const sbom = readFileSync(path.join(filesOf(first), name, 'sbom.json'), 'utf8');
      yield { name, image, bytes, sbom, ...(archive === undefined && { digest: await run('digest', image) }) };
    }
  } finally {
    await staging[Symbol.asyncDispose]();
    rmSync(work, { recursive: true });
  }
}

async function sizeOf(run: (...args: string[]) => Promise<string>, image: string): Promise<number> {
  const { layers } = JSON.parse(await run('manifest', image)) as { layers: { size: number }[] };
  return layers.reduce((sum, { size }) => sum + size, 0);
}
