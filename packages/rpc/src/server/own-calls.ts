import { accessToRpc, type ErrorCode, refusalOf } from '@webkiln/contract';
import type { Issuer, Principal } from '@webkiln/messages';
import type { MethodName } from '../methods.ts';

/**
 * The issuers that may call an RPC in their own name: processes as a service, the command line as an operator. An RPC
 * without a row serves API keys and sessions alone, as its API operation says.
 */
export const ownCalls: { readonly [M in MethodName]?: readonly Issuer[] } = {
  'identity.CreateOrganization': ['operator'],
  'identity.GetOrganization': ['operator'],
  'identity.ListOrganizations': ['operator'],
  'identity.AddMember': ['operator'],
  'identity.ListMembers': ['operator', 'webhooks'],
  'identity.RemoveMember': ['operator'],
  'identity.CreateKey': ['operator'],
  'identity.ListKeys': ['operator'],
  'identity.RotateKey': ['operator'],
  'identity.RevokeKey': ['operator'],
  'identity.VerifyAudit': ['operator'],
  'identity.SuspendOrganization': ['operator'],
  'identity.ResumeOrganization': ['operator'],
  'identity.GetLimits': ['operator'],
  'identity.SetLimit': ['operator'],
  'maintenance.ListDeadLetters': ['operator'],
  'maintenance.ReplayDeadLetter': ['operator'],
  'maintenance.DiscardDeadLetter': ['operator'],
  'identity.VerifyKeys': ['gateway'],
  'identity.VerifySessions': ['gateway'],
  'identity.RecordKeyUse': ['gateway'],
  'identity.ActivateUser': ['clients-plans'],
  'identity.SetUserAccess': ['clients-plans'],
  'identity.HasAccount': ['clients-plans'],
  'identity.AdmitMail': ['clients-plans', 'sites', 'webhooks'],
  'identity.GetBrand': ['gateway', 'clients-plans', 'sites'],
  'identity.GetLogo': ['gateway'],
  'clients.GetInvitation': ['gateway'],
  'clients.AcceptInvitation': ['gateway'],
  'clients.GetClient': ['projects-templates', 'sites'],
  'clients.GetSiteAllowance': ['projects-templates'],
  'projects.GetProject': ['sites', 'analytics'],
  'projects.ReadContent': ['gateway'],
  'projects.WriteDraft': ['operator'],
  'sites.ResolveSite': ['sites'],
  'sites.ResolvePreview': ['sites'],
  'sites.GetSiteContent': ['sites'],
  'sites.SetPreviewImage': ['sites'],
  'sites.IdentifySite': ['analytics'],
};

export type CallRefusal = (principal: Principal) => ErrorCode | undefined;

/** Decides who may call an RPC: keys and sessions by its API operation, services and operators by `ownCalls`. */
export function callRefusalOf(method: MethodName): CallRefusal {
  const access = accessToRpc(method);
  const own = new Set<string>(ownCalls[method]);
  return (principal) => {
    const { kind, credential_id } = principal;
    if (kind === 'api_key' || kind === 'session') return refusalOf(principal, access);
    return own.has(kind === 'operator' ? 'operator' : credential_id) ? undefined : 'permission_missing';
  };
}
