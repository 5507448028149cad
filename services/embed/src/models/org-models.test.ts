import { randomUUID } from 'node:crypto';
import { AppError } from '@webkiln/contract';
import { testCaller, useTestStore } from '@webkiln/store/testing';
import { scriptedModels } from '../testing/turn-of.ts';
import { toChatModels } from './org-models.ts';
import { changeOrgModels, modelForMessage, orgModels } from './org-models-store.ts';

useTestStore();
const models = scriptedModels('http://127.0.0.1:1/v1');
const someone = () => testCaller(randomUUID());
const ids = (shown: ReturnType<typeof toChatModels>) => shown.models.map(({ id, is_allowed }) => (is_allowed ? id : `(${id})`));

test('without a choice every model is allowed, and the first one is the default', async () => {
  const caller = someone();
  const shown = toChatModels(models, await orgModels(caller, caller.principal.org_id), { all: true });
  expect([ids(shown), shown.default_model]).toEqual([['chat', 'plain', 'messages'], 'chat']);
  expect((await modelForMessage(models, caller, undefined))?.id).toBe('chat');
  expect((await modelForMessage(models, caller, 'plain'))?.id).toBe('plain');
});

test('a platform without models has the composer', async () => {
  expect(await modelForMessage([], someone(), undefined)).toBeUndefined();
  await expect(modelForMessage([], someone(), 'chat')).rejects.toThrow('model: is not offered');
});

test('the choice of one organization is its own, and messages obey it', async () => {
  const [caller, other] = [someone(), someone()];
  const state = await changeOrgModels(models, caller, { default_model: 'messages', allowed_models: ['plain', 'messages', 'plain'] });
  expect(state.allowed_models).toEqual(['plain', 'messages']);
  expect(await changeOrgModels(models, caller, {})).toMatchObject({ default_model: 'messages', allowed_models: ['plain', 'messages'] });
  expect(ids(toChatModels(models, state, { all: true }))).toEqual(['(chat)', 'plain', 'messages']);
  expect(toChatModels(models, state, { all: false })).toMatchObject({
    models: [{ id: 'messages' }, { id: 'plain' }],
    default_model: 'messages',
  });
  expect((await modelForMessage(models, caller, undefined))?.id).toBe('messages');
  await expect(modelForMessage(models, caller, 'chat')).rejects.toThrow('model: is not offered');
  expect((await modelForMessage(models, other, 'chat'))?.id).toBe('chat');
});

test('a model that is no longer configured is no default and is not offered', async () => {
  const caller = someone();
  await changeOrgModels(models, caller, { default_model: 'plain', allowed_models: ['plain', 'chat'] });
  const left = models.filter(({ id }) => id !== 'plain');
  expect((await modelForMessage(left, caller, undefined))?.id).toBe('chat');
  await expect(modelForMessage(left, caller, 'plain')).rejects.toThrow('model: is not offered');
});

test.each([
  [{ allowed_models: ['unknown'] }, 'allowed_models: names a model'],
  [{ default_model: 'unknown' }, 'default_model: is no model'],
  [{ default_model: 'chat', allowed_models: ['plain'] }, 'default_model: must be one of the allowed models'],
])('%j is refused in a sentence', async (wanted, sentence) => {
  const refused = changeOrgModels(models, someone(), wanted);
  await expect(refused).rejects.toThrow(AppError);
  await expect(refused).rejects.toThrow(sentence);
});
