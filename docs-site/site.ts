import { decisions, guide, otherGuides } from './guides.ts';
import { type Group, type Page, pagesOf } from './page.ts';
import { referenceGroup } from './reference/reference.ts';

const groups = {
  'The API': [
    'sdk',
    'authentication',
    'keys',
    'permissions',
    'errors',
    'paging',
    'idempotency',
    'concurrency',
    'limits',
    'webhooks',
    'versioning',
  ],
  Agents: ['agents', 'mcp', 'oauth'],
  'Websites and clients': ['accounts', 'sites', 'builder', 'composer', 'chat', 'embedding', 'analytics', 'payments', 'credits', 'models'],
  'For operators': [
    'operations',
    'settings',
    'alerts',
    'compose',
    'kubernetes',
    'images',
    'secrets',
    'transport-security',
    'backup',
    'upgrades',
    'scale',
    'reliability',
  ],
  'For contributors': ['architecture', 'security', 'dashboard', 'performance', 'glossary'],
};
/** What users read is open; what operators and contributors read is closed. */
const closed = new Set(['For operators', 'For contributors']);

/** The menu with every page in its order. A guide that no group names is at the end of "The API". */
export function menu(): readonly (Page | Group)[] {
  const named = new Set(['README', ...Object.values(groups).flat()]);
  const guideGroups = Object.entries(groups).map(([label, names]): Group => {
    const pages: (Page | Group)[] = [...names, ...(label === 'The API' ? otherGuides(named) : [])].flatMap((name) => guide(name) ?? []);
    if (label === 'For contributors') pages.push(decisions());
    return { label, isOpen: !closed.has(label), items: pages };
  });
  const [start] = guide('README') ?? [];
  if (start === undefined) throw new Error('docs/README.md, the start page, is missing');
  const [api, ...others] = guideGroups;
  return [{ ...start, path: '', label: 'Introduction' }, ...(api === undefined ? [] : [api]), referenceGroup(), ...others];
}

export const pages = (): Page[] => pagesOf(menu());
