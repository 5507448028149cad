/** `mongodb://` may name several hosts with ports, which the URL standard does not know. */
export const mongodbUrl = /^mongodb(\+srv)?:\/\/((?<credentials>[^@/?\s]+)@)?(?<hosts>[^@/?\s]+)(\/[^?\s]*)?(\?(?<options>\S*))?$/;

const withoutTls = new Set(['nats:', 'redis:', 'smtp:']);
const loopback = /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/i;

/**
 * True if whoever listens on the network could read the password of this URL: it has one, TLS is not required, and a
 * host is not this machine.
 */
export function sendsPasswordInClear(text: string): boolean {
  const { credentials, hosts, options } = mongodbUrl.exec(text)?.groups ?? {};
  if (hosts !== undefined) {
    const asked = new URLSearchParams(options);
    const encrypts = asked.get('tls') ?? asked.get('ssl') ?? String(text.startsWith('mongodb+srv:'));
    return credentials?.includes(':') === true && encrypts !== 'true' && !hosts.split(',').every((host) => loopback.test(host));
  }
  const url = URL.parse(text);
  if (url === null || url.password === '' || !withoutTls.has(url.protocol)) return false;
  return url.searchParams.get('requireTLS') !== 'true' && !loopback.test(url.hostname);
}
