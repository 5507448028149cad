import { Authority, MountedCertificate } from './testing/certificates.ts';
import { processTls, startTls } from './tls.ts';

test('without settings a process uses no TLS', () => {
  startTls({});
  expect(processTls()).toBeUndefined();
});

test('a setting alone is refused: a process does not start half in the clear', () => {
  expect(() => startTls({ TLS_CERT_FILE: '/etc/tls/tls.crt' })).toThrow(
    'Set all of TLS_CERT_FILE, TLS_KEY_FILE, TLS_CA_FILE, or none of them.',
  );
});

test('files that cannot be read, and a key of another certificate, are refused', async () => {
  const authority = await Authority.create();
  const [one, other] = [await authority.issue('sites'), await authority.issue('sites')];
  using mount = new MountedCertificate({ ...one, key: other.key });
  const refusal = 'The files of TLS_CERT_FILE, TLS_KEY_FILE, TLS_CA_FILE cannot be used';
  expect(() => startTls({ ...mount.env, TLS_CA_FILE: '/nowhere' })).toThrow(refusal);
  expect(() => startTls(mount.env)).toThrow(refusal);
  expect(processTls()).toBeUndefined();
});
