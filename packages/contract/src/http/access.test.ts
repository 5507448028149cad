import { accessTo, isAllowed, rolesOf } from './access.ts';
import type { Endpoint } from './endpoint.ts';
import { endpoints } from './endpoints.ts';
import { type SessionRole, sessionRoles } from './roles.ts';

const everyMember: readonly SessionRole[] = ['owner', 'admin', 'developer', 'viewer'];
const builders: readonly SessionRole[] = ['owner', 'admin', 'developer'];
const managers: readonly SessionRole[] = ['owner', 'admin'];
const usual = ({ permission }: Endpoint) => (permission === 'read' ? everyMember : builders);

/** Who may what is not as usual: every endpoint that says something of its own stands here. */
const particular: Readonly<Record<string, readonly SessionRole[] | 'anyone'>> = {
  createPlan: managers,
  updatePlan: managers,
  listProjects: [...everyMember, 'client'],
  getProject: [...everyMember, 'client'],
  updateProject: [...builders, 'client'],
  listProjectFiles: [...everyMember, 'client'],
  getProjectFile: [...everyMember, 'client'],
  publishProject: [...builders, 'client'],
  listDeploys: [...everyMember, 'client'],
  rollBackDeploy: [...builders, 'client'],
  getPreview: [...everyMember, 'client'],
  listForms: [...everyMember, 'client'],
  listSubmissions: [...everyMember, 'client'],
  updateSubmission: [...builders, 'client'],
  deleteSubmission: [...builders, 'client'],
  getFormSettings: [...everyMember, 'client'],
  updateFormSettings: [...builders, 'client'],
  getAnalytics: [...everyMember, 'client'],
  listAudit: ['owner'],
  getUsage: builders,
  listRequests: builders,
  getSession: 'anyone',
  switchOrganization: 'anyone',
  openOrganization: 'anyone',
  listSessions: 'anyone',
  endSession: 'anyone',
  listPasskeys: 'anyone',
  renamePasskey: 'anyone',
  acceptInvitation: 'anyone',
  updateOrganization: managers,
  listKeys: builders,
  createKey: builders,
  rotateKey: builders,
  revokeKey: builders,
  listEmbedClients: builders,
  createEmbedClient: builders,
  getEmbedClient: builders,
  updateEmbedClient: builders,
  rotateEmbedClient: builders,
  deleteEmbedClient: builders,
  changeMember: managers,
  removeMember: managers,
  listInvitations: managers,
  inviteMember: managers,
  withdrawInvitation: managers,
};

const matrix = Object.entries(endpoints).flatMap(([name, endpoint]) =>
  sessionRoles.map((role) => {
    const allowed = particular[name] ?? usual(endpoint);
    return [role, allowed === 'anyone' || allowed.includes(role) ? 'may' : 'may not', name] as const;
  }),
);

test.each(matrix)('%s %s %s', (role, may, name) => {
  const access = rolesOf(endpoints[name]?.rpc ?? '');
  expect(access !== undefined && isAllowed(access, role) ? 'may' : 'may not').toBe(may);
});

test('an endpoint with roles of its own stands in the table above', () => {
  const own = Object.entries(endpoints).filter(([, { roles }]) => roles !== undefined);
  expect(own.map(([name]) => name).filter((name) => !(name in particular))).toEqual([]);
});

test('an RPC serves one endpoint: who may is said once', () => {
  const rpcs = Object.values(endpoints).map(({ rpc }) => rpc);
  expect(new Set(rpcs).size).toBe(rpcs.length);
});

test('people’s endpoints are those under /account, and no others', () => {
  for (const { path, credential } of Object.values(endpoints)) expect(credential === 'session').toBe(path.startsWith('/account/'));
});

test('who has no role in an organization may what anyone may, and nothing else', () => {
  expect(isAllowed(accessTo({ roles: 'anyone', permission: 'read' }), undefined)).toBe(true);
  expect(isAllowed(accessTo({ permission: 'read' }), undefined)).toBe(false);
});
