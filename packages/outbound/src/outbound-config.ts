import { Resolver } from 'node:dns';
import * as z from 'zod';
import { subnets } from './addresses/special-purpose.ts';

/** The addresses that customers may name. Anything beyond the public internet on 443 and 8443 is an exception. */
export interface OutboundRules {
  readonly ports: readonly number[];
  readonly allowHttp: boolean;
  /** CIDRs or single addresses that are allowed although they are not public. */
  readonly allowedCidrs: readonly string[];
  /** `address` or `address:port` of name servers; without any the system resolves names. */
  readonly dnsServers: readonly string[];
}

const list = z
  .string()
  .default('')
  .transform((text) => text.split(',').filter((entry) => entry !== ''));

const portsError = 'must list ports or ranges of them, as in 443,8443 or 8000-8999';

/** The settings of a service that calls customers' addresses. */
export const outboundConfig = {
  OUTBOUND_PORTS: z
    .string()
    .regex(/^\d{1,5}(-\d{1,5})?(,\d{1,5}(-\d{1,5})?)*$/, { error: portsError })
    .default('443,8443')
    .transform((text) => text.split(',').flatMap(portsOf))
    .refine((ports) => ports.length > 0 && ports.every((port) => port > 0 && port < 65_536), { error: portsError })
    .describe("The ports of webhooks' endpoints and of agents' metadata documents and keys that may be called"),
  OUTBOUND_ALLOW_HTTP: z
    .enum(['true', 'false'], { error: 'must be true or false' })
    .default('false')
    .transform((text) => text === 'true')
    .describe('true: they may be called by plain http'),
  OUTBOUND_ALLOWED_CIDRS: list
    .refine(canBeRead(subnets), { error: 'must list CIDRs, as in 10.1.0.0/16,fd00:1::/32' })
    .describe('Networks that may be called although they are not public; localhost means 127.0.0.1'),
  OUTBOUND_DNS_SERVERS: list
    .refine(
      canBeRead((servers) => new Resolver().setServers(servers)),
      { error: 'must list addresses of name servers, as in 1.1.1.1,[2606:4700:4700::1111]:53' },
    )
    .describe("Name servers for hosts that customers name and for custom domains, instead of the system's; set it in a cluster"),
};

/** The rules from the environment. */
export function outboundRules(config: z.output<z.ZodObject<typeof outboundConfig>>): OutboundRules {
  return {
    ports: config.OUTBOUND_PORTS,
    allowHttp: config.OUTBOUND_ALLOW_HTTP,
    allowedCidrs: config.OUTBOUND_ALLOWED_CIDRS,
    dnsServers: config.OUTBOUND_DNS_SERVERS,
  };
}

function portsOf(range: string): number[] {
  const [first = Number.NaN, last = first] = range.split('-').map(Number);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, n) => first + n);
}

function canBeRead(read: (list: string[]) => void): (list: string[]) => boolean {
  return (entries) => {
    try {
      read(entries);
      return true;
    } catch {
      return false;
    }
  };
}
