import { randomUUID } from 'node:crypto';
import { put, quiet, withNats } from '@webkiln/events/testing';
import { type Mailer, mailerFor } from '@webkiln/mail';
import { admitAll, type MailServer, startMailServer } from '@webkiln/mail/testing';
import type { Principal } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { testCaller, until } from '@webkiln/store/testing';
import { sweepDeletedProjects } from '../deleted-projects/deleted-project-store.ts';
import { FormMails } from '../forms/recipients/form-mails.ts';
import { useForms } from '../testing/running-forms.ts';
import { post, publishedEvents, storedSubmissions } from '../testing/sent-forms.ts';
import { clientEmail, consents, endedReports, newSite, type TestSite } from '../testing/test-sites.ts';
import { onFormRecipient } from './on-form-recipient.ts';
import { onFormSubmitted } from './on-form-submitted.ts';
import { onReportDue } from './on-report-due.ts';
import { onSiteChanged } from './on-site-changed.ts';

describe('on form submitted', () => {
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
    const options = { mailer, from: { name: 'Kiln', address: 'hello@kiln.example' }, origin: 'https://kiln.example' };
    const mails = new FormMails(options);
    onReportDue(options);
    onFormSubmitted(mails);
    onFormRecipient(mails);
  });

  const mailsTo = (email: string) => server.received.filter(({ to }) => to === email).map(({ message }) => message);
  const headOf = (message = '') => message.slice(0, message.indexOf('\r\n\r\n'));
  const send = (site: TestSite, fields: Record<string, string>, type = 'application/x-www-form-urlencoded') =>
    post(running.port, site, type.endsWith('json') ? JSON.stringify(fields) : new URLSearchParams(fields).toString(), { type });
  const mailed = async (email: string) => {
    await until(() => mailsTo(email).length > 0);
    return mailsTo(email)[0] ?? '';
  };
  const settings = ({ org_id, project_id }: TestSite, wanted: { notify?: boolean; notification_email?: string }) =>
    call('forms.UpdateFormSettings', { project_id, ...wanted, update_mask: Object.keys(wanted) }, testCaller(org_id));
  /** Waits until all events of a site are published and all mails sent. */
  const settled = async (site: TestSite) => {
    await publishedEvents(running.stream, site);
    await quiet(running.stream, 'sites-form-mail', undefined, 'form.submitted');
  };

  test('a submission is mailed to the client as plain text, with Reply-To set to its sender', async () => {
    const site = newSite();
    await send(site, { name: 'Ada', Email: 'ada@example.org', message: 'Hi\n<b>there</b>' });
    const message = await mailed(clientEmail(site));
    const [event] = await publishedEvents(running.stream, site);
    expect(headOf(message)).toContain(`Message-ID: <form.${event?.id}@kiln.example>`);
    expect(headOf(message)).toContain(`Subject: ${site.name}: contact`);
    expect(headOf(message)).toContain('From: Ines of Harbour <hello@kiln.example>');
    expect(headOf(message)).toMatch(/^Reply-To: ada@example\.org$/m);
    expect(headOf(message)).toMatch(/^Content-Type: text\/plain/m);
    for (const line of ['name:', 'Ada', 'Hi', '<b>there</b>', `Sent from https://${site.name}.sites.test/`]) {
      expect(message.split('\r\n')).toContain(line);
    }
  });

  test('a form of Formspree is mailed with its subject, and replies go to the address in it, as browsers take them', async () => {
    const site = newSite();
    await send(site, { _replyto: 'r&d/x=y@bücher.example', _subject: 'Booking\r\nBcc: x@evil.example', n: '1' });
    const head = headOf(await mailed(clientEmail(site)));
    expect(head).toContain(`Subject: ${site.name}: Booking Bcc: x at evil. example`);
    expect(head).toMatch(/^Reply-To: r&d\/x=y@xn--bcher-kva\.example$/m);
    expect(head).not.toMatch(/^Bcc:/m);
  });

  test('mails follow the notification settings; spam is not mailed', async () => {
    const [elsewhere, silent, spam] = [newSite(), newSite(), newSite()];
    consents.set(`desk-${elsewhere.name}@example.com`, 'agreed');
    await settings(elsewhere, { notification_email: `desk-${elsewhere.name}@example.com` });
    await settings(silent, { notify: false });
    await send(elsewhere, { a: 'b' });
    await send(silent, { a: 'b' });
    await send(spam, { a: 'b', _gotcha: 'x' });
    expect(await mailed(`desk-${elsewhere.name}@example.com`)).toContain('Sent from');
    for (const site of [elsewhere, silent, spam]) {
      await settled(site);
      expect(mailsTo(clientEmail(site))).toEqual([]);
    }
  });

  test.each([
    'ada@example.org\r\nBcc: victim@example.org',
    'ada@example.org, bob@example.org',
    'Ada <ada@example.org>',
    '"\r\nBcc: victim@example.org"@example.org',
    'not an address',
  ])('the field email %j becomes no Reply-To and adds no header', async (email) => {
    const site = newSite();
    await send(site, { email, 'x\r\nBcc: victim@example.org': 'y' }, 'application/json');
    const head = headOf(await mailed(clientEmail(site)));
    expect(head).not.toMatch(/^(Reply-To|Bcc):/im);
  });

  test('a project name with line breaks adds no header', async () => {
    const site = newSite({ title: 'Bakery\r\nBcc: victim@example.org' });
    await send(site, { a: 'b' });
    expect(headOf(await mailed(clientEmail(site)))).not.toMatch(/^Bcc:/im);
  });

  test('a redelivered event is not mailed again', async () => {
    const site = newSite();
    await send(site, { a: 'b' });
    await mailed(clientEmail(site));
    // The mail is sent before it is recorded as sent.
    await settled(site);
    const [event] = await publishedEvents(running.stream, site);
    const subject = `${running.stream.subjectPrefix}events.form.submitted`;
    await withNats((connection) => connection.jetstream().publish(subject, JSON.stringify(event)));
    await quiet(running.stream, 'sites-form-mail', undefined, 'form.submitted');
    expect(mailsTo(clientEmail(site))).toHaveLength(1);
  });

  const desk = ({ name }: TestSite) => `desk-${name}@example.com`;
  const asked = async (site: TestSite) => {
    await publishedEvents(running.stream, site);
    for (const [name, type] of [
      ['sites-form-recipient', 'internal.form.recipient'],
      ['sites-form-mail', 'form.submitted'],
    ] as const) {
      await quiet(running.stream, name, undefined, type);
    }
  };
  const again = ({ org_id, project_id }: TestSite) => call('forms.ResendFormConfirmation', { project_id }, testCaller(org_id));

  test('another address is asked as soon as it is named, and gets no submission before it agrees', async () => {
    const site = newSite();
    await settings(site, { notification_email: desk(site) });
    const message = await mailed(desk(site));
    expect(headOf(message)).toContain('Subject: Harbour Studio: do you want to receive form mails?');
    expect(message.replaceAll('=\r\n', '')).toContain(`https://kiln.example/form-mails?token=3Dtoken-of-${desk(site)}`);
    consents.set(desk(site), 'asked');
    await send(site, { a: 'b' });
    await settings(site, { notify: false });
    await settings(site, { notify: true });
    await asked(site);
    expect(mailsTo(desk(site))).toHaveLength(1);
    consents.set(desk(site), 'agreed');
    await send(site, { c: 'd' });
    await until(() => mailsTo(desk(site)).length === 2);
    expect(mailsTo(desk(site))[1]).toContain('Sent from');
  });

  test('an address of an earlier release, which was never asked, is asked by the first submission', async () => {
    const site = newSite();
    consents.set(desk(site), 'withdrawn');
    await settings(site, { notification_email: desk(site) });
    await asked(site);
    expect(mailsTo(desk(site))).toEqual([]);
    consents.set(desk(site), 'unasked');
    await send(site, { secret: 'of a visitor' });
    const message = await mailed(desk(site));
    expect(headOf(message)).toContain('do you want to receive form mails?');
    expect(message).not.toContain('of a visitor');
  });

  test('the link is sent again on request, while the address has not answered', async () => {
    const site = newSite();
    await settings(site, { notification_email: desk(site) });
    await mailed(desk(site));
    consents.set(desk(site), 'asked');
    expect((await again(site)).settings).toMatchObject({ notification_status: 'unconfirmed' });
    await until(() => mailsTo(desk(site)).length === 2);
    for (const state of ['agreed', 'withdrawn'] as const) {
      consents.set(desk(site), state);
      await expect(again(site)).rejects.toMatchObject({ code: 'confirmation_not_pending' });
    }
  });

  test('whoever unsubscribed gets no mail, the client, too', async () => {
    const site = newSite();
    consents.set(clientEmail(site), 'withdrawn');
    await send(site, { a: 'b' });
    await settled(site);
    expect(mailsTo(clientEmail(site))).toEqual([]);
  });

  test('a form mail can be ended by one click (RFC 8058), and says how', async () => {
    const site = newSite();
    await send(site, { a: 'b' });
    const message = await mailed(clientEmail(site));
    const head = headOf(message).replaceAll('\r\n ', ' ').replaceAll('\r\n\t', ' ');
    const url = `https://kiln.example/form-mails?token=token-of-${clientEmail(site)}`;
    expect(head).toContain(`List-Unsubscribe: <${url}>`);
    expect(head).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
    expect(message.replaceAll('=\r\n', '')).toContain('You no longer want these mails?');
  });

  describe('monthly reports', () => {
    /** Publishes the event of a report, and again once it is handled, as often as wanted. */
    async function reportDue(site: TestSite, { views = 7, visitors_before = 3, times = 1 } = {}): Promise<void> {
      const { org_id, project_id, client_id: user_id } = site;
      const timestamp = new Date().toISOString();
      const sites = [{ project_id, views, visitors: 5, visitors_before, pages: ['/', '/menu'] }];
      const data = { user_id, month: timestamp.slice(0, 7), sites };
      const event = { id: randomUUID(), type: 'internal.report.due', timestamp, org_id, api_version: 'v1', data };
      const subject = `${running.stream.subjectPrefix}internal.report.due`;
      for (let time = 0; time < times; time++) {
        await withNats((connection) => connection.jetstream().publish(subject, JSON.stringify(event)));
        await quiet(running.stream, 'sites-monthly-report', undefined, 'internal.report.due');
      }
    }

    test('a client is mailed its visits in words, with what was sent by its forms, once, and can end that by one click', async () => {
      const site = newSite();
      await send(site, { a: 'b' });
      await settled(site);
      await reportDue(site, { times: 2 });
      const [, report = '', ...more] = mailsTo(clientEmail(site));
      expect(more).toEqual([]);
      const text = report.replaceAll('=\r\n', '');
      expect(text).toContain('5 visits, with 7 pages viewed: 2 more than in the month before.');
      expect(text).toContain('Viewed most: the first page, /menu.');
      expect(text).toContain('You received 1 message by your forms.');
      const head = headOf(report).replaceAll(/\r\n[ \t]/g, ' ');
      expect(head).toContain(`List-Unsubscribe: <https://kiln.example/report-mails?token=token-of-${site.client_id}>`);
      expect(head).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
      expect(head).toContain('From: Ines of Harbour <hello@kiln.example>');
    });

    test('no report is mailed to a client that ended it, and none of a site that is gone', async () => {
      const [ended, gone] = [newSite(), newSite({ deleted: true })];
      endedReports.add(ended.client_id);
      for (const site of [ended, gone]) {
        await reportDue(site);
        expect(mailsTo(clientEmail(site))).toEqual([]);
      }
    });
  });
});

