import { exampleNames, objectsOfExample } from './charts.ts';
import { podProblems, selects, workloads } from './policy.ts';

describe.each(exampleNames)('example %s', (example) => {
  test('every pod is restricted, bounded, probed and of a fixed image', async () => {
    const pods = workloads(await objectsOfExample(example));
    expect(pods.length).toBeGreaterThan(8);
    expect(pods.flatMap(podProblems)).toEqual([]);
  });

  test('a network policy for both directions selects every pod', async () => {
    const objects = await objectsOfExample(example);
    const policies = objects.filter(({ kind, spec }) => kind === 'NetworkPolicy' && spec.policyTypes.length === 2);
    const open = workloads(objects).filter(({ labels }) => !policies.some(({ spec }) => selects(spec.podSelector.matchLabels, labels)));
    expect(open.map(({ name }) => name)).toEqual([]);
  });

  test('every Service selects pods of exactly one server', async () => {
    const objects = await objectsOfExample(example);
    const pods = workloads(objects);
    for (const { metadata, spec } of objects.filter(({ kind }) => kind === 'Service')) {
      const selected = pods.filter(({ labels }) => selects(spec.selector, labels));
      expect([metadata.name, selected.map(({ isServer }) => isServer)]).toEqual([metadata.name, [true]]);
    }
  });

  test('nothing needs rights in the cluster or outside its namespace', async () => {
    const kinds = (await objectsOfExample(example)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => /Role|CustomResourceDefinition|Namespace$|Webhook/.test(kind))).toEqual([]);
  });
});

test('the check finds what a pod lacks', () => {
  const pod = { containers: [{ image: 'webkiln/gateway:latest' }] };
  expect(podProblems({ name: 'Deployment x', labels: {}, pod, isServer: true })).toHaveLength(10);
});
