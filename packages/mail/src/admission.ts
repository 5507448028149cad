import { callerFor, type ServiceName, servicePrincipal } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import type { MailEnvelope } from './mail.ts';

const timeoutMs = 5_000;

/** Decides whether a mail is sent. It is asked again on every attempt, and a mail counts once. */
export type Admit = (mail: MailEnvelope) => Promise<boolean>;

/**
 * Has identity decide, for a service that has it as a peer. Throws `unavailable` while identity is away: the mail
 * waits, so that no limit is passed and no mail is lost.
 */
export const admittedByIdentity =
  (service: ServiceName): Admit =>
  async ({ messageId, to, purpose, org_id }) => {
    const caller = callerFor(servicePrincipal(service, org_id), { timeoutMs });
    return (await call('identity.AdmitMail', { mail_id: messageId, recipient: to.address, purpose }, caller)).admitted;
  };
