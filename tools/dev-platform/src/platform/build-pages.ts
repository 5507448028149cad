import path from 'node:path';
import { runCommand } from '../download/run-command.ts';
import { cachedBuild, digestOf } from './cached-build.ts';

const root = path.resolve(import.meta.dirname, '../../../..');

/** Runs `<part>/build.ts` in a child process, whose memory is returned when it exits. */
function buildPart(part: 'dashboard' | 'docs-site', ...sources: readonly string[]): Promise<string> {
  const home = path.join(root, part);
  const build = async (folder: string) => void (await runCommand(process.execPath, [path.join(home, 'build.ts'), folder], { cwd: home }));
  return cachedBuild({ home, digest: digestOf(...sources, 'docs/openapi.json', 'pnpm-lock.yaml'), build });
}

/** Returns the folder of the dashboard's built files. */
export const buildDashboard = () => buildPart('dashboard', 'dashboard/{src/**/*.*,*.html,*.ts,package.json}', 'packages/texts/src/**/*.*');

/** Returns the folder of the docs site's built files. */
export const buildDocsSite = () =>
  buildPart(
    'docs-site',
    'docs-site/{src/**/*.*,reference/*.ts,*.ts,package.json}',
    'docs/{*.md,decisions/*.md,examples/**/*.*}',
    'dashboard/src/brand/logo.svg',
  );
