import { useTestStore } from '@webkiln/store/testing';
import { MailConsents } from '../mails/mail-consents.ts';
import { stolenDatabase } from '../testing/stolen-database.ts';
import { loadAuthKeys } from './auth-keys.ts';

useTestStore();

const [old, fresh] = ['a'.repeat(32), 'b'.repeat(32)];
const recipient = { org_id: 'an organization', email: 'ada@example.com', isClients: false };

test('replicas that start at once share one key of digests, which is the first secret, in the database only as sealed text', async () => {
  const loaded = await Promise.all(Array.from({ length: 8 }, () => loadAuthKeys([old])));
  for (const { digestMaster } of loaded) expect(Buffer.from(digestMaster).toString()).toBe(old);
  expect((await stolenDatabase()).includes(old)).toBe(false);
});

test('a withdrawn consent is found after its secret has gone, but a link that this signed is not opened any more', async () => {
  const before = new MailConsents(await loadAuthKeys([old]));
  const { token } = await before.find(recipient);
  await before.answer(token, false);
  const during = new MailConsents(await loadAuthKeys([fresh, old]));
  expect((await during.open(token)).state).toBe('withdrawn');
  const after = new MailConsents(await loadAuthKeys([fresh]));
  expect((await after.find(recipient)).state).toBe('withdrawn');
  await expect(after.open(token)).rejects.toMatchObject({ code: 'link_invalid' });
});

test('replicas with either order open and reseal the key, and one that lists neither secret does not start', async () => {
  const orders = [[fresh, old], [old, fresh], [old], [old, fresh], [fresh, old], [fresh]] as const;
  for (const secrets of orders) expect(Buffer.from((await loadAuthKeys(secrets)).digestMaster).toString()).toBe(old);
  await expect(loadAuthKeys([old])).rejects.toThrow('list the former secret behind the new one');
  expect(Buffer.from((await loadAuthKeys([fresh])).digestMaster).toString()).toBe(old);
});
