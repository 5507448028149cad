import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import path from 'node:path';
import type { ImageName } from './image-files.ts';

const root = path.resolve(import.meta.dirname, '../../../..');

export interface BuildOptions {
  /** `docker`, `podman` or `buildah` (one that knows --build-context) and its own options. */
  readonly builder: readonly string[];
  /** Options of V8 that the process runs with. */
  readonly nodeFlags: readonly string[];
  /** The folder that `writeImageFiles` filled. */
  readonly files: string;
  /** Before the process's name: "registry.example.com/webkiln". */
  readonly repository: string;
  readonly tag: string;
  /** Instead of the Dockerfile's BASE_IMAGE. */
  readonly base?: string;
  readonly version: string;
  /** An existing folder for the archive `<process>.tar`. */
  readonly save?: string;
}

/** The largest image that is allowed, with its base, in bytes. */
export const maxImageBytes = 250_000_000;

/** Builds the image of one process. Returns its name and its size in bytes, uncompressed. */
export function buildImage(name: ImageName, options: BuildOptions): { readonly image: string; readonly bytes: number } {
  const { builder, nodeFlags, files, repository, tag, base, version, save } = options;
  const image = `${repository}/${name}:${tag}`;
  const [program = '', ...own] = builder;
  // What the builder prints is shown if it fails: the error has it.
  const engine = (...args: string[]) => execFileSync(program, [...own, ...args], { encoding: 'utf8', stdio: 'pipe' });
  const args = {
    PROCESS: name,
    VERSION: version,
    ...provenance(),
    ...(base !== undefined && { BASE_IMAGE: base }),
    ...(nodeFlags.length > 0 && { NODE_OPTIONS: nodeFlags.join(' ') }),
  };
  const buildArgs = Object.entries(args).flatMap(([key, value]) => ['--build-arg', `${key}=${value}`]);
  const dockerfile = path.join(root, 'deploy/images/Dockerfile');
  engine('build', ...buildArgs, '--build-context', `bundles=${files}`, '-t', image, '-f', dockerfile, files);
  const [size] = JSON.parse(engine('inspect', '--format', '[{{.Size}}]', image)) as number[];
  if (save !== undefined) {
    const archive = path.join(save, `${name}.tar`);
    rmSync(archive, { force: true });
    engine('save', '-o', archive, image);
  }
  return { image, bytes: size ?? 0 };
}

/** What the image was made of, by labels. The time is that of the commit, so that images can be rebuilt. */
function provenance(): Record<string, string> {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const isClean = git('status', '--porcelain') === '';
  return { REVISION: `${git('rev-parse', 'HEAD')}${isClean ? '' : '-dirty'}`, CREATED: git('log', '-1', '--format=%cI') };
}
