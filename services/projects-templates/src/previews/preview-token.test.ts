import { createPreviewToken, previewTokenHash } from './preview-token.ts';

const secret = 'a secret of at least thirty-two characters';
const project = { org_id: 'org', project_id: 'project' };
const at = (time: string) => new Date(`2026-03-01T${time}Z`);
const tokenAt = (time: string) => createPreviewToken(secret, project, at(time)).token;

test('a token is one label of a host name: 26 base32 characters', () => {
  for (const minute of ['00', '30']) expect(tokenAt(`10:${minute}:00.000`)).toMatch(/^[a-z2-7]{26}$/);
});

test('a token is the same within a half hour and expires an hour after its beginning', () => {
  expect(tokenAt('10:00:00.000')).toBe(tokenAt('10:29:59.999'));
  expect(tokenAt('10:30:00.000')).not.toBe(tokenAt('10:29:59.999'));
  for (const time of ['10:00:00.000', '10:29:59.999'])
    expect(createPreviewToken(secret, project, at(time)).expiresAt).toEqual(at('11:00:00.000'));
});

test('another project, organization or secret gives another token', () => {
  const now = at('10:00:00.000');
  const tokens = [
    createPreviewToken(secret, project, now),
    createPreviewToken(secret, { ...project, project_id: 'other' }, now),
    createPreviewToken(secret, { ...project, org_id: 'other' }, now),
    createPreviewToken(`${secret}.`, project, now),
  ].map(({ token }) => token);
  expect(new Set(tokens).size).toBe(4);
});

test('only a SHA-256 of a token is stored', () => {
  const token = tokenAt('10:00:00.000');
  expect(previewTokenHash(token)).toMatch(/^[0-9a-f]{64}$/);
});
