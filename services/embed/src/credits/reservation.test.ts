import { randomUUID } from 'node:crypto';
import { useTestStore } from '@webkiln/store/testing';
import { creditAccount, openCreditAccount, payingTransaction } from './credit-account.ts';
import { type Reservation, reserveCredits, settleCredits } from './reservation.ts';

useTestStore();

const turn = () => ({ _id: randomUUID(), project_id: randomUUID() });
const reserve = (org_id: string, isJoined: boolean, of = turn()): Promise<Reservation> =>
  payingTransaction(org_id, (tenant) => reserveCredits(tenant, of, { caps: [], forMember: false, isJoined }));

test('turns of clients who joined by a link hold a tenth of the balance of a day together, and those of others the rest', async () => {
  const org = randomUUID();
  await openCreditAccount(org, 150);
  const first = turn();
  const held = await reserve(org, true, first);
  expect(held.credits).toBe(15);
  const refused = reserve(org, true);
  await expect(refused).rejects.toMatchObject({ code: 'no_credit', details: [{ message: expect.stringContaining('ask the agency') }] });
  await expect(refused).rejects.not.toMatchObject({ details: [{ message: expect.stringMatching(/\d/) }] });
  await payingTransaction(org, (tenant) => settleCredits(tenant, first, held, 4_000));
  expect((await reserve(org, true)).credits).toBe(11);
  expect((await reserve(org, false)).credits).toBe(135);
  expect(await creditAccount({ org_id: org })).toMatchObject({ balance: 0, reserved: 146 });
});
