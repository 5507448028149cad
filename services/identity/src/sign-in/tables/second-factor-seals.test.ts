import { randomUUID } from 'node:crypto';
import { unscoped } from '@webkiln/store';
import { useTestStore } from '@webkiln/store/testing';
import { symmetricDecrypt, symmetricEncrypt } from 'better-auth/crypto';
import { resealFactors } from './second-factor-seals.ts';
import { SecondFactorModel } from './second-factor-store.ts';
import { forgetSecondFactor, secondFactorTable } from './second-factor-table.ts';

useTestStore();

const [old, fresh, lost] = ['a'.repeat(32), 'b'.repeat(32), 'c'.repeat(32)];

async function newFactor(key: string): Promise<string> {
  const _id = randomUUID();
  const [secret, backup_codes] = await Promise.all(['app', 'codes'].map((data) => symmetricEncrypt({ key, data })));
  const fields = { failed_verification_count: 0, locked_until: null, removed_at: null };
  await unscoped(SecondFactorModel).insert({
    _id,
    account_id: `of ${_id}`,
    secret: secret ?? '',
    backup_codes: backup_codes ?? '',
    verified: true,
    ...fields,
  });
  return _id;
}

const stored = async (_id: string) => (await unscoped(SecondFactorModel).findOne({ _id })) ?? { secret: '', backup_codes: '' };
const texts = async ({ secret, backup_codes }: { secret: string; backup_codes: string }, key: string) =>
  Promise.all([secret, backup_codes].map((data) => symmetricDecrypt({ key, data })));
const clause = (_id: string) => ({ field: '_id', operator: 'eq', value: _id, connector: 'AND', mode: 'sensitive' });

test('a second factor that an older secret sealed is resealed when it is used, and read as it is stored', async () => {
  const id = await newFactor(old);
  const [read] = await secondFactorTable([fresh, old]).find([clause(id)], 1, false);
  const kept = await stored(id);
  expect(await texts(kept, fresh)).toEqual(['app', 'codes']);
  expect(read).toMatchObject({ secret: kept.secret, backup_codes: kept.backup_codes });
});

test('concurrent uses at replicas with the same first secret read what is stored', async () => {
  const id = await newFactor(old);
  const table = secondFactorTable([fresh, old]);
  const read = (await Promise.all(Array.from({ length: 8 }, () => table.find([clause(id)], 1, false)))).flat();
  const { secret } = await stored(id);
  expect(new Set(read.map((row) => row.secret))).toEqual(new Set([secret]));
});

test('resealing reaches every second factor, more than one page of them, and leaves what it cannot open and what is removed', async () => {
  const ids = await Promise.all(Array.from({ length: 120 }, () => newFactor(old)));
  const [current, unknown, removed] = [await newFactor(fresh), await newFactor(lost), await newFactor(old)];
  const unchanged = [await stored(current), await stored(unknown)];
  await forgetSecondFactor(`of ${removed}`);
  await resealFactors([fresh, old]);
  for (const id of ids) expect(await texts(await stored(id), fresh)).toEqual(['app', 'codes']);
  expect([await stored(current), await stored(unknown)]).toEqual(unchanged);
  expect(await stored(removed)).toMatchObject({ secret: '-', backup_codes: '-' });
});
