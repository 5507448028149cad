import type { Client } from '@webkiln/contract';
import { consume, consumerOf } from '@webkiln/events';
import { brandedMail, type Mail, type Mailbox, type Mailer, mailConsumption, messageIdFor, plainName } from '@webkiln/mail';
import type { EventEnvelope, MonthlyReport } from '@webkiln/messages';
import { call, type IncomingReply } from '@webkiln/rpc';
import { projectUnlessDeleted } from '../forms/project-for.ts';
import { asService, brandOf } from '../forms/recipients/form-mails.ts';
import { clientOf, isOfJoined } from '../forms/recipients/recipient.ts';
import { countReceived } from '../forms/submissions/submission-store.ts';

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
    ...{ org_id, from, origin, brand: await brandOf(org_id), client, month: data.month, date: new Date(timestamp) },
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
  readonly client: Pick<Client, 'email' | 'name'>;
  /** `2026-10` */
  readonly month: string;
  readonly date: Date;
  /** The same on every attempt. */
  readonly id: string;
  /** The page where the recipient ends these mails. */
  readonly url: string;
}

const monthName = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });
const number = new Intl.NumberFormat('en');
const maxPathLength = 80;

/** What was visited of a client's sites in a month, in words and in the organization's brand. */
function reportMail(sites: readonly ReportedSite[], { org_id, from, origin, brand, client, ...envelope }: Envelope): Mail {
  const { month, date, id, url } = envelope;
  const agency = plainName(brand.name);
  const name = monthName.format(new Date(`${month}-01`));
  const title = sites.length === 1 ? plainName(sites[0]?.name ?? '') : 'your websites';
  const ask = brand.contact_email
    ? `Do you have a question, or a wish for your website? Reply to this mail, or write to ${brand.contact_email}.`
    : `Do you have a question, or a wish for your website? Ask ${agency}.`;
  const template = {
    greeting: client.name === null ? 'Hello,' : `Hello ${plainName(client.name)},`,
    paragraphs: [`Here is what happened on ${title} in ${name}.`, ...sites.map((site) => siteText(site, sites.length > 1))],
    link: { label: 'See all figures', url: `${origin}/analytics` },
    closing: [ask, `You no longer want this report? ${url}`],
  };
  return {
    ...{ org_id, purpose: 'report', date, unsubscribeUrl: url, messageId: messageIdFor(`report.${id}`, from) },
    ...brandedMail(brand, from, origin, template),
    to: { name: client.name ?? '', address: client.email },
    subject: `${name}: ${title}`,
  };
}

function siteText({ name, views, visitors, visitors_before, pages, messages }: ReportedSite, isNamed: boolean): string {
  const lines = [
    `${counted(visitors, 'visit')}, with ${counted(views, 'page')} viewed${changeText(visitors, visitors_before)}.`,
    ...(pages.length === 0 ? [] : [`Viewed most: ${pages.map(pageText).join(', ')}.`]),
    messages === 0 ? 'Nobody wrote to you by a form.' : `You received ${counted(messages, 'message')} by your forms.`,
  ];
  return (isNamed ? [`${plainName(name)}:`, ...lines] : lines).join('\n');
}

const counted = (count: number, noun: string) => `${number.format(count)} ${noun}${count === 1 ? '' : 's'}`;

/** The difference in words: "a third" would be a guess, a percentage of few visits is none. */
function changeText(visits: number, before: number): string {
  if (before === 0) return ', after none in the month before';
  if (visits === before) return ', as many as in the month before';
  return `: ${number.format(Math.abs(visits - before))} ${visits > before ? 'more' : 'fewer'} than in the month before`;
}

const pageText = (path: string) => (path === '/' ? 'the first page' : shortened(plainName(path)));
const shortened = (path: string) => (path.length > maxPathLength ? `${path.slice(0, maxPathLength)}…` : path);
