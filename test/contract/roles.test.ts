import { randomUUID } from 'node:crypto';
import { agentScopes, keyAreas, type Operation, operations, type Permission } from '@webkiln/contract';
import { agency, eventually } from '../harness/agency.ts';
import { Api } from '../harness/api.ts';
import { connectedAgent } from '../harness/connected-agent.ts';
import { Person } from '../harness/person.ts';
import { clientUser, personWithoutOrganization, team } from '../harness/team.ts';
import { activeClient, makeProject } from './fixtures.ts';

const everyMember = 'owner admin developer viewer';
const readingKeys = 'reading-key full-key';
const writingKeys = 'writing-key full-key';
/** Keys with the permission of one area alone, and one for the websites of a client. */
const areaKeys = keyAreas.map((area) => `${area}-key`).join(' ');

/**
 * Which callers each operation admits. It is written by hand: a change of access needs a change here too.
 * Plans carry prices: every member reads them, developers do not write them.
 * test/contract/account.test.ts proves that a key has no more permissions than its creator's role.
 */
const table: Readonly<Record<string, string>> = {
  [`${everyMember} ${readingKeys}`]: `
    listClients getClient getClientJoining getClientLimits listTemplates getTemplate listTemplateFiles getTemplateFile listPlans getPlan
    listWebhooks getWebhook listDeliveries getDelivery`,
  [`${everyMember} client ${readingKeys}`]: `
    listProjects getProject listProjectFiles getProjectFile getDraft getPreview
    listRevisions listRevisionFiles getRevisionFile listHistory listChanges exportProject listPictures
    listForms listSubmissions getFormSettings getAnalytics getVisits searchDocs`,
  // Tools that an agency keeps to itself unless it switches them on: the next test.
  [`client-key ${readingKeys} ${everyMember}`]: 'listDeploys',
  [`client-key ${writingKeys} owner admin developer`]: 'rollBackDeploy',
  [`owner admin developer ${writingKeys}`]: `
    undoAgentSession createClient updateClient resendInvitation createProject handOverProject deleteProject createTemplate updateTemplate deleteTemplate
    createWebhook updateWebhook deleteWebhook rotateWebhookSecret testWebhook retryDelivery retryDeliveries replayDeliveries`,
  [`owner admin developer client ${writingKeys}`]: `
    writeDraft writeProjectFile deleteProjectFile editText uploadPicture updatePicture deletePicture
    updateProject publishProject restoreRevision updateSubmission deleteSubmission updateFormSettings resendFormConfirmation`,
  [`owner admin ${writingKeys}`]: `
    createPlan updatePlan removeClient updateOrder
    openSubscription cancelSubscription pauseSubscription resumeSubscription changeSubscriptionPlan updateBillingDetails`,
  // Figures of money.
  [`owner admin ${readingKeys}`]: `
    listOrders getOrder listSubscriptions getSubscription getBillingDetails`,
  [`${everyMember} reading-key writing-key full-key client-key ${areaKeys}`]: 'getAccount',
  [`${everyMember} client nobody stranger`]: 'getSession',
  [`${everyMember} client nobody`]: `
    listSessions endSession switchOrganization openOrganization updateAccount acceptInvitation listPasskeys renamePasskey
    listAgents disconnectAgent joinOrganization`,
  [`${everyMember} client`]: 'getModels listDomains resumeChat listChatMessages listAgentQuestions answerAgentQuestion',
  'owner admin developer client': 'sendChatMessage stopChat addDomain verifyDomain deleteDomain startBuild',
  [everyMember]: 'getOrganization getLimits listMembers getAgentAccess',
  'owner admin developer': `
    listAgentSessions
    listKeys createKey updateKey rotateKey revokeKey getUsage listRequests
    createEmbedClient listEmbedClients getEmbedClient updateEmbedClient rotateEmbedClient deleteEmbedClient
    listEmbedSessions revokeEmbedSession getCredits listWebhookSecrets
    listBuildLinks createBuildLink deleteBuildLink`,
  client: 'getReportMails updateReportMails getOwnBilling cancelOwnSubscription changeOwnCard',
  // Embed tokens alone: test/contract/embedding.test.ts.
  'no-one': 'getEmbedSession',
  'owner admin':
    'getPaymentSettings updatePaymentSettings connectStripe disconnectStripe getRevenue updateBuildLink updateOrganization updateModels testModel changeMember removeMember listInvitations inviteMember resendMemberInvitation withdrawInvitation',
  owner: 'listAudit updateAgentAccess',
};
/** What an agent may within the role of its person; everything else is refused to it. */
const forAgents = new Set(
  `listClients getClient createClient updateClient resendInvitation
  listProjects getProject createProject updateProject deleteProject listProjectFiles getProjectFile getPreview exportProject
  publishProject listDeploys rollBackDeploy getDraft writeDraft writeProjectFile deleteProjectFile listRevisions listRevisionFiles getRevisionFile restoreRevision
  listTemplates getTemplate createTemplate updateTemplate deleteTemplate listTemplateFiles getTemplateFile
  listPlans getPlan createPlan updatePlan getAnalytics getVisits searchDocs sendChatMessage stopChat listChatMessages
  listDomains addDomain verifyDomain listForms listSubmissions getWebhook listWebhooks createWebhook updateWebhook deleteWebhook undoAgentSession`.split(
    /\s+/,
  ),
);
const allowedCallers = new Map(
  Object.entries(table).flatMap(([who, names]) =>
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, who] as const),
  ),
);

