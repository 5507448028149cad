import type { UseCase } from '@webkiln/rpc';
import type { SiteAddresses } from '../projects/site-addresses.ts';
import { addDomain } from './add-domain.ts';
import { deleteDomain } from './delete-domain.ts';
import type { Target } from './domain-name.ts';
import { listDomains } from './list-domains.ts';
import type { DomainLookups } from './look-up.ts';
import { verifyDomain } from './verify-domain.ts';

interface Parts {
  readonly target: Target;
  readonly lookups: DomainLookups;
  readonly addresses: SiteAddresses;
}

export const domainUseCases = ({ target, lookups, addresses }: Parts): UseCase[] => [
  listDomains(addresses),
  addDomain(target, addresses),
  verifyDomain(lookups),
  deleteDomain,
];
