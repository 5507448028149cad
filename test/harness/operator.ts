import { callerFor, operatorPrincipal, type QuotaName } from '@webkiln/messages';
import { call } from '@webkiln/rpc';

/** What an operator does at the command line, on the platform of the agencies that the test has made. */
export const operatorOf = (orgId: string, name?: string) => callerFor(operatorPrincipal(orgId, name), { timeoutMs: 60_000 });

export const suspend = (orgId: string) => call('identity.SuspendOrganization', {}, operatorOf(orgId));
export const resume = (orgId: string) => call('identity.ResumeOrganization', {}, operatorOf(orgId));
/** Without a limit, the platform's applies again. */
export const setLimit = (orgId: string, name: QuotaName, limit?: number) => call('identity.SetLimit', { name, limit }, operatorOf(orgId));
export const grantCredits = (orgId: string, credits: number, note?: string) =>
  call('credits.GrantCredits', { credits, note }, operatorOf(orgId));
export const takeDown = (site: string, reason: string) => call('sites.TakeDownSite', { site, reason }, operatorOf(''));
export const restore = (site: string) => call('sites.RestoreSite', { site }, operatorOf(''));
export const lockAccount = (email: string) => call('identity.LockAccount', { email }, operatorOf(''));
export const unlockAccount = (email: string) => call('identity.UnlockAccount', { email }, operatorOf(''));
export const deleteAccount = (email: string, revoke_keys = false) =>
  call('identity.DeleteAccount', { email, confirm: email, revoke_keys }, operatorOf(''));
export const verifyAudit = (orgId: string) => call('identity.VerifyAudit', {}, operatorOf(orgId));
export const addMember = (orgId: string, email: string) => call('identity.AddMember', { email, role: 'viewer' }, operatorOf(orgId));
/** Replaces the draft of a project, as the builder does. */
export const writeDraft = (orgId: string, project_id: string, files: Readonly<Record<string, string>>) =>
  call(
    'projects.WriteDraft',
    { project_id, files: Object.entries(files).map(([path, content]) => ({ path, content: Buffer.from(content) })) },
    operatorOf(orgId),
  );

export const deleteOrganization = (orgId: string) => call('identity.DeleteOrganization', {}, operatorOf(orgId));
export const restoreOrganization = (orgId: string) => call('identity.RestoreOrganization', {}, operatorOf(orgId));
export const listOrganizations = () => call('identity.ListOrganizations', {}, operatorOf(''));
export async function eraseNow(orgId: string) {
  const { organization } = await call('identity.GetOrganization', { organization: orgId }, operatorOf(''));
  return call('identity.EraseOrganization', { confirm: organization?.slug ?? '' }, operatorOf(orgId));
}
