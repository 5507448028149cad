import { natsAccounts, natsPasswordVariable, natsServerUsers } from '@webkiln/events/permissions';
import { exampleFile, objectsOf, template } from './charts.ts';

const natsOf = async (...values: string[]) => {
  const objects = objectsOf(await template('webkiln', '--values', exampleFile('small'), ...values));
  const one = (wanted: string) => objects.find(({ kind, metadata }) => kind === wanted && metadata.name === 'nats');
  const container = one('StatefulSet')?.spec.template.spec.containers[0];
  const conf: string = one('ConfigMap')?.data['nats.conf'];
  return { conf, environment: container?.envFrom };
};

test('the small NATS has exactly the users of the code, for the prefix of the platform, with passwords from its Secret', async () => {
  const { conf, environment } = await natsOf('--set', 'global.settings.EVENTS_PREFIX=shop_');
  expect(conf).toContain(natsServerUsers('shop_').trimEnd());
  const variables = [...conf.matchAll(/password: \$(\w+)/g)].map(([, variable]) => variable);
  expect(variables).toEqual(natsAccounts.map(natsPasswordVariable));
  expect(environment).toEqual([{ secretRef: { name: 'webkiln-nats' } }]);
});

test('an installation from before there were users goes on without them by stores.nats.users=false', async () => {
  const { conf, environment } = await natsOf('--set', 'stores.nats.users=false');
  expect({ hasUsers: conf.includes('authorization'), environment }).toEqual({ hasUsers: false, environment: undefined });
});
