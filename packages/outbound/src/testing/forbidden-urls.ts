import { forbiddenHosts, type Reasoned } from './forbidden-hosts.ts';
import { publicAddress } from './forbidden-zone.ts';

/**
 * URLs that must never be reached, each with the reason, at a port where a test listens; their names are those of
 * `forbiddenZone`.
 */
export const forbiddenUrls = (port: number): readonly Reasoned[] => [
  ...forbiddenHosts.map(([host, why]): Reasoned => [`https://${host}:${port}/hook`, why]),
  ...otherUrls(port),
];

const otherUrls = (port: number): readonly Reasoned[] => [
  [`http://127.0.0.1:${port}/`, 'plain http'],
  [`http://${publicAddress}/`, 'plain http, although public'],
  [`http://${publicAddress}:8443/`, 'plain http, although public and at a port of https'],
  [`ftp://127.0.0.1:${port}/`, 'another scheme'],
  [`ws://127.0.0.1:${port}/`, 'another scheme'],
  [`wss://127.0.0.1:${port}/`, 'another scheme'],
  [`gopher://127.0.0.1:${port}/_POST`, 'another scheme'],
  [`blob:https://127.0.0.1:${port}/x`, 'another scheme'],
  ['file:///etc/passwd', 'another scheme'],
  ['data:text/plain,hello', 'another scheme'],
  ['javascript:alert(1)', 'another scheme'],
  [`//127.0.0.1:${port}/`, 'no scheme'],
  [`127.0.0.1:${port}/`, 'no scheme'],
  [`https:127.0.0.1:${port}/`, 'no slashes'],
  [`https:\\\\127.0.0.1:${port}\\`, 'backslashes'],
  [`https://127.0.0.1:${port}\\@${publicAddress}/`, 'a public address behind a backslash'],
  [`https://127.0.0.1:${port}#@${publicAddress}/`, 'a public address behind a fragment'],
  [`https://127.0.0.1:${port}?@${publicAddress}/`, 'a public address behind a query'],
  [`https://127.0\n.0.1:${port}/`, 'a line break in the host'],
  [`https://127.\t0.0.1:${port}/`, 'a tab in the host'],
  [`https://${publicAddress}@127.0.0.1:${port}/`, 'a public address as user-info'],
  [`https://user@${publicAddress}/`, 'user-info, although public'],
  [`https://user:secret@${publicAddress}/`, 'user-info, although public'],
  [`https://:secret@${publicAddress}/`, 'a password alone'],
  [`https://${publicAddress}:22/`, 'a port of another protocol'],
  [`https://${publicAddress}:80/`, 'a port of another protocol'],
  [`https://${publicAddress}:0/`, 'port 0'],
  [`https://${publicAddress}:65536/`, 'no port'],
  ['https://256.256.256.256/', 'no address'],
  ['https://[::1/', 'no address'],
  ['https://', 'no host'],
  ['', 'nothing'],
  [`https://${publicAddress}/${'x'.repeat(2_048)}`, 'too long'],
];
