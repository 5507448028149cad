import { randomBytes } from 'node:crypto';
import { type NatsAccount, natsAccounts, natsPasswordVariable } from '@webkiln/events/permissions';

/** What nats-server's environment holds, by variable. */
export type NatsPasswords = Readonly<Record<string, string>>;

/** A password for each user that `nats users` prints. One that begins with a digit could be a number to nats-server. */
export const newNatsPasswords = (): NatsPasswords =>
  Object.fromEntries(natsAccounts.map((user) => [natsPasswordVariable(user), `p${randomBytes(24).toString('hex')}`]));

/** The URL of NATS by which a user connects. */
export function natsUrlWith(url: string, user: NatsAccount, passwords: NatsPasswords): string {
  const whole = new URL(url);
  whole.username = user;
  whole.password = passwords[natsPasswordVariable(user)] ?? '';
  return whole.href;
}
