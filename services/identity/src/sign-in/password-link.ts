import { randomBytes } from 'node:crypto';
import type { Auth } from './auth.ts';

/** Longer than that of a mailed link: an operator has to bring it to its person. */
const linkMs = 24 * 3600_000;

export interface PasswordLink {
  readonly url: string;
  readonly expires_at: Date;
}

/** Makes a link to the page on which the person of an account chooses a password: for one use, within 24 hours. */
export const passwordLinks =
  (auth: Auth, origin: string) =>
  async (accountId: string): Promise<PasswordLink> => {
    const { internalAdapter } = await auth.$context;
    const token = randomBytes(24).toString('base64url');
    const expires_at = new Date(Date.now() + linkMs);
    await internalAdapter.createVerificationValue({ identifier: `reset-password:${token}`, value: accountId, expiresAt: expires_at });
    return { url: `${origin}/reset-password?token=${token}`, expires_at };
  };
