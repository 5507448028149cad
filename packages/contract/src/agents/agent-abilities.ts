export type AbilityId = 'see_organization' | 'see_projects' | 'manage' | 'build' | 'change_plans';

/** One line of what an agent may do for its person, and the operations that the person allows with it. */
interface AgentAbility {
  /** By which the consent page finds the line in its language. */
  readonly id: AbilityId;
  /** In English, as the consent page shows it after "It will be able to" to a person who may run the operations. */
  readonly line: string;
  /** The operations' names: `listProjects`. The same roles may run all of one line, so that it is true or not shown. */
  readonly operations: readonly string[];
}

/**
 * What an agent with an OAuth token may do, and nothing else: the access to operations, the consent page and the table
 * in docs/oauth.md are made of it. An operation that is not here is refused to every agent, whatever its person may do.
 */
export const agentAbilities: readonly AgentAbility[] = [
  {
    id: 'see_organization',
    line: 'See the clients, templates and plans of the organization',
    operations: [
      ...['listClients', 'getClient', 'listTemplates', 'getTemplate', 'listTemplateFiles', 'getTemplateFile', 'listPlans', 'getPlan'],
    ],
  },
  {
    id: 'see_projects',
    line: 'See and export your projects, with their files, earlier versions and visitor numbers',
    operations: [
      ...['listProjects', 'getProject', 'getPreview', 'listProjectFiles', 'getProjectFile', 'exportProject', 'listDeploys'],
      ...['listRevisions', 'listRevisionFiles', 'getRevisionFile', 'getAnalytics', 'getVisits'],
    ],
  },
  {
    id: 'manage',
    line: 'Invite and change clients, create and delete projects, and create, change and delete templates',
    operations: [
      ...['createClient', 'updateClient', 'resendInvitation', 'createProject', 'deleteProject'],
      ...['createTemplate', 'updateTemplate', 'deleteTemplate'],
    ],
  },
  {
    id: 'build',
    line: 'Change and publish your projects, and go back to earlier versions of them',
    operations: ['updateProject', 'publishProject', 'rollBackDeploy', 'restoreRevision'],
  },
  {
    id: 'change_plans',
    line: 'Create and change plans with their prices',
    operations: ['createPlan', 'updatePlan'],
  },
];
