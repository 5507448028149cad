import { signer } from '@webkiln/sealing';
import { resigning } from './cookies.ts';

const [old, fresh, other] = ['a'.repeat(32), 'b'.repeat(32), 'c'.repeat(32)];
const name = '__Host-webkiln_session';
const cookieBy = (secret: string) => encodeURIComponent(`token.${signer([secret], 'base64').sign('token')}`);
const linkBy = (secret: string) => `head.claims.${signer([secret]).sign('head.claims')}`;
const { cookies, query } = resigning([fresh, old]);

test('a cookie that a listed secret signed is signed by the first one; others and unknown ones stay as they are', () => {
  expect(cookies(`a=b; ${name}=${cookieBy(old)}; c=d=e`)).toBe(`a=b; ${name}=${cookieBy(fresh)}; c=d=e`);
  expect(cookies(`${name}=${cookieBy(fresh)}`)).toBe(`${name}=${cookieBy(fresh)}`);
  for (const same of [`${name}=${cookieBy(other)}`, `foreign=${cookieBy(old)}`, `${name}=%E0%A4%A`, `${name}`, ''])
    expect(cookies(same)).toBe(same);
});

test('the token of a mailed link is signed by the first secret; a query without such a token stays as it is', () => {
  expect(query(`?token=${linkBy(old)}&callbackURL=%2Fhome`)).toBe(`?token=${linkBy(fresh)}&callbackURL=%2Fhome`);
  for (const same of [`?token=${linkBy(other)}&b=%20`, '?token=plain', '']) expect(query(same)).toBe(same);
});

test('what was signed by a secret that is no longer listed is not signed again', () => {
  expect(resigning([fresh]).cookies(`${name}=${cookieBy(old)}`)).toBe(`${name}=${cookieBy(old)}`);
  expect(resigning([fresh, other]).query(`?token=${linkBy(old)}`)).toBe(`?token=${linkBy(old)}`);
});
