/** Sends a mail to the server of the URL, as a service does, and prints "connected" or the reason. */
import { connected } from '@webkiln/runtime/testing/tls-client';
import { smtpMailer } from '../smtp-mailer.ts';

const address = 'ada@kiln.example';
const mailer = smtpMailer(process.argv[2] ?? '', { timeoutMs: 10_000 });
const mail = { org_id: '', purpose: 'notice', messageId: '<1@kiln.example>', date: new Date(), subject: 'Hello', text: 'Hello' } as const;
const outcome = mailer.send({ ...mail, from: { name: 'Kiln', address }, to: { name: 'Ada', address } }).then(
  () => connected,
  (error) => String(error.cause ?? error),
);
process.stdout.write(`${await outcome}\n`);
process.exit();
