import { randomUUID } from 'node:crypto';
import { type Endpoint, endpoints } from '@webkiln/contract';
import { agency } from '../harness/agency.ts';
import { Api } from '../harness/api.ts';
import { Person } from '../harness/person.ts';
import { clientsUser, loner, team } from '../harness/team.ts';

const everyMember = 'owner admin developer viewer';
const readingKeys = 'reading-key full-key';
const writingKeys = 'writing-key full-key';

/**
 * Who may what, written by hand: a change of what an endpoint says is to be said here, too. There is no billing yet; plans, which have prices,
 * are everybody's to read and no developer's to write. A developer's key may no more than he: test/contract/account.test.ts.
 */
const table: Readonly<Record<string, string>> = {
  [`${everyMember} ${readingKeys}`]: `
    listClients getClient listTemplates getTemplate listTemplateFiles getTemplateFile listPlans getPlan
    listWebhooks getWebhook listDeliveries`,
  [`${everyMember} client ${readingKeys}`]: `
    listProjects getProject listProjectFiles getProjectFile listDeploys getPreview
    listForms listSubmissions getFormSettings getAnalytics`,
  [`owner admin developer ${writingKeys}`]: `
    createClient updateClient resendInvitation createProject deleteProject createTemplate updateTemplate deleteTemplate
    createWebhook updateWebhook deleteWebhook rotateWebhookSecret testWebhook retryDelivery replayDeliveries`,
  [`owner admin developer client ${writingKeys}`]: `
    updateProject publishProject rollBackDeploy updateSubmission deleteSubmission updateFormSettings`,
  [`owner admin ${writingKeys}`]: 'createPlan updatePlan',
  [`${everyMember} client nobody`]: `
    getSession listSessions endSession switchOrganization openOrganization acceptInvitation listPasskeys renamePasskey`,
  [everyMember]: 'getOrganization listMembers',
  'owner admin developer': `
    listKeys createKey rotateKey revokeKey getUsage listRequests
    createEmbedClient listEmbedClients getEmbedClient updateEmbedClient rotateEmbedClient deleteEmbedClient`,
  'owner admin': 'updateOrganization changeMember removeMember listInvitations inviteMember withdrawInvitation',
  owner: 'listAudit',
};
const whoMay = new Map(
  Object.entries(table).flatMap(([who, names]) =>
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, who] as const),
  ),
);

const foreignPage = { origin: 'https://elsewhere.example' };
/** Everybody there is, by what he is: `nobody` is signed in and belongs to no organization. */
let callers: Readonly<Record<string, () => Api>>;

beforeAll(async () => {
  const [people, nobody, ours] = await Promise.all([team(), loner(), agency(undefined, { rateLimit: 10_000 })]);
  const { person: client } = await clientsUser(people.owner);
  const { baseUrl, key } = ours.api;
  const inBrowser = new Api(baseUrl, undefined, { ...people.owner.headers(), ...foreignPage });
  callers = {
    ...Object.fromEntries(Object.entries({ ...people, client, nobody }).map(([role, { api }]) => [role, () => api])),
    'reading-key': () => ours.readOnly,
    'writing-key': () => ours.writeOnly,
    'full-key': () => ours.api,
    // Of an address of his own each time: there is a limit to what one may ask.
    stranger: () => new Person().api,
    'foreign-page': () => inBrowser,
    'foreign-page-with-key': () => new Api(baseUrl, key, foreignPage),
  };
});

/** A request that would be let in, and nothing more: it names records that there are not, and wants nothing. */
async function ask(api: Api, { method, path }: Endpoint) {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_whole, name) => (name === 'path' ? 'index.html' : randomUUID()));
  const body = method === 'POST' || method === 'PATCH' ? { body: '{}', headers: { 'content-type': 'application/json' } } : {};
  const response = await api.raw(filled, { method, ...body });
  const { code } = (await response.json()) as { code?: string };
  return `${response.status} ${code}`;
}

const refusals: Readonly<Record<string, string>> = {
  stranger: '401 missing_credential',
  'foreign-page': '403 foreign_page',
  'foreign-page-with-key': '403 browser_key',
};

function refusalOf(caller: string, { credential }: Endpoint): string {
  if (caller in refusals) return refusals[caller] ?? '';
  if (!caller.endsWith('-key')) return '403 role_missing';
  return credential === 'session' ? '403 session_required' : '403 permission_missing';
}

test('every endpoint stands in the table, once, and nothing else does', () => {
  const named = Object.values(table).flatMap((names) => names.trim().split(/\s+/));
  expect(named.toSorted()).toEqual(Object.keys(endpoints).toSorted());
});

test.each(Object.entries(endpoints))('%s is for whom the table says, and refused to all others', async (name, endpoint) => {
  const may = whoMay.get(name)?.split(' ') ?? [];
  const expected: string[] = [];
  const met: string[] = [];
  for (const [caller, api] of Object.entries(callers)) {
    const answer = await ask(api(), endpoint);
    const refused = refusalOf(caller, endpoint);
    const isLetIn = /^(2\d\d|400|404|409) /.test(answer);
    expected.push(`${caller}: ${may.includes(caller) ? 'may' : refused}`);
    met.push(`${caller}: ${isLetIn ? 'may' : answer}`);
  }
  expect(met).toEqual(expected);
});
