import { createHash, randomUUID } from 'node:crypto';
import { AppError } from '@webkiln/contract';
import type { Runs } from '@webkiln/rpc/testing';
import type { ConsentState } from '../forms/recipients/recipient.ts';

/** A published site, as projects-templates would return it. */
export interface TestSite {
  readonly name: string;
  /** The project's name; the site's name by default. */
  readonly title: string;
  readonly org_id: string;
  readonly project_id: string;
  /** The client and its user. */
  client_id: string;
  suspended: boolean;
  /** The project was deleted. */
  deleted: boolean;
  /** The origin at which the site is now; empty while it is at `name`. */
  moved_to: string;
  /** Its pages, by the path of their file. */
  pages: Readonly<Record<string, string>>;
}

const fileOf = ([path, text]: readonly [string, string]) => {
  const sha256 = createHash('sha256').update(text).digest('hex');
  contents.set(sha256, text);
  return { path, sha256, size: Buffer.byteLength(text), content_type: 'text/html; charset=utf-8', encodings: [] };
};

/** The contents of the files of all sites, by their SHA-256. */
export const contents = new Map<string, string>();

const sites = new Map<string, TestSite>();

export function newSite(more: Partial<TestSite> = {}): TestSite {
  const name = `site-${randomUUID().slice(0, 8)}`;
  const site = {
    name,
    title: name,
    org_id: randomUUID(),
    project_id: randomUUID(),
    client_id: randomUUID(),
    suspended: false,
    deleted: false,
    moved_to: '',
    pages: {},
    ...more,
  };
  sites.set(name, site);
  return site;
}

const projectOf = ({ name, title, org_id, project_id: id, client_id }: TestSite) => ({
  ...{ id, org_id, user_id: client_id, org_client_id: client_id, name: title, status: 'active', subdomain: name },
  published_url: `https://${name}.sites.test`,
  created_at: '2026-03-01T00:00:00.000Z',
  updated_at: '2026-03-01T00:00:00.000Z',
});

/** Handlers of a fake projects-templates that knows these sites. */
export const projectsHandlers: Runs = {
  'sites.ResolveSite': async ({ name }) => {
    const site = sites.get(name);
    return site === undefined
      ? { found: false }
      : { ...site, found: site.moved_to === '', deploy_id: 'deploy', files: Object.entries(site.pages).map(fileOf) };
  },
  'projects.GetProject': async ({ project_id }, { principal }) => {
    const site = [...sites.values()].find((each) => each.project_id === project_id && each.org_id === principal.org_id);
    const isOwn = principal.user_id === undefined || principal.user_id === site?.client_id;
    if (site === undefined || site.deleted || !isOwn) throw new AppError('project_not_found');
    return { project: projectOf(site) };
  },
};

/** Handlers of a fake clients-plans that knows these sites. */
export const clientsHandlers: Runs = {
  'clients.GetClient': async ({ client_id: id }) => {
    const site = [...sites.values()].find(({ client_id }) => client_id === id);
    if (site === undefined) throw new AppError('client_not_found');
    return { client: { id, email: clientEmail(site), status: 'active', payment_status: 'none', created_at: '2026-03-01T00:00:00.000Z' } };
  },
  'clients.GetClientJoining': async () => ({}),
};

/** Answers of recipients; without one, clients receive form mails and others were not asked. */
export const consents = new Map<string, ConsentState>();

/** The clients that ended the monthly report. */
export const endedReports = new Set<string>();

/** Until when the callers that asked for consents wait, in epoch milliseconds. */
export const consentDeadlines: number[] = [];

/** Handlers of a fake identity that knows these sites. */
export const identityHandlers: Runs = {
  'identity.GetBrand': async () => ({ brand: { name: 'Harbour Studio', sender_name: 'Ines of Harbour' } }),
  'identity.GetMailConsent': async ({ recipient, is_clients }, { deadlineAt }) => {
    consentDeadlines.push(deadlineAt);
    return { state: consents.get(recipient) ?? (is_clients ? 'agreed' : 'unasked'), token: `token-of-${recipient}` };
  },
  'identity.GetReportConsent': async ({ client_id }) => ({ agrees: !endedReports.has(client_id), token: `token-of-${client_id}` }),
  'identity.CheckMailQuota': async () => ({}),
};

export const clientEmail = ({ client_id }: Pick<TestSite, 'client_id'>) => `${client_id}@example.com`;
