import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { heapOf } from '../platform/supervise-service.ts';
import type { ImageName } from './image-files.ts';

const root = path.resolve(import.meta.dirname, '../../../..');
/** Node and the C library, without a shell, for user 65532. */
const defaultBase = 'gcr.io/distroless/nodejs24-debian12:nonroot';
const user = '65532:65532';
/** A volume that is mounted there belongs to the user of the image. */
const writableFolders = { cli: ['backups', 'mails', 'secrets'], gateway: ['uploads'] } as const;
const mailFolder = ['mails'];

export interface ImageOptions {
  /** The program that makes images. */
  readonly crane: string;
  /** A registry on this machine, for what is not finished. */
  readonly staging: string;
  /** What `writeImageFiles` wrote for this platform. */
  readonly files: string;
  /** `linux/amd64` */
  readonly platform: string;
  /** The name with the registry and the tag. */
  readonly image: string;
  /** Instead of the default base, for the same platform. */
  readonly base?: string;
  readonly version: string;
  /** An archive to write instead of a push. */
  readonly archive?: string;
}

/** The largest image that is allowed, with its base, in bytes as it is transferred. */
export const maxImageBytes = 120_000_000;

/**
 * Makes the image of one process for one platform: the base, a layer with /app, and how it starts. No container engine
 * takes part, and equal files and options give equal bytes. Pushes it, unless there is an archive to write.
 */
export async function buildImage(name: ImageName, options: ImageOptions): Promise<void> {
  const { crane, staging, files, platform, image, base = defaultBase, version, archive } = options;
  const run = (...args: string[]) => promisify(execFile)(crane, args, { maxBuffer: 64 * 1024 * 1024 });
  const work = mkdtempSync(path.join(tmpdir(), 'webkiln-layer-'));
  try {
    const layer = writeLayer(name, files, work);
    const draft = `${staging}/${name}:${platform.replace('/', '-')}`;
    await run('append', '--platform', platform, '--base', base, '--new_layer', layer, '--new_tag', draft);
    const labels = Object.entries(labelsOf(name, version)).flatMap(([key, value]) => ['--label', `${key}=${value}`]);
    const env = Object.entries(environmentOf(name)).flatMap(([key, value]) => ['--env', `${key}=${value}`]);
    const start = ['--entrypoint', '/nodejs/bin/node,/app/main.js', '--cmd', '', '--user', user, '--workdir', '/app'];
    await run('mutate', draft, ...env, ...labels, ...start, '--tag', image, ...(archive === undefined ? [] : ['--output', archive]));
  } finally {
    rmSync(work, { recursive: true });
  }
}

/** A tar archive of /app, which is root's, and of the folders for volumes, which are those of the image's user. */
function writeLayer(name: ImageName, files: string, work: string): string {
  const layer = path.join(work, 'layer.tar');
  const of = (owner: string) => ['--sort=name', `--mtime=${commit().CREATED}`, '--numeric-owner', `--owner=${owner}`, `--group=${owner}`];
  const app = ['--mode=u=rwX,go=rX', '-C', files, `--transform=s,^${name},app,`, name];
  execFileSync('tar', ['-cf', layer, ...of('0'), ...app], { stdio: 'pipe' });
  const folders = name in writableFolders ? writableFolders[name as keyof typeof writableFolders] : mailFolder;
  for (const folder of folders) mkdirSync(path.join(work, folder));
  execFileSync('tar', ['-rf', layer, ...of('65532'), '--mode=0755', '-C', work, ...folders], { stdio: 'pipe' });
  return layer;
}

/** The limits of V8 are those of `npm start`. One arena, and large blocks that go back, keep idle processes small. */
const environmentOf = (name: ImageName) => ({
  NODE_ENV: 'production',
  NODE_OPTIONS: name === 'cli' ? '--max-old-space-size=256' : heapOf(name).join(' '),
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '262144',
  BIND_ADDRESS: '0.0.0.0',
  ...(name === 'gateway' && { DASHBOARD_DIR: '/app/dashboard' }),
  ...((name === 'gateway' || name === 'mcp') && { DOCS_DIR: '/app/docs' }),
});

const labelsOf = (name: ImageName, version: string) => ({
  'org.opencontainers.image.title': `webkiln-${name}`,
  'org.opencontainers.image.version': version,
  'org.opencontainers.image.revision': commit().REVISION,
  'org.opencontainers.image.created': commit().CREATED,
  'org.opencontainers.image.licenses': 'Apache-2.0',
  'org.webkiln.sbom': '/app/sbom.json',
});

/** What the images are made of. The time is that of the commit, so that images can be rebuilt. */
export function commit(): { readonly REVISION: string; readonly CREATED: string } {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const isClean = git('status', '--porcelain') === '';
  return { REVISION: `${git('rev-parse', 'HEAD')}${isClean ? '' : '-dirty'}`, CREATED: git('log', '-1', '--format=%cI') };
}