const foreignPage = { origin: 'https://elsewhere.example' };
/** Every kind of caller by its name in the table. `nobody` is signed in and belongs to no organization. */
let callers: Readonly<Record<string, () => Api>>;

beforeAll(async () => {
  const [people, nobody, ours] = await Promise.all([team(), personWithoutOrganization(), agency(undefined, { rateLimit: 10_000 })]);
  const { person: client } = await clientUser(people.owner);
  const makeKey = (name: string, fields: object) => keysOf(people.owner, { name, ...fields });
  const permissions = (...named: Permission[]) => ({ permissions: named });
  const { baseUrl, key } = ours.api;
  (await people.owner.api.patch('/account/agent-access', { can_build: true })).expect(200);
  const agents = { admin: await agentsOf(people.admin), viewer: await agentsOf(people.viewer) };
  const inBrowser = new Api(baseUrl, undefined, { ...people.owner.headers(), ...foreignPage });
  callers = {
    ...Object.fromEntries(Object.entries({ ...people, client, nobody }).map(([role, { api }]) => [role, () => api])),
    'reading-key': () => ours.readOnly,
    'writing-key': () => ours.writeOnly,
    'full-key': () => ours.api,
    ...Object.fromEntries(
      await Promise.all(keyAreas.map(async (area) => [`${area}-key`, await makeKey(area, permissions(area))] as const)),
    ),
    'client-key': await makeKey('client', { ...permissions('read', 'write'), client_id: (await activeClient(people.owner.api)).id }),
    'project-key': await makeKey('project', { ...permissions('read', 'write'), project_id: (await makeProject(people.owner.api)).id }),
    // An agent may what its consent page names, within the role of its person.
    'agent-of-admin': agents.admin,
    'agent-of-viewer': agents.viewer,
    // Each request comes from a new client address, because requests without a credential are limited by address.
    stranger: () => new Person().api,
    'foreign-page': () => inBrowser,
    'foreign-page-with-key': () => new Api(baseUrl, key, foreignPage),
  };
});

/** A person's agents, in turn: one may ask 100 times a minute, and there are more operations. */
const agentsOf = async (person: Person) =>
  inTurn((await Promise.all([1, 2].map(() => connectedAgent(person, { scope })))).map(({ api }) => api));
const scope = agentScopes.join(' ');

/** Two keys of a member with these fields, in turn for the same reason. */
async function keysOf({ api }: Person, fields: object): Promise<() => Api> {
  const made = await Promise.all([1, 2].map(async () => (await api.post('/account/keys', fields)).expect(201).body.secret as string));
  return inTurn(made.map((secret) => new Api(api.baseUrl, secret)));
}

function inTurn(apis: readonly Api[]): () => Api {
  let asked = 0;
  return () => apis[asked++ % apis.length] as Api;
}

/** Asks for unknown records with an empty body, so that nothing changes; returns the status and the error code. */
async function ask(api: Api, { method, path }: Operation) {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_whole, name) => (name === 'path' ? 'index.html' : randomUUID()));
  const body = method !== 'GET' && method !== 'DELETE' ? { body: '{}', headers: { 'content-type': 'application/json' } } : {};
  const response = await api.raw(filled, { method, ...body });
  const { code } = (await response.json()) as { code?: string };
  return `${response.status} ${code}`;
}

