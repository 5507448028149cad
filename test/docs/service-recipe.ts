/** An addition, in the steps of docs/architecture.md: a service with an operation. */
import { readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { contract, edit, generate, type Step, scaffold, write } from './recipe-steps.ts';

const reminders = `import * as z from 'zod';
import { defineOperation } from '../http/operation.ts';

export const countReminders = defineOperation({
  method: 'GET',
  path: '/reminders',
  tag: 'Projects',
  summary: 'Count the reminders of the organization',
  description: 'What its members want to be reminded of.',
  permission: 'read',
  rpc: 'reminders.CountReminders',
  output: z.object({ total: z.int().min(0).describe('How many there are') }),
  success: 200,
  errors: [],
});
`;

const newService = scaffold('service', 'reminders');

export const service: readonly Step[] = [
  {
    ...newService,
    run: (tree) => {
      newService.run(tree);
      // As the next npm script would, from the new lines of the lock file: packages that another service has, too.
      symlinkSync(path.join(tree, 'services/clients-plans/node_modules'), path.join(tree, 'services/reminders/node_modules'));
    },
  },
  {
    names: 'packages/messages/src/services.ts',
    run: (tree) => {
      if (!readFileSync(path.join(tree, 'packages/messages/src/services.ts'), 'utf8').includes("areas: ['reminders']"))
        throw new Error('the skeleton has no row');
    },
  },
  {
    names: 'npm run new -- operation countReminders',
    run: (tree) => {
      scaffold('operation', 'countReminders', 'GET', '/reminders', '--area', 'reminders').run(tree);
      write(tree, `${contract}/areas/reminders.ts`, reminders);
      edit(
        tree,
        'services/reminders/src/reminders/count-reminders.ts',
        "async () => {\n  throw new Error('countReminders is not written yet');\n}",
        'async () => ({ total: 3 })',
      );
    },
  },
  {
    names: 'deploy/charts/webkiln/values.yaml',
    run: (tree) => edit(tree, 'deploy/charts/webkiln/values.yaml', '# …\n', '# Reminders of members\n'),
  },
  generate,
];

/** The suite that shows the service at work. */
export const proofOfService: Readonly<Record<string, string>> = {
  'services/reminders/src/reminders/reminders.test.ts': `import { randomBytes, randomUUID } from 'node:crypto';
import { removeStreams } from '@webkiln/events/testing';
import { call, closePeers, connectPeers, generateSigningKey, peerState } from '@webkiln/rpc';
import { startProcess } from '@webkiln/runtime/testing';
import { testCaller, until } from '@webkiln/store/testing';
import { bundledProgram } from '../../../../tools/dev-platform/src/platform/bundle.ts';

test('the new service starts, answers its operation, and stops', async () => {
  const prefix = \`test_\${randomBytes(6).toString('hex')}\`;
  const { publicKey, privateKey } = generateSigningKey();
  const { MONGODB_URL = '', NATS_URL = '' } = process.env;
  const { ports, stop } = await startProcess(await bundledProgram('services/reminders/src/main.ts'), {
    MONGODB_URL,
    MONGODB_PREFIX: prefix,
    NATS_URL,
    EVENTS_PREFIX: prefix,
    IDENTITY_ADDRESS: '127.0.0.1:9',
    PRINCIPAL_TRUSTED_KEYS: \`gateway:\${publicKey}\`,
    PRINCIPAL_SIGNING_KEY: privateKey,
  });
  const addresses = { reminders: \`127.0.0.1:\${ports.grpc}\` };
  connectPeers({ issuer: 'gateway', signingKey: privateKey, transport: 'carried', addresses });
  await until(() => peerState('reminders') === 'ready');
  expect(await call('reminders.CountReminders', {}, testCaller(randomUUID()))).toEqual({ total: 3 });
  await closePeers();
  await stop();
  await removeStreams(prefix);
});
`,
};
