import { callerFor, operatorPrincipal, type QuotaName } from '@webkiln/messages';
import { call } from '@webkiln/rpc';

/** What an operator does at the command line, on the platform of the agencies that the test has made. */
const operatorOf = (orgId: string) => callerFor(operatorPrincipal(orgId), { timeoutMs: 60_000 });

export const suspend = (orgId: string) => call('identity.SuspendOrganization', {}, operatorOf(orgId));
export const resume = (orgId: string) => call('identity.ResumeOrganization', {}, operatorOf(orgId));
/** Without a limit, the platform's applies again. */
export const setLimit = (orgId: string, name: QuotaName, limit?: number) => call('identity.SetLimit', { name, limit }, operatorOf(orgId));
export const addMember = (orgId: string, email: string) => call('identity.AddMember', { email, role: 'viewer' }, operatorOf(orgId));
