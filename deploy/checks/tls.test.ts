import { type ProcessName, processes } from '@webkiln/messages';
import { tlsConfig } from '@webkiln/runtime';
import { exampleNames, type KubernetesObject, objectsOf, objectsOfExample, template } from './charts.ts';
import { workloads } from './policy.ts';

const names = Object.keys(processes) as ProcessName[];
const withTls = ['production', 'gateway-api'];
type Named = { readonly name: string };

const podsOf = (objects: readonly KubernetesObject[], name: string) =>
  workloads(objects)
    .filter(({ labels }) => labels['app.kubernetes.io/name'] === name)
    .map(({ pod }) => pod);
const byName = <T extends Named>(list: readonly T[], name: string) => list.find((each) => each.name === name);

/** The volume that a file of a container is on. */
function volumeOf(pod: KubernetesObject['spec'], file: string) {
  const [{ volumeMounts }] = pod.containers;
  const mount = volumeMounts.find(({ mountPath }: { mountPath: string }) => file.startsWith(`${mountPath}/`));
  return byName<Named & Record<string, { name?: string; secretName?: string }>>(pod.volumes, mount?.name);
}

describe.each(withTls)('example %s', (example) => {
  test.each(names)('%s finds its certificate, key and authorities in a Secret of its own', async (name) => {
    const objects = await objectsOfExample(example);
    const secret = example === 'gateway-api' && name === 'identity' ? 'identity-certificate' : `webkiln-${name}-tls`;
    for (const pod of podsOf(objects, name)) {
      const files = Object.keys(tlsConfig).map((setting) => byName<Named & { value: string }>(pod.containers[0].env, setting)?.value ?? '');
      expect(files.map((file) => file.split('/').at(-1))).toEqual(['tls.crt', 'tls.key', 'ca.crt']);
      for (const file of files) expect(volumeOf(pod, file)?.secret?.secretName).toBe(secret);
    }
  });

  test('every pod that calls a store believes the authority of the stores', async () => {
    const objects = await objectsOfExample(example);
    for (const { name, pod } of workloads(objects)) {
      const file = byName<Named & { value: string }>(pod.containers[0].env, 'NODE_EXTRA_CA_CERTS')?.value ?? '';
      const volume = volumeOf(pod, file);
      expect([name, volume?.configMap?.name ?? volume?.secret?.secretName]).toEqual([name, 'stores-ca']);
    }
  });
});

test('an issuer makes a certificate for each process and for operators, with the name of the process and for both ends', async () => {
  const certificates = (await objectsOfExample('production')).filter(({ kind, spec }) => kind === 'Certificate' && spec.usages);
  const made = certificates.map(({ spec }) => [spec.secretName, spec.dnsNames, spec.issuerRef.name]);
  const issuer = 'webkiln-processes';
  expect(made.toSorted()).toEqual([...names, 'operator'].map((name) => [`webkiln-${name}-tls`, [name], issuer]).toSorted());
  for (const { spec } of certificates) expect(spec.usages).toEqual(expect.arrayContaining(['server auth', 'client auth']));
});

test('another Secret with a certificate makes another migration Job, because the pod of a Job cannot change', async () => {
  const jobOf = async (...values: string[]) =>
    objectsOf(await template('identity', '--set', 'global.tls.enabled=true', ...values)).find(({ kind }) => kind === 'Job')?.metadata.name;
  const [first, same, other] = [await jobOf(), await jobOf(), await jobOf('--set', 'tls.secretName=other')];
  expect(same).toBe(first);
  expect(other).not.toBe(first);
});

test('without an issuer the charts make no certificates of processes, and without global.tls no process has one', async () => {
  expect((await objectsOfExample('gateway-api')).filter(({ kind }) => kind === 'Certificate')).toEqual([]);
  const plain = exampleNames.filter((example) => !withTls.includes(example));
  expect(plain).toEqual(['small']);
  expect(JSON.stringify(await objectsOfExample('small'))).not.toMatch(/TLS_|NODE_EXTRA_CA_CERTS/);
});
