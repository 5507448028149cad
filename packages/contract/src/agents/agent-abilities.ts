/**
 * The OAuth scopes, narrowest first. Every token may do what `mcp:read` names. `mcp` is what clients ask for by
 * themselves; an owner must have opened the scopes after it.
 */
export const agentScopes = ['mcp:read', 'mcp', 'mcp:forms', 'mcp:build', 'mcp:publish', 'mcp:webhooks'] as const;
export type AgentScope = (typeof agentScopes)[number];

export const baseScope = 'mcp:read';
export const defaultScope = 'mcp';
export const isAgentScope = (scope: string): scope is AgentScope => (agentScopes as readonly string[]).includes(scope);

/** True for a scope that is worth nothing until an owner lets agents build and publish. */
export const needsOpening = (scope: AgentScope): boolean => scope !== baseScope && scope !== defaultScope;

export type AbilityId =
  | 'see_organization'
  | 'see_projects'
  | 'manage'
  | 'change_projects'
  | 'change_plans'
  | 'see_forms'
  | 'build'
  | 'see_builder'
  | 'undo'
  | 'publish'
  | 'see_domains'
  | 'see_webhooks'
  | 'webhooks';

/** One line of what an agent may do for its person, and the operations that the person allows with it. */
interface AgentAbility {
  /** By which the consent page finds the line in its language. */
  readonly id: AbilityId;
  readonly scope: AgentScope;
  /** In English, as the consent page shows it after "It will be able to" to a person who may run the operations. */
  readonly line: string;
  /** The operations' names: `listProjects`. The same roles may run all of one line, so that it is true or not shown. */
  readonly operations: readonly string[];
}

/**
 * What an agent with an OAuth token may do, and nothing else: the access to operations, the scopes of tools, the
 * consent page and the table in docs/oauth.md are made of it. An operation that is not here is refused to every agent,
 * whatever its person may do.
 */
export const agentAbilities: readonly AgentAbility[] = [
  {
    id: 'see_organization',
    scope: 'mcp:read',
    line: 'See the clients, templates and plans of the organization',
    operations: [
      ...['listClients', 'getClient', 'listTemplates', 'getTemplate', 'listTemplateFiles', 'getTemplateFile', 'listPlans', 'getPlan'],
    ],
  },
  {
    id: 'see_projects',
    scope: 'mcp:read',
    line: 'See and export your projects, with their files, earlier versions and visitor numbers',
    operations: [
      ...['listProjects', 'getProject', 'getPreview', 'listProjectFiles', 'getProjectFile', 'getDraft', 'exportProject', 'listDeploys'],
      ...['listRevisions', 'listRevisionFiles', 'getRevisionFile', 'getAnalytics', 'getVisits'],
      // Everybody may read the guides.
      'searchDocs',
    ],
  },
  {
    id: 'manage',
    scope: 'mcp',
    line: 'Invite and change clients, create and delete projects, and create, change and delete templates',
    operations: [
      ...['createClient', 'updateClient', 'resendInvitation', 'createProject', 'deleteProject'],
      ...['createTemplate', 'updateTemplate', 'deleteTemplate'],
    ],
  },
  {
    id: 'change_projects',
    scope: 'mcp',
    line: 'Change your projects, and bring back earlier versions of their drafts',
    operations: ['updateProject', 'restoreRevision'],
  },
  {
    id: 'change_plans',
    scope: 'mcp',
    line: 'Create and change plans with their prices',
    operations: ['createPlan', 'updatePlan'],
  },
  {
    id: 'see_forms',
    scope: 'mcp:forms',
    line: 'Read what visitors sent by the forms of your projects',
    operations: ['listForms', 'listSubmissions'],
  },
  {
    id: 'build',
    scope: 'mcp:build',
    line: 'Write and delete files of your projects, and have the builder change them, which spends credits',
    operations: ['writeDraft', 'writeProjectFile', 'deleteProjectFile', 'sendChatMessage', 'stopChat'],
  },
  { id: 'see_builder', scope: 'mcp:build', line: 'Read the conversations with the builder', operations: ['listChatMessages'] },
  {
    id: 'undo',
    scope: 'mcp:build',
    line: 'Take back what it changed here itself, which deletes what it created',
    operations: ['undoAgentSession'],
  },
  {
    id: 'publish',
    scope: 'mcp:publish',
    line: 'Publish your projects, go back to what was live before, and connect domains',
    operations: ['publishProject', 'rollBackDeploy', 'addDomain', 'verifyDomain'],
  },
  { id: 'see_domains', scope: 'mcp:publish', line: 'See the domains of your projects', operations: ['listDomains'] },
  {
    id: 'see_webhooks',
    scope: 'mcp:webhooks',
    line: 'See the servers that events are sent to',
    operations: ['listWebhooks', 'getWebhook'],
  },
  {
    id: 'webhooks',
    scope: 'mcp:webhooks',
    line: 'Have events sent to other servers, also after the agent is disconnected',
    operations: ['createWebhook', 'updateWebhook', 'deleteWebhook'],
  },
];
