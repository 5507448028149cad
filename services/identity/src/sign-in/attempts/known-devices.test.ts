import { knownDevices } from './known-devices.ts';

const devices = knownDevices(['a'.repeat(32)]);
const sentBack = (setCookie: string) => setCookie.split(';', 1)[0] ?? '';
const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 3_600_000);

test('a device is known to the account that it signed in to, in any case of the email, and to no other', () => {
  const cookie = sentBack(devices.remember(undefined, 'Ada@example.com', new Date()));
  expect(devices.find(`a=b; ${cookie}; c=d`, 'ada@example.com')).toEqual(expect.any(String));
  expect(devices.find(cookie, 'eve@example.com')).toBeUndefined();
  expect(cookie).not.toContain('ada');
});

test('a browser is a known device of five accounts at most, and keeps its id for each', () => {
  let cookie = '';
  for (let at = 0; at < 7; at++) cookie = sentBack(devices.remember(cookie, `${at}@example.com`, new Date()));
  expect([0, 1, 2, 3, 4, 5, 6].map((at) => devices.find(cookie, `${at}@example.com`) !== undefined)).toEqual([
    ...[false, false],
    ...[true, true, true, true, true],
  ]);
  const id = devices.find(cookie, '4@example.com');
  expect(devices.find(sentBack(devices.remember(cookie, '4@example.com', new Date())), '4@example.com')).toBe(id);
});

test('a device is forgotten after 90 days, by a new secret, and by a change of its cookie', () => {
  const cookieOf = (at: Date) => sentBack(devices.remember(undefined, 'ada@example.com', at));
  expect(devices.find(cookieOf(daysAgo(89)), 'ada@example.com')).toEqual(expect.any(String));
  expect(devices.find(cookieOf(daysAgo(91)), 'ada@example.com')).toBeUndefined();
  expect(devices.find(cookieOf(daysAgo(2)), 'ada@example.com', daysAgo(1))).toBeUndefined();
  expect(devices.find(cookieOf(daysAgo(1)), 'ada@example.com', daysAgo(2))).toEqual(expect.any(String));
  expect(knownDevices(['b'.repeat(32)]).find(cookieOf(new Date()), 'ada@example.com')).toBeUndefined();
  expect(devices.find(cookieOf(new Date()).replace('=', '=x'), 'ada@example.com')).toBeUndefined();
});

test('a device stays known while the secret that signed its proof is listed, and a sign-in then renews it under the first', () => {
  const [old, both, fresh] = [devices, knownDevices(['b'.repeat(32), 'a'.repeat(32)]), knownDevices(['b'.repeat(32)])];
  const cookie = sentBack(old.remember(undefined, 'ada@example.com', new Date()));
  const renewed = sentBack(both.remember(cookie, 'ada@example.com', new Date()));
  expect(both.find(cookie, 'ada@example.com')).toBe(old.find(cookie, 'ada@example.com'));
  expect(fresh.find(renewed, 'ada@example.com')).toBe(old.find(cookie, 'ada@example.com'));
  expect(fresh.find(cookie, 'ada@example.com')).toBeUndefined();
});

test('scripts and other hosts cannot read the cookie', () => {
  expect(devices.remember(undefined, 'a@b.test', new Date())).toMatch(/^__Host-\w+=.*; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
});
