import type { Client, Language } from '@webkiln/contract';
import { consume, consumerOf } from '@webkiln/events';
import { brandedMail, type Mail, type Mailbox, type Mailer, mailConsumption, messageIdFor, plainName } from '@webkiln/mail';
import type { EventEnvelope, MonthlyReport } from '@webkiln/messages';
import { call, type IncomingReply } from '@webkiln/rpc';
import { projectUnlessDeleted } from '../forms/project-for.ts';
import { asService, brandFor } from '../forms/recipients/form-mails.ts';
import { clientOf, isOfJoined } from '../forms/recipients/recipient.ts';
import { countReceived } from '../forms/submissions/submission-store.ts';
import { texts } from '../texts.ts';

interface Options {
  readonly mailer: Mailer;
  readonly from: Mailbox;
  /** The platform's public URL, without a trailing slash. */
  readonly origin: string;
}

/** Mails clients what was visited of their sites in a month. Retries reuse the Message-ID. */
export function onReportDue(options: Options): void {
  const atLeastOnceHandler = (event: EventEnvelope<'internal.report.due'>) => send(options, event);
  consume({ ...consumerOf('sites-monthly-report'), ...mailConsumption, atLeastOnceHandler });
}

async function send({ mailer, from, origin }: Options, { org_id, timestamp, data }: EventEnvelope<'internal.report.due'>): Promise<void> {
  const service = asService(org_id);
  const sites = await publishedSites(org_id, data);
  const project = sites[0]?.project;
  if (project === undefined || project.org_client_id === null) return;
  const client = await clientOf(service, project.org_client_id);
  if (client === null || client.status === 'suspended' || client.status === 'churned') return;
  const { agrees, token } = await call('identity.GetReportConsent', { client_id: client.id }, service);
  if (!agrees) return;
  const counted = await Promise.all(
    sites.map(async ({ project: { id }, ...site }) => ({ ...site, messages: await countReceived({ org_id }, id, data.month) })),
  );
  const envelope = {
    ...{ org_id, from, origin, ...(await brandFor(org_id, client.email)), client, month: data.month, date: new Date(timestamp) },
    id: `${data.user_id}.${data.month}`,
    url: `${origin}/report-mails?token=${token}`,
  };
  await mailer.send({ ...reportMail(counted, envelope), isOfJoined: await isOfJoined(service, project) });
}

/** The sites of the report that are still the user's and published. */
async function publishedSites(org_id: string, { user_id, sites }: MonthlyReport) {
  const found = await Promise.all(
    sites.map(async (site) => ({ ...site, project: await projectUnlessDeleted(asService(org_id), site.project_id) })),
  );
  return found.flatMap(({ project, ...site }) =>
    project?.user_id === user_id && project.published_url !== null ? [{ ...site, project, name: project.name }] : [],
  );
}

interface ReportedSite extends Omit<MonthlyReport['sites'][number], 'project_id'> {
  readonly name: string;
  /** What visitors sent by its forms. */
  readonly messages: number;
}

interface Envelope {
  readonly org_id: string;
  readonly from: Mailbox;
  /** The platform's public URL, without a trailing slash. */
  readonly origin: string;
  readonly brand: NonNullable<IncomingReply<'identity.GetBrand'>['brand']>;
  readonly language: Language;
  readonly client: Pick<Client, 'email' | 'name'>;
  /** `2026-10` */
  readonly month: string;
  readonly date: Date;
  /** The same on every attempt. */
  readonly id: string;
  /** The page where the recipient ends these mails. */
  readonly url: string;
}

const maxPathLength = 80;

/** What was visited of a client's sites in a month, in words and in the organization's brand. */
function reportMail(sites: readonly ReportedSite[], { org_id, from, origin, brand, language, client, ...envelope }: Envelope): Mail {
  const { month: started, date, id, url } = envelope;
  const t = texts[language].report;
  const agency = plainName(brand.name);
  const month = new Intl.DateTimeFormat(language, { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(new Date(`${started}-01`));
  const title = sites.length === 1 ? plainName(sites[0]?.name ?? '') : t.yourWebsites;
  const template = {
    language,
    ...(client.name !== null && { name: client.name }),
    paragraphs: [t.text({ title, month }), ...sites.map((site) => siteText(site, sites.length > 1, language))],
    link: { label: t.button, url: `${origin}/analytics` },
    closing: [brand.contact_email ? t.askContact({ address: brand.contact_email }) : t.ask({ agency }), t.unsubscribe({ url })],
  };
  return {
    ...{ org_id, purpose: 'report', date, unsubscribeUrl: url, messageId: messageIdFor(`report.${id}`, from) },
    ...brandedMail(brand, from, origin, template),
    to: { name: client.name ?? '', address: client.email },
    subject: t.subject({ month, title }),
  };
}

function siteText(site: ReportedSite, isNamed: boolean, language: Language): string {
  const { name, views, pages, messages } = site;
  const t = texts[language].report;
  const pageText = (path: string) => (path === '/' ? t.firstPage : shortened(plainName(path)));
  const lines = [
    t.summary({ visits: t.visits({ count: site.visitors }), pages: t.pages({ count: views }), change: changeText(site, language) }),
    ...(pages.length === 0 ? [] : [t.topPages({ pages: pages.map(pageText).join(', ') })]),
    t.messages({ count: messages }),
  ];
  return (isNamed ? [t.site({ name: plainName(name) }), ...lines] : lines).join('\n');
}

/** The difference in words: "a third" would be a guess, a percentage of few visits is none. */
function changeText({ visitors, visitors_before: before }: ReportedSite, language: Language): string {
  const t = texts[language].report.change;
  if (before === 0) return t.none;
  if (visitors === before) return t.same;
  const count = Math.abs(visitors - before);
  return visitors > before ? t.more({ count }) : t.fewer({ count });
}

const shortened = (path: string) => (path.length > maxPathLength ? `${path.slice(0, maxPathLength)}…` : path);
