import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/** Tokens that prove that a form came from our page, for this request and this session (against CSRF). */
export interface FormTokens {
  /** `session` is the digest of the session cookie; empty without one. */
  create(uid: string, session: string): string;
  matches(token: string, uid: string, session: string): boolean;
}

export function formTokens(secret: string): FormTokens {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'forms of the authorization server', 32));
  const create = (uid: string, session: string) => createHmac('sha256', key).update(`${uid} ${session}`).digest('base64url');
  return {
    create,
    matches(token, uid, session) {
      const [given, own] = [Buffer.from(token), Buffer.from(create(uid, session))];
      return given.length === own.length && timingSafeEqual(given, own);
    },
  };
}
