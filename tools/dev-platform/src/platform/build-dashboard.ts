import path from 'node:path';
import { runCommand } from '../download/run-command.ts';
import { cachedBuild, digestOf } from './cached-build.ts';

const home = path.resolve(import.meta.dirname, '../../../../dashboard');

/** Returns the folder of the dashboard's built files. */
export function buildDashboard(): Promise<string> {
  const digest = digestOf(
    'dashboard/{src/**/*.*,*.html,*.ts,package.json}',
    'packages/texts/src/**/*.*',
    'docs/openapi.json',
    'pnpm-lock.yaml',
  );
  // Built in a child process, whose memory is returned when it exits.
  const build = async (folder: string) => void (await runCommand(process.execPath, [path.join(home, 'build.ts'), folder], { cwd: home }));
  return cachedBuild({ home, digest, build });
}
