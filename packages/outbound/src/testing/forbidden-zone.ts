import type { Zone } from './name-server.ts';

/** A public address, for forms that are refused for another reason. */
export const publicAddress = '93.184.216.34';
const publicAddress6 = '2606:2800:21f:cb07::1';

/** The records of an attacker's name server: each name has at least one address that is not public. */
export const forbiddenZone: Zone = {
  'loopback.example': { A: ['127.0.0.1'] },
  'loopback6.example': { AAAA: ['::1'] },
  'private.example': { A: ['10.0.0.5'] },
  'unique-local.example': { AAAA: ['fd00::5'] },
  'link-local.example': { AAAA: ['fe80::5'] },
  'any.example': { A: ['0.0.0.0'] },
  'mapped.example': { AAAA: ['::ffff:127.0.0.1'] },
  'nat64.example': { AAAA: ['64:ff9b::7f00:1'] },
  'mixed.example': { A: [publicAddress, '127.0.0.1'] },
  'mixed-families.example': { A: [publicAddress], AAAA: ['::1'] },
  'mixed-private.example': { A: ['192.168.1.1'], AAAA: [publicAddress6] },
  'alias.example': { CNAME: 'alias-of-alias.example' },
  'alias-of-alias.example': { CNAME: 'loopback.example' },
  'metadata.google.internal': { A: ['169.254.169.254'] },
  '127.0.0.1.nip.example': { A: ['127.0.0.1'] },
};