describe('on project deleted', () => {
  const running = useForms();

  const inHalfAnHour = () => new Date(Date.now() + 30 * 60_000);

  async function deleteProject({ org_id, project_id }: TestSite): Promise<void> {
    const data = { project_id, org_client_id: null };
    const event = {
      id: randomUUID(),
      type: 'internal.project.deleted',
      timestamp: new Date().toISOString(),
      org_id,
      api_version: 'v1',
      data,
    };
    await put(running.stream, 'internal.project.deleted', [JSON.stringify(event)]);
    await quiet(running.stream, 'sites-on-project-deleted');
  }

  test('deleting a project deletes its submissions and settings, and those of no other project', async () => {
    const [deleted, other] = [newSite(), newSite()];
    for (const site of [deleted, other]) {
      await post(running.port, site, 'a=1');
      await post(running.port, site, 'a=2&_gotcha=x');
      const change = { project_id: site.project_id, notify: false, update_mask: ['notify'] };
      await call('forms.UpdateFormSettings', change, testCaller(site.org_id));
      await publishedEvents(running.stream, site);
    }
    await deleteProject(deleted);
    expect([await storedSubmissions(deleted), (await storedSubmissions(other)).length]).toEqual([[], 2]);
    const settingsOf = ({ project_id, org_id }: TestSite) => call('forms.GetFormSettings', { project_id }, testCaller(org_id));
    expect([(await settingsOf(deleted)).settings?.notify, (await settingsOf(other)).settings?.notify]).toEqual([true, false]);
  });

  test('submissions and settings written during the deletion of their project are deleted by the sweep', async () => {
    const [deleted, other] = [newSite(), newSite()];
    await deleteProject(deleted);
    // As requests that read the project before its deletion would.
    for (const site of [deleted, other]) await post(running.port, site, 'a=1');
    const change = { project_id: deleted.project_id, notify: false, update_mask: ['notify'] };
    await call('forms.UpdateFormSettings', change, testCaller(deleted.org_id));
    const settings = () => call('forms.GetFormSettings', { project_id: deleted.project_id }, testCaller(deleted.org_id));
    await sweepDeletedProjects();
    expect([(await storedSubmissions(deleted)).length, (await settings()).settings?.notify]).toEqual([1, false]);
    await sweepDeletedProjects(inHalfAnHour());
    expect([await storedSubmissions(deleted), (await storedSubmissions(other)).length]).toEqual([[], 1]);
    expect((await settings()).settings?.notify).toBe(true);
  });

  test('a deleted project is swept once', async () => {
    const site = newSite();
    await deleteProject(site);
    await sweepDeletedProjects(inHalfAnHour());
    await post(running.port, site, 'a=1');
    await sweepDeletedProjects(inHalfAnHour());
    expect(await storedSubmissions(site)).toHaveLength(1);
  });
});

