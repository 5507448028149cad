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

const refusedMails = 101;

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

test('mails that the relay refuses with 554 are each offered once and never again, and those of others arrive', async () => {
  const [hostile, other] = [newSite(), newSite()];
  const address = clientEmail(hostile);
  server.refuseText(new RegExp(`^${address}$`), '554 refused');
  await submit(hostile);
  const [event] = await publishedEvents(running.stream, hostile);
  const repeats = Array.from({ length: refusedMails - 1 }, () => JSON.stringify({ ...event, id: randomUUID() }));
  const forms = { ...running.stream, stream: streamWith(running.stream, 'form.submitted') };
  await put(forms, subjectOf('form.submitted'), repeats);
  await submit(other);
  onFormSubmitted(new FormMails({ mailer, from: { name: 'Kiln', address: 'hello@kiln.example' }, origin: 'https://kiln.example' }));
  await until(() => server.received.some(({ to }) => to === clientEmail(other)));
  await quiet(running.stream, 'sites-form-mail', undefined, 'form.submitted');
  expect(server.offers(address)).toBe(refusedMails);
  expect(server.received.map(({ to }) => to)).toEqual([clientEmail(other)]);
});
