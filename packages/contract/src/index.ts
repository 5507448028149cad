export { textColorOn } from './accent-color.ts';
export { type Access, accessTo, isAllowed, rolesOf } from './access.ts';
export { type AuditAction, AuditEntry, type AuditedAct } from './account-audit.ts';
export { EmbedClient } from './account-embed-clients.ts';
export { Key } from './account-keys.ts';
export { Invitation, Member } from './account-members.ts';
export { Organization } from './account-organization.ts';
export { Passkey } from './account-passkeys.ts';
export {
  type AnsweredRequest,
  LoggedRequest,
  type RequestBatch,
  RequestCredential,
  requestCredentials,
  requestsListed,
  statusClasses,
  type UsageCount,
} from './account-requests.ts';
export { Account, Place, Session } from './account-session.ts';
export { KeyUsage, Usage, UsageDay } from './account-usage.ts';
export * from './analytics.ts';
export * from './api-key.ts';
export { changedFields } from './changed-fields.ts';
export * from './clients.ts';
export { type CredentialText, type CredentialTexts, credentialTexts } from './credential-text.ts';
export * from './deliveries.ts';
export * from './deploys.ts';
export * from './endpoint.ts';
export { endpoints } from './endpoints.ts';
export * from './errors.ts';
export * from './events.ts';
export { Email, GraceHours, momentOf, Name, wholeListCap } from './fields.ts';
export * from './forms.ts';
export { mostLogoBytes, pictureType } from './logo.ts';
export { pathId } from './path-ids.ts';
export * from './plans.ts';
export { presenter, type Shape } from './present.ts';
export * from './previews.ts';
export * from './projects.ts';
export { type Role, roles, type SessionRole, sessionRoles } from './roles.ts';
export { sessionCookie, sessionDigest, sessionTokenDigest } from './session-token.ts';
export { siteNames } from './site-name.ts';
export * from './templates.ts';
export { validate } from './validate.ts';
export { generateWebhookSecret, signWebhook } from './webhook-signature.ts';
export * from './webhooks.ts';
