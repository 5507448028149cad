import { accessTo, accessToRpc, permissionsOf, refusalOf } from './access.ts';
import type { Operation } from './operation.ts';
import { operations } from './operations.ts';
import { type SessionRole, sessionRoles } from './roles.ts';

const everyMember: readonly SessionRole[] = ['owner', 'admin', 'developer', 'viewer'];
const builders: readonly SessionRole[] = ['owner', 'admin', 'developer'];
const managers: readonly SessionRole[] = ['owner', 'admin'];
const usual = ({ permission }: Operation) => (permission === 'read' ? everyMember : builders);

/** Every operation whose access differs from the default for its method. */
const particular: Readonly<Record<string, readonly SessionRole[] | 'anyone'>> = {
  createPlan: managers,
  updatePlan: managers,
  listProjects: [...everyMember, 'client'],
  getProject: [...everyMember, 'client'],
  updateProject: [...builders, 'client'],
  listProjectFiles: [...everyMember, 'client'],
  getProjectFile: [...everyMember, 'client'],
  listDomains: [...everyMember, 'client'],
  addDomain: [...builders, 'client'],
  verifyDomain: [...builders, 'client'],
  deleteDomain: [...builders, 'client'],
  exportProject: [...everyMember, 'client'],
  listRevisions: [...everyMember, 'client'],
  listRevisionFiles: [...everyMember, 'client'],
  getRevisionFile: [...everyMember, 'client'],
  restoreRevision: ['owner', 'admin', 'developer', 'client'],
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
  resendFormConfirmation: [...builders, 'client'],
  getAnalytics: [...everyMember, 'client'],
  listAudit: ['owner'],
  updateAgentAccess: ['owner'],
  listBuildLinks: builders,
  createBuildLink: builders,
  deleteBuildLink: builders,
  getCredits: builders,
  getModels: [...everyMember, 'client'],
  updateModels: managers,
  getUsage: builders,
  listRequests: builders,
  getSession: 'anyone',
  switchOrganization: 'anyone',
  openOrganization: 'anyone',
  listSessions: 'anyone',
  endSession: 'anyone',
  listPasskeys: 'anyone',
  renamePasskey: 'anyone',
  listAgents: 'anyone',
  disconnectAgent: 'anyone',
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
  listEmbedSessions: builders,
  revokeEmbedSession: builders,
  getEmbedSession: [],
  startBuild: [...builders, 'client'],
  joinOrganization: 'anyone',
  sendChatMessage: [...builders, 'client'],
  stopChat: [...builders, 'client'],
  resumeChat: [...everyMember, 'client'],
  listChatMessages: [...everyMember, 'client'],
  changeMember: managers,
  removeMember: managers,
  listInvitations: managers,
  inviteMember: managers,
  withdrawInvitation: managers,
};

const session = (role: SessionRole | undefined) => ({ kind: 'session' as const, permissions: permissionsOf(role), role });

const matrix = Object.entries(operations).flatMap(([name, operation]) =>
  sessionRoles.map((role) => {
    const allowed = particular[name] ?? usual(operation);
    return [role, allowed === 'anyone' || allowed.includes(role) ? 'may' : 'may not', name] as const;
  }),
);

test.each(matrix)('%s %s %s', (role, may, name) => {
  const access = accessToRpc(operations[name]?.rpc ?? '');
  expect(refusalOf(session(role), access) === undefined ? 'may' : 'may not').toBe(may);
});

test.each(matrix)('an OAuth token of a person: %s %s %s, except where people only may', (role, may, name) => {
  const operation = operations[name] as Operation;
  const token = { kind: 'oauth_token' as const, permissions: permissionsOf(role), role };
  const refusal = refusalOf(token, accessTo(operation));
  if (operation.credential === 'session') expect(refusal).toBe('session_required');
  else expect(refusal === undefined ? 'may' : 'may not').toBe(may);
});

test('every operation that declares roles is in the table above', () => {
  const own = Object.entries(operations).filter(([, { roles }]) => roles !== undefined);
  expect(own.map(([name]) => name).filter((name) => !(name in particular))).toEqual([]);
});

test('an RPC serves one operation, so its access is declared once', () => {
  const rpcs = Object.values(operations).map(({ rpc }) => rpc);
  expect(new Set(rpcs).size).toBe(rpcs.length);
});

test('exactly the operations under /account are for sessions only', () => {
  for (const { path, credential } of Object.values(operations)) expect(credential === 'session').toBe(path.startsWith('/account/'));
});

test('a session without a role may call exactly the operations for anyone', () => {
  expect(refusalOf(session(undefined), accessTo({ roles: 'anyone', permission: 'read' }))).toBeUndefined();
  expect(refusalOf(session(undefined), accessTo({ permission: 'read' }))).toBe('role_missing');
});

const key = (permissions: readonly ('read' | 'write')[], role?: SessionRole) => ({ kind: 'api_key' as const, permissions, role });
const write = accessTo({ permission: 'write' });
const writePlans = accessTo({ permission: 'write', roles: ['owner'] });

test.each([
  [
    'session_required',
    'of an operation for people, whatever its permissions',
    key([]),
    accessTo({ permission: 'write', credential: 'session' }),
  ],
  ['permission_missing', 'without the permission, before its role is looked at', key(['read'], 'viewer'), writePlans],
  ['role_missing', 'whose creator had too small a role', key(['read', 'write'], 'admin'), writePlans],
  [undefined, 'with the permission and a sufficient role', key(['read', 'write'], 'owner'), writePlans],
  [undefined, 'with the permission that was made without a role', key(['read', 'write']), write],
] as const)('%s: a key %s', (refusal, _case, principal, access) => {
  expect(refusalOf(principal, access)).toBe(refusal);
});

test.each(['operator', 'service'] as const)('an %s is bound by no operation', (kind) => {
  for (const access of [undefined, write, accessTo({ permission: 'write', credential: 'session' })])
    expect(refusalOf({ kind, permissions: [] }, access)).toBeUndefined();
});

test('neither a session nor a key may call an RPC without an operation', () => {
  expect(refusalOf(session('owner'), undefined)).toBe('role_missing');
  expect(refusalOf(key(['read', 'write'], 'owner'), undefined)).toBe('permission_missing');
});

test('a service can read from another service on behalf of a write-only key', () => {
  expect(refusalOf(key(['write']), accessTo({ permission: 'read' }))).toBe('permission_missing');
  expect(refusalOf(key(['write']), accessToRpc('projects.GetProject'))).toBeUndefined();
});
