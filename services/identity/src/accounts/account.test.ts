import { isVerified, openAccount } from './account.ts';

const account = openAccount({ _id: 'a1', email: 'Ada@Example.com', name: null }, new Date());

test('an account keeps its email as it was typed and is found whatever the case', () => {
  expect(account).toMatchObject({ email: 'Ada@Example.com', email_folded: 'ada@example.com', password_hash: null });
});

test('a new account’s email is not verified; one from before there was sign-up came by a link in a mail, and is', () => {
  expect([isVerified(account), isVerified({})]).toEqual([false, true]);
});
