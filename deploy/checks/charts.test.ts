import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { chartFolder, chartNames, exampleFile, exampleNames, helm, kubernetesVersion, objectsOfExample, template } from './charts.ts';
import { schemaProblems } from './kubernetes-schemas.ts';
import { renderedExamples } from './rendered-examples.ts';

test('helm lint --strict accepts every chart', async () => {
  for (const chart of chartNames) {
    const values = chart === 'webkiln' ? exampleNames.map(exampleFile) : [undefined];
    for (const file of values) {
      const args = ['lint', '--strict', chartFolder(chart), '--kube-version', kubernetesVersion];
      expect(await helm(...args, ...(file === undefined ? [] : ['--values', file]))).toContain('0 chart(s) failed');
    }
  }
});

test('deploy/rendered is what Helm makes of the examples: `npm run generate -- --charts` writes it', async () => {
  const folder = path.resolve(import.meta.dirname, '../rendered');
  const committed = globSync('**/*.yaml', { cwd: folder }).map((file) => [file, readFileSync(path.join(folder, file), 'utf8')]);
  expect(Object.fromEntries(committed)).toEqual(await renderedExamples());
});

test.each(exampleNames)('every object of the example %s agrees with the schemas of Kubernetes 1.30 and 1.37', async (example) => {
  const objects = await objectsOfExample(example);
  expect(objects.length).toBeGreaterThan(40);
  expect(await schemaProblems(objects, ['1.30', '1.37'])).toEqual([]);
});

test('the check of schemas finds a field that Kubernetes does not know', async () => {
  const [first] = (await objectsOfExample('small')).filter(({ kind }) => kind === 'Deployment');
  expect(await schemaProblems([{ ...first, spec: { ...first?.spec, replica: 1 } } as never], ['1.34'])).toEqual([
    expect.stringContaining("'replica' was unexpected"),
  ]);
});

const small = ['--values', exampleFile('small')];

test.each([
  ['an unknown value', 'gateway.replica=2', 'replica'],
  ['a misspelt setting', 'global.settings.ORIGN=https://app.example.com', 'ORIGN'],
  ['a secret among the settings', 'global.settings.KEY_PEPPER=c2VjcmV0', 'KEY_PEPPER'],
  ['the tag latest', 'global.image.tag=latest', 'tag'],
  ['a container without a limit of memory', 'identity.resources.limits.memory=null', 'memory'],
  ['a digest that is none', 'mcp.image.digest=abc', 'digest'],
  ['an extra authority from two places', 'global.extraCa.configMap=a,global.extraCa.secretName=b', 'extraCa'],
  ['no backup to keep', 'backup.keep=0', 'keep'],
  ['a schedule that is none', 'backup.schedule=daily', 'schedule'],
  ['a setting of another process', 'mcp.env.WEBHOOK_TIMEOUT=1s', 'WEBHOOK_TIMEOUT'],
])('values with %s are refused, and the message names it', async (_what, value, name) => {
  await expect(template('webkiln', ...small, '--set', value)).rejects.toThrow(name);
});

test('an installation without its public addresses is refused', async () => {
  await expect(template('webkiln')).rejects.toThrow("missing properties 'ORIGIN', 'SITES_ORIGIN', 'PREVIEW_ORIGIN'");
});
