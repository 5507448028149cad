import * as z from 'zod';
import { outboundConfig, outboundRules } from './outbound-config.ts';

const read = (env: Record<string, string>) => outboundRules(z.object(outboundConfig).parse(env));

test('the default allows only https to the public internet on 443 and 8443', () => {
  expect(read({})).toEqual({ ports: [443, 8443], allowHttp: false, allowedCidrs: [], dnsServers: [] });
});

test('ports, ranges of them, http, CIDRs and name servers can be set', () => {
  const rules = read({
    OUTBOUND_PORTS: '443,8000-8002',
    OUTBOUND_ALLOW_HTTP: 'true',
    OUTBOUND_ALLOWED_CIDRS: '10.1.0.0/16,fd00:1::/32,127.0.0.1',
    OUTBOUND_DNS_SERVERS: '127.0.0.1:5353,[::1]:53,9.9.9.9',
  });
  expect(rules).toEqual({
    ports: [443, 8000, 8001, 8002],
    allowHttp: true,
    allowedCidrs: ['10.1.0.0/16', 'fd00:1::/32', '127.0.0.1'],
    dnsServers: ['127.0.0.1:5353', '[::1]:53', '9.9.9.9'],
  });
});

test.each([
  ['OUTBOUND_PORTS', ['0', '65536', '443,', '9-3', 'any', '1-99999']],
  ['OUTBOUND_ALLOW_HTTP', ['yes', '1']],
  ['OUTBOUND_ALLOWED_CIDRS', ['10.0.0.0/33', '10.0.0/8', 'example.com', '10.0.0.0/', '10.0.0.0/8/8', '::/129', '0.0.0.0/0x8']],
  ['OUTBOUND_DNS_SERVERS', ['dns.example.com', '9.9.9.9:x', '9.9.9']],
])('a malformed %s is refused', (name, values) => {
  for (const value of values) expect(() => read({ [name]: value })).toThrow(/must/);
});
