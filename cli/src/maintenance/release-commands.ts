import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { type DataServiceName, dataServiceNames, type ProcessName, processes } from '@webkiln/messages';
import { type Command, Option } from 'commander';
import { mongodbUrlOf } from '../development/development-platform.ts';
import { OperatorError } from '../operator-error.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const processNames = Object.keys(processes) as ProcessName[];

/** Adds `migrate` and `config check`: not over RPC, because both are for before the processes of a release run. */
export function addReleaseCommands(program: Command): void {
  program
    .command('config')
    .description('the settings of the processes')
    .command('check')
    .description('say which settings in the environment, or in a file, are missing or wrong, without starting anything')
    .option('--env-file <file>', 'lines NAME=value instead of the environment')
    .addOption(new Option('--process <name>', 'one process only').choices(processNames))
    .action(({ envFile, process: one }: { envFile?: string; process?: ProcessName }) => {
      const env = envFile === undefined ? process.env : { PATH: process.env.PATH, ...variablesIn(envFile) };
      const names = one === undefined ? processNames : [one];
      const wrong = names.filter((name) => !runMain(name, ['config'], { ...env, LOG_LEVEL: 'error' }));
      if (wrong.length > 0) throw new OperatorError(`Not valid: ${wrong.join(', ')}.`);
    });

  program
    .command('migrate')
    .description('make the databases what this release needs: indexes and stored documents, one service after the other')
    .option('--check', 'change nothing; fail if something is missing')
    .addOption(new Option('--service <name>', 'one service only').choices(dataServiceNames))
    .action(({ check, service }: { check?: true; service?: DataServiceName }) => {
      const names = service === undefined ? dataServiceNames : [service];
      const failed = names.filter((name) => !runMigrate(name, check ? ['--check'] : []));
      if (failed.length > 0) throw new OperatorError(`Not migrated: ${failed.join(', ')}. Run it again, it continues where it ended.`);
    });
}

/** True if the database has all that the service needs afterwards. */
const runMigrate = (service: DataServiceName, words: readonly string[]): boolean =>
  runMain(service, ['migrate', ...words], { ...process.env, MONGODB_URL: process.env.MONGODB_URL ?? mongodbUrlOf('operator') });

/** Runs the program of a process with these words; true if it succeeded. */
function runMain(name: ProcessName, words: readonly string[], env: NodeJS.ProcessEnv): boolean {
  const main = path.join(root, name === 'gateway' ? name : `services/${name}`, 'src/main.ts');
  if (!existsSync(main))
    throw new OperatorError(`${name} is not in this image: run \`node /app/main.js ${words.join(' ')}\` in its own one.`);
  return spawnSync(process.execPath, [main, ...words], { stdio: 'inherit', env }).status === 0;
}

function variablesIn(file: string): NodeJS.Dict<string> {
  try {
    return parseEnv(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new OperatorError(`${file} cannot be read.`, { cause: error });
  }
}
