import { closePeers, connectPeers } from '@webkiln/rpc';
import type { Secrets } from '../platform/secrets.ts';
import type { Addresses } from '../platform/service-table.ts';
import { createNorthlight } from './northlight.ts';
import { Operator } from './operator.ts';
import { createSecondOrganization } from './second-organization.ts';

/** Makes both organizations, or what an earlier attempt did not come to. */
export async function createDemo(baseUrl: string, addresses: Addresses, secrets: Secrets) {
  connectPeers({
    issuer: 'operator',
    signingKey: secrets.OPERATOR_SIGNING_KEY,
    transport: 'unary',
    addresses: { identity: addresses.IDENTITY_ADDRESS, 'projects-templates': addresses.PROJECTS_TEMPLATES_ADDRESS },
  });
  try {
    const operator = new Operator(secrets.demo_seed);
    const [northlight, other_org] = await Promise.all([createNorthlight(operator, baseUrl), createSecondOrganization(operator, baseUrl)]);
    return { ...northlight, other_org };
  } finally {
    await closePeers();
  }
}
