import { previewToken, previewTokenHash } from './preview-token.ts';

const secret = 'a secret of at least thirty-two characters';
const project = { org_id: 'org', project_id: 'project' };
const at = (time: string) => new Date(`2026-03-01T${time}Z`);
const tokenAt = (time: string) => previewToken(secret, project, at(time)).token;

test('a token is one label of a host: 26 letters and digits of base32', () => {
  for (const minute of ['00', '30']) expect(tokenAt(`10:${minute}:00.000`)).toMatch(/^[a-z2-7]{26}$/);
});

test('within half an hour it is the same; it lives for an hour, so for half an hour from any asking', () => {
  expect(tokenAt('10:00:00.000')).toBe(tokenAt('10:29:59.999'));
  expect(tokenAt('10:30:00.000')).not.toBe(tokenAt('10:29:59.999'));
  for (const time of ['10:00:00.000', '10:29:59.999'])
    expect(previewToken(secret, project, at(time)).expiresAt).toEqual(at('11:00:00.000'));
});

test('another project, organization or secret has another token', () => {
  const now = at('10:00:00.000');
  const tokens = [
    previewToken(secret, project, now),
    previewToken(secret, { ...project, project_id: 'other' }, now),
    previewToken(secret, { ...project, org_id: 'other' }, now),
    previewToken(`${secret}.`, project, now),
  ].map(({ token }) => token);
  expect(new Set(tokens).size).toBe(4);
});

test('what is kept of a token does not hold it', () => {
  const token = tokenAt('10:00:00.000');
  expect(previewTokenHash(token)).toMatch(/^[0-9a-f]{64}$/);
});
