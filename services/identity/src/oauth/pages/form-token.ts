import type { SecretList } from '@webkiln/runtime';
import { organizationKeys, signer } from '@webkiln/sealing';

/** Tokens that prove that a form came from our page, for this request and this session (against CSRF). */
export interface FormTokens {
  /** `session` is the digest of the session cookie; empty without one. */
  create(uid: string, session: string): string;
  matches(token: string, uid: string, session: string): boolean;
}

export function formTokens(secrets: SecretList): FormTokens {
  const { sign, isSigned } = signer(organizationKeys(secrets, 'forms of the authorization server'));
  return {
    create: (uid, session) => sign(`${uid} ${session}`),
    matches: (token, uid, session) => isSigned(`${uid} ${session}`, token),
  };
}
