import type { IncomingReply } from '@webkiln/rpc';
import type { Command } from 'commander';
import { ask, withService } from '../connection.ts';
import { OperatorError } from '../operator-error.ts';
import { print, table } from '../output.ts';

/** A test of one model has 30 s, and all run at once. */
const testTimeoutMs = 45_000;

export function addModelCommands(program: Command): void {
  const models = program.command('model').description('the models that build sites, as the settings of embed name them');

  models
    .command('test')
    .description('ask the first model of each provider to call a tool and to stream an answer; costs a few hundred tokens each')
    .option('--provider <id>', 'test this provider alone')
    .action(({ provider }: { provider?: string }, command: Command) =>
      withService('embed', async () => {
        const { tests = [] } = await ask('models.TestModels', { provider }, undefined, testTimeoutMs);
        printTests(command, tests);
        const failed = tests.filter(({ passed }) => !passed).length;
        if (failed > 0)
          throw new OperatorError(`${failed} of ${tests.length} ${tests.length === 1 ? 'provider' : 'providers'} cannot build sites.`);
      }),
    );
}

type ModelTest = NonNullable<IncomingReply<'models.TestModels'>['tests']>[number];

function printTests(command: Command, tests: readonly ModelTest[]): void {
  const rows = tests.map(({ provider, model, finding, milliseconds }) => [
    provider,
    model,
    `${(milliseconds / 1_000).toFixed(1)} s`,
    finding,
  ]);
  print(command, { tests }, () =>
    rows.length === 0
      ? 'No model provider is configured: the composer builds sites. docs/models.md says how to add one.'
      : table(['PROVIDER', 'MODEL', 'TIME', 'FINDING'], rows),
  );
}
