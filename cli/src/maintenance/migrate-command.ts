import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { type DataServiceName, dataServiceNames } from '@webkiln/messages';
import { type Command, Option } from 'commander';
import { mongodbUrlOf } from '../development/development-platform.ts';
import { OperatorError } from '../operator-error.ts';

const services = path.resolve(import.meta.dirname, '../../../services');

/** Not over RPC: it runs before the services of its release do. */
export function addMigrateCommand(program: Command): void {
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
function runMigrate(service: DataServiceName, words: readonly string[]): boolean {
  const main = path.join(services, service, 'src/main.ts');
  if (!existsSync(main)) throw new OperatorError(`${service} is not in this image: run \`node /app/main.js migrate\` in its own one.`);
  const MONGODB_URL = process.env.MONGODB_URL ?? mongodbUrlOf('operator');
  const { status } = spawnSync(process.execPath, [main, 'migrate', ...words], { stdio: 'inherit', env: { ...process.env, MONGODB_URL } });
  return status === 0;
}
