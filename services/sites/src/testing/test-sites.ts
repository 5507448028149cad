import { randomUUID } from 'node:crypto';
import { AppError } from '@webkiln/contract';
import type { Runs } from '@webkiln/rpc/testing';

/** A published site, as projects-templates would answer for it. */
export interface TestSite {
  readonly name: string;
  /** Of the project; the site's name unless said otherwise. */
  readonly title: string;
  readonly org_id: string;
  readonly project_id: string;
  readonly client_id: string;
  suspended: boolean;
  /** projects-templates does not know it any more. */
  gone: boolean;
}

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
    gone: false,
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

/** What projects-templates answers about these sites. */
export const projectsRuns: Runs = {
  'sites.ResolveSite': async ({ name }) => {
    const site = sites.get(name);
    return site === undefined ? { found: false } : { ...site, found: true, deploy_id: 'deploy', files: [] };
  },
  'projects.GetProject': async ({ project_id }, { principal }) => {
    const site = [...sites.values()].find((each) => each.project_id === project_id && each.org_id === principal.org_id);
    const isOwn = principal.user_id === undefined || principal.user_id === site?.client_id;
    if (site === undefined || site.gone || !isOwn) throw new AppError('project_not_found');
    return { project: projectOf(site) };
  },
};

/** What clients-plans answers about their clients. */
export const clientsRuns: Runs = {
  'clients.GetClient': async ({ client_id: id }) => {
    const site = [...sites.values()].find(({ client_id }) => client_id === id);
    if (site === undefined) throw new AppError('client_not_found');
    return { client: { id, email: clientEmail(site), status: 'active', payment_status: 'none', created_at: '2026-03-01T00:00:00.000Z' } };
  },
};

/** What identity answers about their organizations. */
export const identityRuns: Runs = {
  'identity.GetBrand': async () => ({ brand: { name: 'Harbour Studio', sender_name: 'Ines of Harbour' } }),
};

export const clientEmail = ({ client_id }: Pick<TestSite, 'client_id'>) => `${client_id}@example.com`;
