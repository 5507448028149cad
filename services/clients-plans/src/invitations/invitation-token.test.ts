import { invitationTokens } from './invitation-token.ts';

const secret = 'a secret of at least thirty-two characters';
const tokens = invitationTokens([secret]);
const invitation = { org_id: '7c1f', client_id: '90ab', invitation: 3 };
const issuedAt = new Date('2026-01-01T00:00:00Z');
const token = tokens.issue(invitation, issuedAt);
const notFound = expect.objectContaining({ code: 'invitation_not_found' });
const day = 24 * 60 * 60 * 1000;
const after = (ms: number) => new Date(issuedAt.getTime() + ms);

test('a token contains its organization, client and invitation number', () => {
  expect(tokens.read(token, issuedAt)).toEqual(invitation);
});

test('a token has the form that mailed links have, so that each stays valid', () => {
  expect(token).toBe('WyI3YzFmIiwiOTBhYiIsMywxNzY3ODMwNDAwMDAwXQ.gHnuMNwbj3E76TQVivrXxme0o4RrhsYjS6XPozd4c3Y');
});

test('a token expires after seven days, to the millisecond', () => {
  expect(tokens.read(token, after(7 * day - 1))).toEqual(invitation);
  expect(() => tokens.read(token, after(7 * day))).toThrow(notFound);
});

test('a token with any one character changed, dropped or added is refused', () => {
  for (let at = 0; at < token.length; at += 1) {
    const other = token[at] === 'A' ? 'B' : 'A';
    for (const replacement of [other, '', `${token[at]}A`]) {
      const tampered = token.slice(0, at) + replacement + token.slice(at + 1);
      if (tampered !== token) expect(() => tokens.read(tampered, issuedAt)).toThrow(notFound);
    }
  }
});

test('a token signed with another secret is refused', () => {
  const forged = invitationTokens(['another secret of at least 32 characters']).issue(invitation, issuedAt);
  expect(() => tokens.read(forged, issuedAt)).toThrow(notFound);
});

test('a token is read while its secret is in the list, wherever it is, and refused after', () => {
  const fresh = 'a fresh secret of at least thirty-two characters';
  for (const secrets of [
    [secret, fresh],
    [fresh, secret],
  ] as const)
    expect(invitationTokens(secrets).read(token, issuedAt)).toEqual(invitation);
  const renewed = invitationTokens([fresh, secret]).issue(invitation, issuedAt);
  expect(invitationTokens([fresh]).read(renewed, issuedAt)).toEqual(invitation);
  expect(() => invitationTokens([fresh]).read(token, issuedAt)).toThrow(notFound);
});

test.each(['', '.', '..', 'nonsense', `${token}.`, `${token} `, '\0', '{"$ne":1}', 'ä'.repeat(5000)])(
  'a malformed token is refused: %p',
  (text) => {
    expect(() => tokens.read(text, issuedAt)).toThrow(notFound);
  },
);
