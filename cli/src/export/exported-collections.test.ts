import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { consumerOf } from '@webkiln/events';
import { dataServiceNames, exportKinds } from '@webkiln/messages';
import { organizationModels, type StoreModel, uniqueAcross } from '@webkiln/store';
import { readme } from './readme.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const defines = /\bdefine(?:Global)?Model[<(]/;

const owners = ['packages/org-policy', ...dataServiceNames.map((name) => `services/${name}`)];

/** The collections with organizations' records, by the folder whose files define them. */
const collections = new Map<string, readonly StoreModel[]>();

beforeAll(() => {
  for (const folder of owners) {
    const files = globSync(`${folder}/src/**/*.ts`, { cwd: root, exclude: (name) => /\.test\.ts$|^testing$/.test(name) });
    const others = new Set(organizationModels());
    for (const file of files.map((name) => path.join(root, name))) if (defines.test(readFileSync(file, 'utf8'))) require(file);
    collections.set(
      folder,
      organizationModels().filter((model) => !others.has(model)),
    );
  }
});

test.each(owners)('every collection of organizations in %s says whether an export has its records (`exportedAs`)', (folder) => {
  const undecided = (collections.get(folder) ?? []).filter(({ exportedAs }) => exportedAs === undefined);
  expect(undecided.map(({ collection }) => collection)).toEqual([]);
});

test('org_id can shard every collection of organizations, except those that docs/scale.md names', () => {
  const models = [...collections.values()].flat().filter(({ tenancy }) => tenancy === 'organization');
  const unique = models.flatMap(({ collection }) => uniqueAcross(collection).map((fields) => `| \`${collection}\` | \`${fields}\` |`));
  const named = readFileSync(path.join(root, 'docs/scale.md'), 'utf8').match(/^\| `\w+` \| `[^`]+` \|(?= )/gm);
  expect(unique.sort()).toEqual(named?.sort());
});

const reacting = dataServiceNames.filter((name) => name !== 'projects-templates');

test.each(reacting)('%s consumes the deletion of projects exactly if it has collections that belong to them', (name) => {
  const belonging = (collections.get(`services/${name}`) ?? []).filter(({ ofProject }) => ofProject);
  const { types } = consumerOf(`${name}-on-project-deleted` as 'sites-on-project-deleted');
  expect(types !== undefined).toBe(belonging.length > 0);
});

test.each(exportKinds.filter((kind) => kind !== 'files'))('the archive says what %s.json is', (kind) => {
  expect(readme('')).toContain(`${kind}.json`);
});
