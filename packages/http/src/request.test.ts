import type { IncomingMessage } from 'node:http';
import { clientAddress, isInNetworks, wideNetworks } from './request.ts';

const from = (remoteAddress: string, forwarded?: string) =>
  ({
    socket: { remoteAddress },
    connection: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  }) as unknown as IncomingMessage;

test('X-Forwarded-For of an untrusted sender is ignored', () => {
  expect(clientAddress([])(from('203.0.113.9', '198.51.100.1'))).toBe('203.0.113.9');
  expect(clientAddress(['10.0.0.0/8'])(from('203.0.113.9', '198.51.100.1'))).toBe('203.0.113.9');
});

test('X-Forwarded-For counts only as far as trusted proxies wrote it', () => {
  expect(clientAddress(['10.0.0.0/8'])(from('10.1.2.3', '192.0.2.66, 198.51.100.1'))).toBe('198.51.100.1');
});

test('an IPv6 client is identified by its /64 network', () => {
  const addressOf = clientAddress([]);
  expect(addressOf(from('2001:db8:1:2:3:4:5:6'))).toBe(addressOf(from('2001:db8:1:2:ffff::1')));
  expect(addressOf(from('2001:db8:1:3::1'))).not.toBe(addressOf(from('2001:db8:1:2::1')));
});

test('an IPv6 network is written in its shortest form', () => {
  expect(clientAddress([])(from('::1'))).toBe('127.0.0.1');
  expect(clientAddress([])(from('2001:0db8:0001:0000:0000:0000:0000:0001'))).toBe('2001:db8:1::/64');
});

test('an IPv4 client has the same address over an IPv6 socket', () => {
  expect(clientAddress([])(from('::ffff:203.0.113.9'))).toBe('203.0.113.9');
});

test('a start warns of trusted networks that are wider than /16, or /48 of IPv6', () => {
  const narrow = ['10.30.4.0/24', '10.30.0.0/16', '192.0.2.7', '2001:db8:1::/48', '2001:db8::1', 'loopback'];
  expect(wideNetworks([...narrow, '10.0.0.0/8', '2001:db8::/32'])).toEqual(['10.0.0.0/8', '2001:db8::/32']);
});

test.each([
  ['203.0.113.9', true],
  ['::ffff:203.0.113.9', true],
  ['203.0.114.9', false],
  ['198.51.100.7', true],
  ['198.51.100.8', false],
  ['2001:db8:1::5', true],
  ['2001:db9::5', false],
  ['unknown', false],
])('%s is in the networks of a list: %s', (ip, isIn) => {
  expect(isInNetworks(['203.0.113.0/24', '198.51.100.7', '2001:db8::/32'])(ip)).toBe(isIn);
});