describe('on project moved', () => {
  const running = useForms();

  async function tellMoved({ org_id, project_id }: TestSite): Promise<void> {
    const type = 'internal.project.moved';
    const event = { id: randomUUID(), type, timestamp: new Date().toISOString(), org_id, api_version: 'v1', data: { project_id } };
    await put(running.stream, type, [JSON.stringify(event)]);
    await quiet(running.stream, 'sites-on-project-moved');
  }

  /** A caller with the role of the client's user. */
  const clientOf = ({ org_id, client_id: user_id }: TestSite) => {
    const principal: Principal = { ...testCaller(org_id).principal, kind: 'session', role: 'client', user_id };
    return testCaller(org_id, { principal });
  };

  test('the submissions and settings of a project are those of the client who has it now, and no other project moves', async () => {
    const site = newSite();
    const other = newSite({ org_id: site.org_id });
    for (const each of [site, other]) {
      await post(running.port, each, 'a=1');
      const silent = { project_id: each.project_id, notify: false, update_mask: ['notify'] };
      await call('forms.UpdateFormSettings', silent, testCaller(site.org_id));
      await publishedEvents(running.stream, each);
    }
    site.client_id = randomUUID();
    await tellMoved(site);
    for (const each of [site, other]) {
      const [caller, project_id] = [clientOf(each), each.project_id];
      expect((await call('forms.ListSubmissions', { project_id, limit: 50, offset: 0 }, caller)).total).toBe(1);
      expect((await call('forms.GetFormSettings', { project_id }, caller)).settings?.notify).toBe(false);
    }
  });

  test('a project that is deleted meanwhile is passed over', async () => {
    const [deleted, site] = [newSite({ deleted: true }), newSite()];
    await post(running.port, site, 'a=1');
    await tellMoved(deleted);
    site.client_id = randomUUID();
    await tellMoved(site);
    expect((await call('forms.ListForms', { project_id: site.project_id }, clientOf(site))).total).toBe(1);
  });
});

describe('on site changed', () => {
  const running = useForms();

  test('without a browser the events of published sites end, so that they do not stay on the stream for ever', async () => {
    const { org_id, project_id, name } = newSite();
    const type = 'internal.site.changed';
    const event = { id: randomUUID(), type, timestamp: new Date().toISOString(), org_id, api_version: 'v1', data: { project_id, name } };
    onSiteChanged(undefined);
    await put(running.stream, type, [JSON.stringify(event)]);
    await quiet(running.stream, 'sites-on-site-changed', undefined, type);
  });
});
