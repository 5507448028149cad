import type { Permission } from '@webkiln/contract';
import type { Operator } from './operator.ts';

/** Returns the organization's id. */
export async function createOrganization(operator: Operator, name: string): Promise<string> {
  const { organization } = await operator.ask(`organization ${name}`, 'identity.CreateOrganization', { name });
  if (!organization) throw new Error('identity created no organization');
  return organization.id;
}

/** Returns the key's secret text. */
export async function createKey(operator: Operator, orgId: string, permissions: Permission[], createdBy?: string): Promise<string> {
  const name = `Demo: ${permissions.join(' and ')}`;
  const request = { name, permissions, created_by: createdBy ?? null };
  const { secret } = await operator.ask(`key ${orgId} ${name}`, 'identity.CreateKey', request, orgId);
  return secret;
}
