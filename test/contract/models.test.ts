import { eventually } from '../harness/agency.ts';
import { Api } from '../harness/api.ts';
import { embedPair, openEmbedSession } from '../harness/embed-session.ts';
import { owner, type Person } from '../harness/person.ts';
import { clientUser } from '../harness/team.ts';

const path = '/models';
const choice = '/account/models';
const none = { models: [], default_model: null };
let boss: Person;
beforeAll(async () => {
  boss = await owner();
});

test('getModels: answers 200 to members, clients and embed tokens; a platform without providers has no models', async () => {
  const [{ person }, embedded] = [await clientUser(boss), await openEmbedSession(await embedPair(boss))];
  for (const api of [boss.api, person.api, embedded.api]) expect((await api.get(path)).expect(200).body).toEqual(none);
});

test('getModels: answers 403 to an API key', async () => {
  const { secret } = (await boss.api.post('/account/keys', { name: 'CI', permissions: ['read', 'write'] })).expect(201).body;
  (await new Api(`${boss.platform.origins[0]}/api/v1`, secret).get(path)).expect(403, 'person_required');
});

test('updateModels: answers 200 with what applies, and the change is in the audit log', async () => {
  expect((await boss.api.patch(choice, { allowed_models: [], default_model: null })).expect(200).body).toEqual(none);
  await eventually(async () => {
    const { entries } = (await boss.api.get('/account/audit')).expect(200).body;
    expect(entries).toContainEqual(expect.objectContaining({ action: 'models.changed' }));
  });
});

test('updateModels: answers 400 with a sentence for a model that the platform does not have', async () => {
  const refused = (await boss.api.patch(choice, { default_model: 'gpt-unknown' })).expect(400, 'validation_failed');
  expect(refused.body.error).toContain('default_model: is no model of this platform');
  (await boss.api.patch(choice, { allowed_models: 'all' })).expect(400, 'validation_failed');
});
