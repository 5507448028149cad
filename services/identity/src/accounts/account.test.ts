import { isVerified, openAccount } from './account.ts';

const account = openAccount({ _id: 'a1', email: 'Ada@Example.com', name: null }, new Date());

test('an account keeps its email as typed and is looked up case-insensitively', () => {
  expect(account).toMatchObject({ email: 'Ada@Example.com', email_folded: 'ada@example.com', password_hash: null });
});

test('a new account’s email is unverified; accounts without the field, from before sign-up existed, count as verified', () => {
  expect([isVerified(account), isVerified({})]).toEqual([false, true]);
});
