export {
  type AgentScope,
  agentAbilities,
  agentScopes,
  baseScope,
  defaultScope,
  isAgentScope,
  needsOpening,
} from './agents/agent-abilities.ts';
export { agentTexts } from './agents/agent-texts.ts';
export {
  type AgentTool,
  type AgentToolName,
  addressParameters,
  agentToolNames,
  agentTools,
  type ToolSet,
  toolSets,
} from './agents/agent-tools.ts';
export { allToolNames, allTools, moreTools } from './agents/more-tools.ts';
export { shownReason, type UndoReason, type UndoReasonCode } from './agents/undo-reasons.ts';
export { Limit } from './areas/account/account.ts';
export { AgentAccess, type AgentDecision, type AgentOpening, AgentQuestion } from './areas/account/agent-access.ts';
export { Agent, type AgentChange, AgentSession } from './areas/account/agents.ts';
export { type AuditAction, AuditEntry, type AuditedAct } from './areas/account/audit.ts';
export { Invitation } from './areas/account/invitations.ts';
export { Key, updateKey } from './areas/account/keys.ts';
export { Member } from './areas/account/members.ts';
export { Organization } from './areas/account/organization.ts';
export { Passkey } from './areas/account/passkeys.ts';
export { type ChangeablePaymentSettings, OwnBilling, PaymentSettings, updatePaymentSettings } from './areas/account/payments.ts';
export { ReportMails } from './areas/account/report-mails.ts';
export {
  type AnsweredRequest,
  LoggedRequest,
  type RequestBatch,
  RequestCredential,
  requestCredentials,
  requestsListed,
  statusClasses,
  type UsageCount,
} from './areas/account/requests.ts';
export { Revenue } from './areas/account/revenue.ts';
export { Account, Place, Session } from './areas/account/session.ts';
export { KeyUsage, Usage, UsageDay } from './areas/account/usage.ts';
export * from './areas/analytics.ts';
export { BuildLink } from './areas/building/build-links.ts';
export * from './areas/building/chat.ts';
export { CreditEntry } from './areas/building/credits.ts';
export * from './areas/building/domains.ts';
export { EmbedClient, updateEmbedClient } from './areas/building/embed-clients.ts';
export { EmbedSession, EmbedSessionRequest } from './areas/building/embed-sessions.ts';
export * from './areas/building/history.ts';
export type { ModelFindingCode } from './areas/building/models.ts';
export * from './areas/building/pictures.ts';
export * from './areas/building/previews.ts';
export * from './areas/building/revisions.ts';
export * from './areas/clients.ts';
export * from './areas/deliveries.ts';
export * from './areas/deploys.ts';
export { type DocsPassage, maxDocsQuery } from './areas/docs.ts';
export * from './areas/drafts.ts';
export * from './areas/forms/form-settings.ts';
export * from './areas/forms/forms.ts';
export * from './areas/orders.ts';
export * from './areas/plans.ts';
export * from './areas/project-files.ts';
export * from './areas/projects.ts';
export * from './areas/subscriptions.ts';
export * from './areas/template-files.ts';
export * from './areas/templates.ts';
export * from './areas/visits.ts';
export * from './areas/webhooks.ts';
export { changedFields } from './changed-fields.ts';
export * from './credentials/credential-text.ts';
export { sessionCookie, sessionDigest, sessionTokenDigest } from './credentials/session-token.ts';
export { generateWebhookSecret, signWebhook } from './credentials/webhook-signature.ts';
export * from './error-catalogue.ts';
export * from './error-kinds.ts';
export * from './errors.ts';
export * from './events.ts';
export { maxSiteBytes, maxSiteFiles } from './fields/built-files.ts';
export {
  defaultLanguage,
  Email,
  GraceHours,
  knownLanguage,
  Language,
  languages,
  maxOffset,
  momentOf,
  Name,
  textColorOn,
  wholeListCap,
} from './fields/fields.ts';
export { pathProblem } from './fields/file-path.ts';
export { maxLogoBytes, pictureType } from './fields/logo.ts';
export { entityTags } from './fields/patterns.ts';
export {
  type Access,
  accessError,
  accessTo,
  accessToRpc,
  agentAbilitiesFor,
  agentRefusalOf,
  agentToolOf,
  asksFirst,
  hasScope,
  lacksAgencyTools,
  permissionsOf,
  refusalOf,
} from './http/access.ts';
export { createProjection, createSerializer, inputFields, type Serializer, type StateOf, validate, withDates } from './http/conversions.ts';
export * from './http/operation.ts';
export { operations } from './http/operations.ts';
export { parameterWarnings } from './http/parameter-warnings.ts';
export { pathId } from './http/path-ids.ts';
export { includesRole, type Role, roles, type SessionRole, sessionRoles } from './http/roles.ts';
export { type PlanLimit, planLimits, type RefusedByPlan } from './plan-limits.ts';
export { customDomains, siteHosts, siteNames } from './site-name.ts';
