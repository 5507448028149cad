import { eventually } from '../harness/agency.ts';
import { Api } from '../harness/api.ts';
import { owner, type Person } from '../harness/person.ts';
import { newMember } from '../harness/team.ts';
import { makePlan, makeProject, makeTemplate, someEmail } from './fixtures.ts';

interface Entry {
  readonly at: string;
  readonly action: string;
  readonly actor: { readonly kind: string; readonly id: string; readonly email: string | null };
  readonly target: { readonly kind: string; readonly id: string; readonly name: string | null };
}

const logOf = async ({ api }: Person): Promise<Entry[]> =>
  ((await api.get('/account/audit?limit=100')).expect(200).body as { entries: Entry[] }).entries;

/** Waits for so many entries about the target; returns them by their time, as they may be stored in another order. */
const actsOn = (boss: Person, id: string, count: number): Promise<Entry[]> =>
  eventually(async () => {
    const acts = (await logOf(boss)).filter(({ target }) => target.id === id);
    expect(acts.map(({ action }) => action)).toHaveLength(count);
    return acts.toSorted((one, other) => one.at.localeCompare(other.at));
  });

let boss: Person;
let developer: Person;
let program: { api: Api; id: string };
beforeAll(async () => {
  boss = await owner();
  developer = await newMember(boss, 'developer');
  const { key, secret } = (await boss.api.post('/account/keys', { name: 'CI', permissions: ['read', 'write'] })).expect(201).body;
  program = { api: new Api(`${boss.platform.origins[0]}/api/v1`, secret), id: key.id };
});

const by = ({ email }: Person) => ({ kind: 'account', email });
const byProgram = () => ({ kind: 'api_key', id: program.id, email: null });
test('publishing, rolling back and deleting a project are in the log, stars and drafts are not', async () => {
  const { id } = await makeProject(program.api, undefined, { name: 'Bakery' });
  const path = `/projects/${id}`;
  const publish = async (text: string): Promise<string> =>
    (await program.api.post(`${path}/publish`, { builtFiles: { 'index.html': text } })).expect(200).body.deployId;
  const first = await publish('one');
  await publish('two');
  (await developer.api.patch(path, { starred: true, tags: ['food'] })).expect(200);
  (await developer.api.post(`${path}/deploys/${first}/rollback`)).expect(200);
  (await developer.api.post(`${path}/deploys/${first}/rollback`)).expect(200);
  (await boss.api.delete(path)).expect(200);
  const target = { kind: 'project', id, name: 'Bakery' };
  expect(await actsOn(boss, id, 4)).toMatchObject([
    { action: 'project.published', actor: byProgram(), target },
    { action: 'project.published', actor: byProgram(), target },
    { action: 'project.rolled_back', actor: by(developer), target },
    { action: 'project.deleted', actor: by(boss), target },
  ]);
});

test('a client that is created or changed is in the log, under its name or else its address', async () => {
  const email = someEmail();
  const { client } = (await developer.api.post('/clients', { email })).expect(201).body;
  const change = async (fields: object) => void (await program.api.patch(`/clients/${client.id}`, fields)).expect(200);
  await change({});
  await change({ name: 'Ada' });
  await change({ name: 'Ada' });
  (await boss.api.patch(`/clients/${client.id}`, { status: 'suspended' })).expect(200);
  const target = { kind: 'client', id: client.id };
  expect(await actsOn(boss, client.id, 3)).toMatchObject([
    { action: 'client.created', actor: by(developer), target: { ...target, name: email } },
    { action: 'client.changed', actor: byProgram(), target: { ...target, name: 'Ada' } },
    { action: 'client.changed', actor: by(boss), target: { ...target, name: 'Ada' } },
  ]);
});

test('a plan that is created, changed or made the default is in the log, once each', async () => {
  const { id } = await makePlan(program.api, { name: 'Care' });
  const change = async (fields: object) => void (await boss.api.patch(`/plans/${id}`, fields)).expect(200);
  await change({ price: 31 });
  await change({ price: 31, is_default: false });
  await change({ is_default: true });
  await change({ name: 'Best care', is_default: true });
  const target = { kind: 'plan', id };
  expect(await actsOn(boss, id, 4)).toMatchObject([
    { action: 'plan.created', actor: byProgram(), target: { ...target, name: 'Care' } },
    { action: 'plan.changed', actor: by(boss), target: { ...target, name: 'Care' } },
    { action: 'default_plan.changed', actor: by(boss), target: { ...target, name: 'Care' } },
    { action: 'plan.changed', actor: by(boss), target: { ...target, name: 'Best care' } },
  ]);
});

test('a template that is created, changed or deleted is in the log', async () => {
  const { id } = await makeTemplate(developer.api, { name: 'Starter' });
  (await program.api.patch(`/templates/${id}`, { name: 'Shop' })).expect(200);
  (await program.api.patch(`/templates/${id}`, { name: 'Shop' })).expect(200);
  (await boss.api.delete(`/templates/${id}`)).expect(200);
  expect(await actsOn(boss, id, 3)).toMatchObject([
    { action: 'template.created', actor: by(developer), target: { kind: 'template', name: 'Starter' } },
    { action: 'template.changed', actor: byProgram(), target: { kind: 'template', name: 'Shop' } },
    { action: 'template.deleted', actor: by(boss), target: { kind: 'template', name: 'Shop' } },
  ]);
});

test('an export of form submissions is in the log, also of a project without any; a page of them, and one that is refused, is not', async () => {
  const [{ id, name }, other] = [await makeProject(boss.api), await owner()];
  const path = `/projects/${id}/forms/submissions`;
  const asCsv = async (api: Api, query = '', method = 'GET') =>
    (await api.raw(`${path}${query}`, { method, headers: { accept: 'text/csv' } })).status;
  expect(await asCsv(other.api)).toBe(404);
  expect([await asCsv(developer.api, '?limit=10'), await asCsv(developer.api, '', 'HEAD')]).toEqual([200, 200]);
  (await developer.api.get(path)).expect(200);
  expect([await asCsv(developer.api), await asCsv(program.api, '?form=contact')]).toEqual([200, 200]);
  const target = { kind: 'project', id, name };
  expect(await actsOn(boss, id, 2)).toMatchObject([
    { action: 'submissions.exported', actor: by(developer), target },
    { action: 'submissions.exported', actor: byProgram(), target },
  ]);
  expect((await logOf(other)).filter(({ action }) => action === 'submissions.exported')).toEqual([]);
});

test('acts of one organization are in no log of another', async () => {
  const other = await owner();
  const { id } = await makeTemplate(other.api);
  await actsOn(other, id, 1);
  const theirs = new Set((await logOf(other)).map(({ target }) => target.id));
  const ours = await logOf(boss);
  expect(ours.length).toBeGreaterThan(0);
  expect(ours.filter(({ target }) => theirs.has(target.id))).toEqual([]);
});
