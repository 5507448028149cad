import { projectModels } from '../model/organization-models.ts';
import type { Tenant } from '../model/scope.ts';
import { scoped } from '../scoped.ts';

/**
 * Deletes the records of a project from each of the service's collections that say `ofProject`. Safe to repeat and to
 * interrupt; without a session it deletes them in batches.
 */
export async function deleteOfProject({ org_id, session }: Tenant, projectId: string): Promise<void> {
  const tenant: Tenant = { org_id, ...(session !== undefined && { session }) };
  for (const [model, field] of projectModels()) await scoped(model, tenant).deleteMany({ [field]: projectId } as never);
}
