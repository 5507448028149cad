import { AppError } from '@webkiln/contract';
import { actorOf, type Caller, onBehalf } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { assertCanOwnProject } from './project.ts';

/**
 * The client with this email, with the sites that its plan allows. A member's own address makes the organization its
 * own client. Throws `client_not_found` or `client_not_active`.
 */
export async function ownerByEmail(caller: Caller, client_email: string) {
  const service = onBehalf('projects-templates', caller);
  const find = () => call('clients.GetSiteAllowance', { client_email }, service);
  const client = await find().catch(async (error) => {
    if (!(error instanceof AppError && error.code === 'client_not_found')) throw error;
    await call('clients.AdmitOwnClient', { email: client_email, actor: actorOf(caller) }, service);
    return find();
  });
  assertCanOwnProject(client);
  return client;
}
