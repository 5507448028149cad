import { createHash, randomUUID } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { runCommand } from '../download/run-command.ts';

const root = path.resolve(import.meta.dirname, '../../../..');
const home = path.join(root, 'dashboard');

/** The folder of the dashboard's built files; built only when what they are made of has changed since. */
export async function buildDashboard(): Promise<string> {
  const folder = path.join(home, 'node_modules/.cache/webkiln', digestOfSources());
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}.${randomUUID()}`;
  await mkdir(unfinished, { recursive: true });
  // A process of its own: the bundler's memory goes with it.
  await runCommand(process.execPath, [path.join(home, 'build.ts'), unfinished], { cwd: home });
  // Another platform may have built the same at this moment.
  await rename(unfinished, folder).catch(() => rm(unfinished, { recursive: true }));
  return folder;
}

function digestOfSources(): string {
  const sources = globSync(['dashboard/{src/**/*.*,index.html,*.ts,package.json}', 'docs/openapi.json', 'pnpm-lock.yaml'], {
    cwd: root,
  }).sort();
  const digest = createHash('sha256');
  for (const source of sources) digest.update(`${source}\0`).update(readFileSync(path.join(root, source)));
  return digest.digest('hex').slice(0, 16);
}
