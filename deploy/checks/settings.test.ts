import type { ProcessName } from '@webkiln/messages';
import { newSecrets, secretsOfProcess } from '@webkiln/messages/secrets';
import { readConfig } from '@webkiln/runtime';
import { exampleNames, type KubernetesObject, objectsOfExample } from './charts.ts';
import { configOf, names, ofImage, urls } from './process-configs.ts';

const secrets = newSecrets();
/** Read by Node itself. */
const ofNode: ReadonlySet<string> = new Set(['NODE_EXTRA_CA_CERTS']);

/** What Kubernetes puts into the environment: the ConfigMap and the container's own variables. */
function environmentOf(objects: readonly KubernetesObject[], name: ProcessName) {
  const shared = objects.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === 'webkiln-settings')?.data as Record<
    string,
    string
  >;
  const deployment = objects.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === name);
  const [container] = deployment?.spec.template.spec.containers ?? [];
  const variables: Record<'name' | 'value', string>[] = container.env;
  const own = Object.fromEntries(
    variables.filter((variable) => !ofNode.has(variable.name)).map((variable) => [variable.name, variable.value]),
  );
  return { shared, own, sources: container.envFrom };
}

describe.each(exampleNames)('example %s', (example) => {
  test.each(names)(
    '%s gets every setting that it requires, each valid, and its container sets none that it does not know',
    async (name) => {
      const config = await configOf(name);
      const { shared, own, sources } = environmentOf(await objectsOfExample(example), name);
      expect(sources).toEqual([{ configMapRef: { name: 'webkiln-settings' } }, { secretRef: { name: `webkiln-${name}` } }]);
      const secret = secretsOfProcess(name, secrets, urls);
      for (const variables of [own, secret]) expect(Object.keys(config.shape)).toEqual(expect.arrayContaining(Object.keys(variables)));
      expect(() => readConfig(config, { ...ofImage, ...shared, ...secret, ...own })).not.toThrow();
    },
  );

  test('every shared setting is one that some process knows', async () => {
    const known = new Set((await Promise.all(names.map(configOf))).flatMap(({ shape }) => Object.keys(shape)));
    const { shared } = environmentOf(await objectsOfExample(example), 'gateway');
    expect(Object.keys(shared).filter((name) => !known.has(name))).toEqual([]);
  });
});

test('a Secret has what its process needs and no secret of another', () => {
  expect(Object.keys(secretsOfProcess('mcp', secrets, urls))).toEqual(['PRINCIPAL_SIGNING_KEY', 'PRINCIPAL_TRUSTED_KEYS']);
  expect(Object.keys(secretsOfProcess('gateway', secrets, urls))).toEqual(['NATS_URL', 'REDIS_URL', 'PRINCIPAL_SIGNING_KEY']);
  expect(names.filter((name) => 'KEY_PEPPER' in secretsOfProcess(name, secrets, urls))).toEqual(['identity']);
});
