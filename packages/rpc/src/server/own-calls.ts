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
  'identity.ExportOrganization': ['operator'],
  'identity.DeleteOrganization': ['operator'],
  'identity.RestoreOrganization': ['operator'],
  'identity.EraseOrganization': ['operator'],
  'identity.ReportErasure': ['clients-plans', 'projects-templates', 'webhooks', 'sites', 'analytics', 'embed'],
  'identity.GetLimits': ['operator'],
  'identity.SetLimit': ['operator'],
  'maintenance.CountUse': ['gateway', 'operator'],
  'identity.LockAccount': ['operator'],
  'identity.UnlockAccount': ['operator'],
  'identity.EndAccountSessions': ['operator'],
  'identity.DeleteAccount': ['operator'],
  'identity.RecordDeadLetter': ['operator'],
  'maintenance.ListDeadLetters': ['operator'],
  'maintenance.ReplayDeadLetter': ['operator'],
  'maintenance.DiscardDeadLetter': ['operator'],
  'identity.VerifyKeys': ['gateway'],
  'identity.VerifySessions': ['gateway'],
  'identity.VerifyOauthTokens': ['gateway'],
  'embed.VerifyEmbedTokens': ['gateway'],
  'models.TestModels': ['operator'],
  'credits.GetCredits': ['operator'],
  'credits.GrantCredits': ['operator'],
  'embed.OpenEmbedSession': ['gateway'],
  'embed.GetTurn': ['gateway'],
  'embed.OpenBuildLink': ['gateway'],
  'identity.VerifyEmbedClient': ['gateway'],
  'identity.GetEmbedOrigins': ['gateway'],
  'identity.GetEmbedCaps': ['embed'],
  'clients.AdmitClientUser': ['embed', 'projects-templates'],
  'projects.OpenUserProject': ['embed'],
  'projects.MoveProjects': ['embed'],
  'identity.RecordOauthUse': ['gateway'],
  'identity.RecordKeyUse': ['gateway'],
  'identity.ActivateUser': ['clients-plans'],
  'identity.SetUserAccess': ['clients-plans'],
  'identity.HasAccount': ['clients-plans'],
  'identity.GetJoining': ['clients-plans'],
  'identity.AttachAccount': ['clients-plans'],
  'identity.AdmitMail': ['clients-plans', 'sites', 'webhooks'],
  'identity.CheckMailQuota': ['clients-plans', 'sites'],
  'identity.GetMailConsent': ['sites'],
  'identity.OpenMailConsent': ['gateway'],
  'identity.AnswerMailConsent': ['gateway'],
  'identity.GetBrand': ['gateway', 'clients-plans', 'sites', 'embed'],
  'identity.GetLogo': ['gateway'],
  'clients.GetInvitation': ['gateway'],
  'clients.AcceptInvitation': ['gateway'],
  'clients.GetClient': ['projects-templates', 'sites', 'embed'],
  'clients.GetPlanRights': ['projects-templates'],
  'clients.GetSiteAllowance': ['projects-templates'],
  'projects.GetProject': ['sites', 'analytics', 'embed'],
  'projects.ReadContent': ['gateway', 'operator'],
  'projects.WriteDraft': ['operator'],
  'projects.ReadDraft': ['embed'],
  'projects.WriteTurn': ['embed'],
  'projects.DropTurn': ['embed'],
  'accounts.GetAgentAccess': ['mcp'],
  // Messages without a credential.
  'mcp.Answer': ['gateway'],
  'mcp.AnswerWrite': ['gateway'],
  'accounts.ListKeys': ['operator'],
  'accounts.ListEmbedClients': ['operator'],
  'accounts.ListInvitations': ['operator'],
  'accounts.ListAudit': ['operator'],
  'clients.ListClients': ['operator'],
  'plans.ListPlans': ['operator'],
  'projects.ListProjects': ['operator'],
  'projects.ListProjectFiles': ['operator'],
  'projects.ListDomains': ['operator'],
  'embed.ListChatMessages': ['operator'],
  'embed.ListBuildLinks': ['operator'],
  'projects.ListDeploys': ['operator'],
  'projects.ListDeployFiles': ['operator'],
  'templates.GetTemplate': ['embed'],
  'templates.ListTemplates': ['operator'],
  'templates.ListTemplateFiles': ['operator'],
  'forms.GetFormSettings': ['operator'],
  'forms.ListSubmissions': ['operator'],
  'webhooks.ListWebhooks': ['operator'],
  'analytics.GetAnalytics': ['operator'],
  'sites.TakeDownSite': ['operator'],
  'sites.RestoreSite': ['operator'],
  'sites.ResolveSite': ['sites'],
  'sites.ResolvePreview': ['sites'],
  'sites.GetSiteContent': ['sites'],
  'sites.SetPreviewImage': ['sites'],
  'sites.IdentifySite': ['analytics', 'gateway'],
};

/**
 * RPCs that serve every API key and OAuth token: a message of an agent is no API operation. The services behind its
 * tools check permission and role.
 */
const agentCalls: ReadonlySet<string> = new Set<MethodName>(['mcp.Answer', 'mcp.AnswerWrite']);

export type CallRefusal = (principal: Principal) => ErrorCode | undefined;

/**
 * Decides who may call an RPC: keys, sessions and tokens by its API operation, services and operators by
 * `ownCalls`, and agents by `agentCalls`.
 */
export function callRefusalOf(method: MethodName): CallRefusal {
  const access = accessToRpc(method);
  const own = new Set<string>(ownCalls[method]);
  const isForAgents = agentCalls.has(method);
  return (principal) => {
    const { kind, credential_id } = principal;
    if (isForAgents && (kind === 'api_key' || kind === 'oauth_token')) return undefined;
    if (kind !== 'operator' && kind !== 'service') return refusalOf(principal, access);
    return own.has(kind === 'operator' ? 'operator' : credential_id) ? undefined : 'permission_missing';
  };
}