const refusals: Readonly<Record<string, string>> = {
  stranger: '401 missing_credential',
  'foreign-page': '403 foreign_page',
  'foreign-page-with-key': '403 browser_key',
};

function refusalOf(caller: string, name: string, { credential, isAgencyTool, roles }: Operation): string {
  if (caller === 'client' && isAgencyTool === true) return '403 agency_tools_off';
  if (caller in refusals) return refusals[caller] ?? '';
  if (isAgent(caller) && credential === 'session') return '403 session_required';
  if (isAgent(caller) && !forAgents.has(name)) return '403 oauth_token_refused';
  if (!caller.endsWith('-key')) return '403 role_missing';
  if (credential === 'person') return '403 person_required';
  if (credential === 'session') return '403 session_required';
  if (caller === 'project-key') return '403 project_restricted';
  return caller === 'client-key' && !roles?.includes('client' as never) ? '403 key_restricted' : '403 permission_missing';
}

/** True for a key that the operation admits by what is declared of it: its area, its project, or what clients may. */
function isDeclared(caller: string, allowed: readonly string[], operation: Operation): boolean {
  const { area } = operation;
  if (caller === 'project-key') return isOfProject(operation) && allowed.includes('full-key');
  if (caller === 'client-key') return allowed.includes('client') && allowed.includes('full-key');
  return area !== undefined && caller === `${area}-key`;
}

const isOfProject = ({ path, method, input, narrows, credential }: Operation): boolean =>
  path.includes('{projectId}') || narrows === true || credential === 'anyKey' || (method === 'GET' && 'project_id' in (input?.shape ?? {}));

const agentPrefix = 'agent-of-';
const isAgent = (caller: string) => caller.startsWith(agentPrefix);
const personOf = (caller: string) => caller.slice(agentPrefix.length);

test('the table contains every operation once, and nothing else', () => {
  const named = Object.values(table).flatMap((names) => names.trim().split(/\s+/));
  expect(named.toSorted()).toEqual(Object.keys(operations).toSorted());
});

test.each(Object.entries(operations))('%s: admits exactly the callers in the table, and refuses all others', async (name, operation) => {
  const allowed = allowedCallers.get(name)?.split(' ') ?? [];
  const expected: string[] = [];
  const actual: string[] = [];
  for (const [caller, api] of Object.entries(callers)) {
    const answer = await ask(api(), operation);
    const refused = refusalOf(caller, name, operation);
    const isAdmitted = /^(2\d\d|400|404|409) /.test(answer);
    const isNamed = isAgent(caller) ? forAgents.has(name) && allowed.includes(personOf(caller)) : allowed.includes(caller);
    const isAllowed = isNamed || isDeclared(caller, allowed, operation);
    expected.push(`${caller}: ${isAllowed ? 'may' : refused}`);
    actual.push(`${caller}: ${isAdmitted ? 'may' : answer}`);
  }
  expect(actual).toEqual(expected);
});

test('a client lists and rolls back deploys, and archives, only while its agency lets clients use its tools', async () => {
  const { owner: boss } = await team();
  const { person, client } = await clientUser(boss);
  const { project } = (await boss.api.post('/projects', { client_email: client.email, name: 'Bakery' })).expect(201).body;
  const path = `/projects/${project.id}`;
  const publish = (text: string) => person.api.post(`${path}/publish`, { builtFiles: { 'index.html': text } });
  const first = (await publish('one')).expect(200).body.deployId;
  (await publish('two')).expect(200);
  const tools = [
    () => person.api.get(`${path}/deploys`),
    () => person.api.post(`${path}/deploys/${first}/rollback`),
    () => person.api.patch(path, { status: 'archived' }),
  ];
  for (const use of tools) (await use()).expect(403, 'agency_tools_off');
  (await person.api.patch(path, { name: 'Bread' })).expect(200);
  (await boss.api.patch('/account/organization', { client_tools: true })).expect(200);
  await eventually(async () => (await person.api.get(`${path}/deploys`)).expect(200));
  for (const use of tools) (await use()).expect(200);
});
