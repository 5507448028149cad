import mongoose from 'mongoose';
import { errorOf, tokensOf } from './testing/agent.ts';
import { newPerson, useOauth } from './testing/use-oauth.ts';

const [old, fresh] = [`old:${'a'.repeat(32)}`, `fresh:${'b'.repeat(32)}`];
let listed = `${old},${fresh}`;
const oauth = useOauth(() => ({ AUTH_SECRET: listed }));

test('a refresh is repeated at a replica with another first secret, and a repeat after either answer was used ends the authorization', async () => {
  const person = await newPerson();
  const agent = oauth.agent();
  const { refresh_token } = await agent.connect(person.email, person.password);
  const first = await tokensOf(await agent.refresh(refresh_token));
  listed = `${fresh},${old}`;
  agent.port = await oauth.restart(1);
  // A retry is one of the last 30 s, however long the restart took.
  const used = { kind: 'refresh', consumed_at: { $type: 'date' } };
  await mongoose.connection.collection('oauth_tokens').updateMany(used, { $set: { consumed_at: new Date() } });
  const again = await tokensOf(await agent.refresh(refresh_token));
  const next = await tokensOf(await agent.refresh(first.refresh_token));
  expect(await errorOf(await agent.refresh(refresh_token))).toEqual([400, 'invalid_grant']);
  for (const ended of [again, next]) expect(await errorOf(await agent.refresh(ended.refresh_token))).toEqual([400, 'invalid_grant']);
});
