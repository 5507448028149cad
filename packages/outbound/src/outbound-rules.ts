/** The addresses that customers may name. Anything beyond the public internet on 443 and 8443 is an exception. */
export interface OutboundRules {
  readonly ports: readonly number[];
  readonly allowHttp: boolean;
  /** CIDRs or single addresses that are allowed although they are not public. */
  readonly allowedCidrs: readonly string[];
  /** `address` or `address:port` of name servers; without any the system resolves names. */
  readonly dnsServers: readonly string[];
}
