import { type AgentTool, type AgentToolName, agentToolNames, agentTools, type MoreTool, ofProject, type ToolSet } from './agent-tools.ts';
import { businessTools } from './business-tools.ts';

const etag = 'The etag from get_draft, list_files or write_files: refused if the draft was changed since. Left out: whatever it is now';
const domainId = { domain_id: 'The id of the domain, from list_domains or add_domain' };
/** The tools by name, in the order in which agents see them after the ten. */
export const moreTools = {
  list_files: {
    set: 'sites',
    operation: 'listProjectFiles',
    title: "List a draft's files",
    tellsOfStrangers: true,
    description:
      "Use it to see the files of a project's draft, by path, with their sizes, and the etag of the draft. It returns a page; if next_cursor is not null, call it again with that cursor. Next: read_file, write_files.",
    arguments: { ...ofProject, folder: 'Only files whose path begins with this, such as css/' },
  },
  read_file: {
    set: 'sites',
    operation: 'getProjectFile',
    title: 'Read a file',
    tellsOfStrangers: true,
    description:
      "Use it to read a file of text of a project's draft. A long file comes in parts: if next_offset is not null, call it again with that offset. Pictures and other bytes are described, not shown.",
    arguments: {
      ...ofProject,
      path: 'The path of the file, from list_files, such as index.html',
      offset: 'The byte to begin at: next_offset of the part before; left out: the first',
    },
  },
  get_draft: {
    set: 'sites',
    operation: 'getDraft',
    title: 'Compare the draft with the live site',
    tellsOfStrangers: true,
    description:
      'Use it before publish_site, to tell the user what publishing would add, change and remove. It returns the etag of the draft.',
    arguments: ofProject,
  },
  write_files: {
    set: 'sites',
    operation: 'writeDraft',
    title: 'Write files',
    description:
      "Use it to add or replace files of a project's draft, many at once: all of them or none, as one revision that a person can undo. Files that you do not name stay. A site needs an index.html. At most 1 MB in a call. Visitors see nothing of it before publish_site.",
    done: 'Wrote the files. The draft has {draft.files} files now. Look at it with get_preview_links, then publish_site.',
    isDestructive: true,
    arguments: {
      ...ofProject,
      files: 'The files, each with its path, its content and, for bytes as base64, its encoding',
      if_match: etag,
    },
  },
  delete_files: {
    set: 'sites',
    operation: 'deleteProjectFile',
    title: 'Delete files',
    description:
      "Use it to delete files of a project's draft, many at once: all of them or none, as one revision that a person can undo. index.html stays. The live site keeps them until publish_site.",
    done: 'Deleted the files. The draft has {draft.files} files now.',
    isDestructive: true,
    arguments: { ...ofProject, paths: 'The paths of the files, from list_files', if_match: etag },
  },
  publish_site: {
    set: 'sites',
    operation: 'publishProject',
    title: 'Publish a site',
    tellsOfStrangers: true,
    description:
      'Use it to put the draft of a project online, once the user wants that: everybody on the internet sees it at once. Look with get_draft first what it changes. It returns the address and warnings about links that lead nowhere. Next: roll_back if something is wrong, add_domain for an address of its own.',
    done: 'Published: the site is live at {url}. Take it back with roll_back and an earlier deploy_id from get_deploys.',
    isDestructive: true,
    omits: ['builtFiles', 'draft'],
    arguments: { ...ofProject, message: 'What is new, in a few words, for the history' },
  },
  get_deploys: {
    set: 'sites',
    operation: 'listDeploys',
    title: 'List deploys',
    tellsOfStrangers: true,
    description:
      'Use it to see what was published, newest first: the last 10 deploys, and which one is live. Next: roll_back with the id of one.',
    arguments: ofProject,
  },
  roll_back: {
    set: 'sites',
    operation: 'rollBackDeploy',
    title: 'Roll back',
    description: 'Use it to make an earlier deploy the live site again, at once and whole. The draft stays as it is.',
    done: 'Rolled back: the deploy {deployId} is live at {url}.',
    isDestructive: true,
    arguments: { ...ofProject, deploy_id: 'The id of the deploy, from get_deploys' },
  },
  create_template: {
    set: 'sites',
    operation: 'createTemplate',
    title: 'Create a template',
    description:
      'Use it to keep the draft of a project as a template, from which create_project starts others. Later changes of the project do not change it.',
    done: 'Created the template {template.name} with the id {template.id}.',
    renames: { project_id: 'source_project_id' },
    arguments: {
      project_id: 'The id of the project whose draft is captured, from list_projects; left out: a template without files',
      name: 'The name of the template, shown where one is chosen',
      description: 'What sites it is for, in a sentence',
      category: 'A word to group templates by, such as bakery',
      is_public: 'True if every client of the agency may start from it',
    },
  },
  undo_session: {
    set: 'sites',
    operation: 'undoAgentSession',
    title: 'Take back your changes',
    tellsOfStrangers: true,
    description:
      'Use it once the user wants your changes gone: it takes back all that this connection changed without a pause of 30 minutes, newest first, and deletes the projects that it created. What somebody changed since stays. It returns what was taken back, and what was left with the reason: tell the user. A repeat is safe.',
    isDestructive: true,
    arguments: { session_id: 'The id of a session of this connection, from the user; left out: its latest' },
  },
  build_site: {
    set: 'builder',
    operation: 'sendChatMessage',
    title: 'Have the builder work',
    description:
      "Use it to have the builder make or change a project's site by a message in any language, such as a brief. It spends the agency's credits. It returns turn_id at once; the builder works on for up to some minutes. Next: get_build until it is done, then get_preview_links.",
    done: 'The builder has begun. Ask get_build with this turn_id every few seconds.',
    isDestructive: true,
    omits: ['attachments', 'pictures'],
    arguments: {
      ...ofProject,
      message: 'What to build or change, with everything that the site should say',
      model: 'The id of a model that the user named; left out: the default of the agency',
    },
  },
  get_build: {
    set: 'builder',
    operation: 'listChatMessages',
    title: 'Read what the builder did',
    tellsOfStrangers: true,
    description:
      'Use it to see whether the builder is done (state), what it says, which files it changed, and how many credits are left (balance). While state is running wait a few seconds and call it again. Only done has changed the draft.',
    arguments: { ...ofProject, turn_id: 'The turn, from build_site; left out: the latest' },
  },
  list_domains: {
    set: 'domains',
    operation: 'listDomains',
    title: 'List domains',
    tellsOfStrangers: true,
    description:
      "Use it to see the addresses of a project's site, and which DNS records are still missing (dns_records, error). Next: verify_domain once they are set.",
    arguments: ofProject,
  },
  add_domain: {
    set: 'domains',
    operation: 'addDomain',
    title: 'Add a domain',
    description:
      'Use it to connect a domain that the user owns to a published site, or to change its subdomain: exactly one of both. It returns the DNS records that the owner of the domain has to add: show them to the user. Next: verify_domain.',
    done: 'Added {domain.name}: it is {domain.status}. The user adds the dns_records at the DNS provider, then call verify_domain.',
    isDestructive: true,
    arguments: {
      ...ofProject,
      domain: 'The domain, as in www.example.com, from the user',
      subdomain: 'The new name below the domain of this platform, from the user',
    },
  },
  verify_domain: {
    set: 'domains',
    operation: 'verifyDomain',
    title: 'Verify a domain',
    description: 'Use it to look for the DNS records of a domain now, and to tell the user which are still missing.',
    done: 'Looked for the records: {domain.name} is {domain.status}.',
    arguments: { ...ofProject, ...domainId },
  },
  list_forms: {
    set: 'forms',
    operation: 'listForms',
    title: 'List forms',
    tellsOfStrangers: true,
    description: 'Use it to see the forms of a project, with how many submissions and how much spam each has. Next: list_submissions.',
    arguments: ofProject,
  },
  list_submissions: {
    set: 'forms',
    operation: 'listSubmissions',
    title: 'Read submissions',
    tellsOfStrangers: true,
    description:
      'Use it to read what visitors sent by the forms of a project, newest first, for instance of a month (after, before). It returns a page; if next_cursor is not null, call it again with that cursor. Very long texts are cut.',
    arguments: {
      ...ofProject,
      form: 'Only submissions of this form, by its name from list_forms',
      spam: 'true: what was taken for spam; left out or false: the rest',
      after: 'From this moment on, such as 2026-11-01T00:00:00Z',
      before: 'Before this moment, such as 2026-12-01T00:00:00Z',
    },
  },
  ...businessTools,
  search_docs: {
    set: 'docs',
    operation: 'searchDocs',
    title: 'Search the guides',
    description:
      'Use it to find out how something works on this platform, such as custom domains, redirects or forms, before you guess. It returns passages of its guides, the best matches first.',
    arguments: { q: 'A few words of English, such as custom domain DNS' },
  },
} as const satisfies Readonly<Record<string, MoreTool>>;

type AnyToolName = AgentToolName | keyof typeof moreTools;
/** Every tool there is: an owner can switch each off. */
export const allToolNames = [...agentToolNames, ...Object.keys(moreTools)] as [AnyToolName, ...AnyToolName[]];

/** Every tool there is, by name. */
export const allTools: Readonly<Record<string, AgentTool & { readonly set?: ToolSet }>> = { ...agentTools, ...moreTools };
