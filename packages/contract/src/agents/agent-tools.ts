/**
 * A tool that agents call over MCP. Its schemas, permission and roles are those of the API operation that it runs; what
 * an agent must know besides stands here.
 */
export interface AgentTool {
  /** The operation's name: `listProjects`. */
  readonly operation: string;
  readonly title: string;
  /** When to use it, what it returns, and what to call next. */
  readonly description: string;
  /** What the caller can count on after a success of a write, with `{path}` for fields of the result. */
  readonly done?: string;
  /** What its arguments mean. */
  readonly arguments?: Readonly<Record<string, string>>;
  /** True if it can overwrite what was there before. */
  readonly isDestructive?: true;
  /** Fields of the input that it does not take. */
  readonly omits?: readonly string[];
  /** Fields of the record in its result that no agent sees. */
  readonly hides?: readonly string[];
  /** The tool's names of fields of the input: an id has one name in all tools. */
  readonly renames?: Readonly<Record<string, string>>;
  /**
   * True if the result has texts that clients, visitors or others typed: names, paths, contents, referrers. What an
   * agent writes after it has read some asks its person first.
   */
  readonly tellsOfStrangers?: true;
}

/** The tools that an address can ask for together: `/api/mcp?toolsets=sites,forms`. */
export const toolSets = ['sites', 'builder', 'domains', 'forms', 'plans', 'webhooks', 'docs'] as const;
export type ToolSet = (typeof toolSets)[number];
/** The parts of an agent's address that say which tools it has. */
export const addressParameters: ReadonlySet<string> = new Set(['toolsets', 'read_only', 'project']);

/**
 * A tool that only connections have whose address asks for its set, where an owner lets agents build and publish. Its
 * OAuth scope and its line on the consent page are those of its operation: see agent-abilities.ts.
 */
export interface MoreTool extends AgentTool {
  readonly set: ToolSet;
}

export const ofProject = { project_id: 'The id of the project, from list_projects' };
const ofSite = {
  name: 'The name of the website, as people see it in lists',
  description: 'What the website is for, in a few sentences; an empty text removes it',
};

/** The tools by name, in the order in which agents see them. */
export const agentTools = {
  list_projects: {
    operation: 'listProjects',
    title: 'List projects',
    tellsOfStrangers: true,
    description:
      'Use it to find a project (a client website) by name, client or status, newest first. It returns a page; if next_cursor is not null, call it again with that cursor. Next: get_project, get_preview_links or get_analytics with the id of a project.',
    arguments: {
      client_id: 'Only the projects of this client',
      q: 'Part of the name, whatever its case',
      status: 'active or archived',
    },
  },
  get_project: {
    operation: 'getProject',
    title: 'Read a project',
    tellsOfStrangers: true,
    description:
      'Use it to read one project by its id, for instance to see whether it is published (published_url). Find ids with list_projects. Next: get_preview_links to show it, update_project to change its fields.',
    arguments: ofProject,
  },
  create_project: {
    operation: 'createProject',
    title: 'Create a project',
    description:
      'Use it to start a website for a client: empty, or as a copy of a template (template_id from list_templates). The client must be active: list_clients shows its status. For a website of the agency itself, client_email is the address of one of its members. It returns the project and builder_url, where a person goes on editing. Next: get_preview_links with the id of the project.',
    done: 'Created the project {project.name} with the id {project.id}. Show it with get_preview_links.',
    arguments: {
      ...ofSite,
      client_email: 'The email address of an active client, from list_clients, or of a member of the agency',
      template_id: 'The id of the template to copy, from list_templates; without one the project is empty',
    },
  },
  update_project: {
    operation: 'updateProject',
    title: 'Change a project',
    tellsOfStrangers: true,
    description:
      'Use it to rename, describe, tag, star or archive a project. It changes only the fields that you name, and replaces their values: read the project first if you want to add a tag to those it has. Files and published pages stay as they are.',
    done: 'Changed the project {project.name} with the id {project.id}. Fields that you did not name are as before.',
    isDestructive: true,
    arguments: {
      ...ofProject,
      ...ofSite,
      status: 'archived hides the project from lists of active ones; active brings it back',
      tags: 'All tags of the project: those that are not named are removed',
      starred: 'True to show the project before others',
      is_public: 'True if everybody may see the published website',
      insert_tracker: 'Whether publishing puts the tracker into pages; from the next publish on',
    },
  },
  get_preview_links: {
    operation: 'getPreview',
    title: 'Read preview links',
    tellsOfStrangers: true,
    description:
      'Use it to show a project to somebody. It returns preview_url (the draft, for at most an hour), published_url (null until it is published) and builder_url (where a person edits it). Ask again after expires_at.',
    arguments: { ...ofProject, version: 'The id of a revision or deploy, in place of the draft' },
  },
  list_clients: {
    operation: 'listClients',
    title: 'List clients',
    tellsOfStrangers: true,
    description:
      'Use it to find a client (an end customer of the agency), newest first, with its status: only an active client can own projects. It returns a page; if next_cursor is not null, call it again with that cursor. Next: create_project with the email of a client.',
  },
  create_client: {
    operation: 'createClient',
    title: 'Invite a client',
    description:
      'Use it to add a client by email. The client gets a mail with an activation link and is invited, not active, until a person follows it; until then create_project is refused. Look with list_clients first whether the client exists. plan_id comes from list_plans.',
    done: 'Invited the client {client.email} with the id {client.id}. It is {client.status}: projects can be created once list_clients shows it as active.',
    arguments: {
      email: 'The email address that gets the invitation',
      name: 'The name of the person',
      company: 'The name of its company',
      plan_id: 'The id of the plan that the client is on, from list_plans; without one it has none',
    },
  },
  list_templates: {
    operation: 'listTemplates',
    title: 'List templates',
    tellsOfStrangers: true,
    description:
      'Use it to choose what a new project starts from, newest first. It returns a page; if next_cursor is not null, call it again with that cursor. Next: create_project with the id of a template as template_id.',
  },
  list_plans: {
    operation: 'listPlans',
    title: 'List plans',
    tellsOfStrangers: true,
    description:
      'Use it to see what clients are offered, at which price and with which limits (max_sites). It returns a page; if next_cursor is not null, call it again with that cursor. Next: create_client with the id of a plan as plan_id.',
  },
  get_analytics: {
    operation: 'getAnalytics',
    title: 'Read analytics',
    tellsOfStrangers: true,
    description:
      'Use it to see how often published sites were viewed: of one project (project_id), or of all together, over the last 30 days or another number (days, 1 to 365). Views of the last seconds may be missing. A project that was never published has no views.',
    arguments: {
      days: 'How many days to look back, today included',
      project_id: 'Only this project',
      include: 'What else to show, with commas between: bots, realtime',
    },
  },
} as const satisfies Readonly<Record<string, AgentTool>>;

export type AgentToolName = keyof typeof agentTools;
/** The tools that every connection has. */
export const agentToolNames = Object.keys(agentTools) as [AgentToolName, ...AgentToolName[]];
