import { randomUUID } from 'node:crypto';
import { put, quiet, streamWith } from '@webkiln/events/testing';
import { type Mailer, mailerFor } from '@webkiln/mail';
import { admitAll, type MailServer, startMailServer } from '@webkiln/mail/testing';
import { subjectOf } from '@webkiln/messages';
import { until } from '@webkiln/store/testing';
import { FormMails } from '../forms/recipients/form-mails.ts';
import { useForms } from '../testing/running-forms.ts';
import { post, publishedEvents } from '../testing/sent-forms.ts';
import { clientEmail, newSite, type TestSite } from '../testing/test-sites.ts';
import { onFormSubmitted } from './on-form-submitted.ts';

const refusedMails = 401;
/** Mails of the other organization that are offered while it hands back the rest: far fewer than wait. */
const maxBefore = 200;
jest.setTimeout(300_000);

let server: MailServer;
let mailer: Mailer;
afterAll(async () => {
  mailer.close();
  await server.close();
});
const running = useForms();
beforeAll(async () => {
  server = await startMailServer();
  mailer = mailerFor({ SMTP_URL: server.url }, admitAll);
});

const submit = (site: TestSite) => post(running.port, site, 'a=b', { type: 'application/x-www-form-urlencoded' });

/** Puts so many mails of one site on the stream, and then one of another site behind them. */
async function submitMany(count: number, hostile: TestSite, other: TestSite): Promise<void> {
  await submit(hostile);
  const [event] = await publishedEvents(running.stream, hostile);
  const repeats = Array.from({ length: count - 1 }, () => JSON.stringify({ ...event, id: randomUUID() }));
  const forms = { ...running.stream, stream: streamWith(running.stream, 'form.submitted') };
  await put(forms, subjectOf('form.submitted'), repeats);
  await submit(other);
  await publishedEvents(running.stream, other);
}

const from = { name: 'Kiln', address: 'hello@kiln.example' };
let isStarted = false;
/** The consumer comes after the mails, so that all of them wait. */
function start(): void {
  if (!isStarted) onFormSubmitted(new FormMails({ mailer, from, origin: 'https://kiln.example' }));
  isStarted = true;
}

test('401 mails that the relay refuses with 554 are each offered once, and the mail behind them overtakes most', async () => {
  const [hostile, other] = [newSite(), newSite()];
  const address = clientEmail(hostile);
  server.refuseText(new RegExp(`^${address}$`), '554 refused');
  await submitMany(refusedMails, hostile, other);
  start();
  await until(() => server.received.some(({ to }) => to === clientEmail(other)), 60_000);
  expect(server.offers(address)).toBeLessThan(maxBefore);
  await quiet(running.stream, 'sites-form-mail', 240_000, 'form.submitted');
  expect(server.offers(address)).toBe(refusedMails);
  expect(server.received.map(({ to }) => to)).toEqual([clientEmail(other)]);
});

test('a relay that hangs for the domain of one organization holds four of its mails, and delays nobody else', async () => {
  const [hostile, other] = [newSite(), newSite()];
  server.refuseText(new RegExp(`^${clientEmail(hostile)}$`), 'nothing');
  await submitMany(300, hostile, other);
  start();
  await until(() => server.received.some(({ to }) => to === clientEmail(other)), 60_000);
  expect(server.offers(clientEmail(hostile))).toBeLessThanOrEqual(4);
});
