import { type Caller, callerFor, operatorPrincipal, serviceCaller } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { testCaller } from '@webkiln/store/testing';
import { fakeClient } from './fake-clients-plans.ts';

export function present<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error('expected a value');
  return value;
}

/** Matches an error with this code. */
export const refusal = (code: string) => expect.objectContaining({ code });

/** The idempotency key of a call. */
export const repeatable = (id: string): Pick<Caller, 'idempotency'> => ({ idempotency: { id, body: 'body', explicit: true } });

export const operator = (org: string): Caller => callerFor(operatorPrincipal(org), { timeoutMs: 120_000 });

/** Creates a project, by default for a new client. */
export async function newProject(
  org: string,
  { client = fakeClient(org), ...wanted }: { client?: { email: string }; name?: string; template_id?: string } = {},
) {
  const reply = await call('projects.CreateProject', { client_email: client.email, name: 'Site', ...wanted }, testCaller(org));
  return present(reply.project);
}

/** Creates a template, with the files of `source_project_id` if given. */
export async function newTemplate(org: string, wanted: { name?: string; source_project_id?: string } = {}) {
  const reply = await call('templates.CreateTemplate', { name: 'Template', is_public: false, ...wanted }, testCaller(org));
  return present(reply.template);
}

/** Writes the draft. `texts` maps paths to contents. */
export async function writeDraft(org: string, project_id: string, texts: Record<string, string>) {
  const reply = await call('projects.WriteDraft', { project_id, files: filesOf(texts) }, operator(org));
  return reply.files;
}

const filesOf = (texts: Record<string, string>) => Object.entries(texts).map(([path, text]) => ({ path, content: Buffer.from(text) }));

/** Publishes `texts`, a map of paths to contents; the draft if it is empty. */
export const publish = (
  org: string,
  project_id: string,
  texts: Record<string, string> = {},
  { draft, ...more }: Partial<Caller> & { draft?: 'keep' } = {},
) => call('projects.PublishProject', { project_id, builtFiles: filesOf(texts), ...(draft && { draft }) }, testCaller(org, more));

/** The service `sites` as the caller. */
export const sites = (): Caller => serviceCaller('sites', '', 10_000);

/** The service `analytics` as the caller. */
export const analytics = (): Caller => serviceCaller('analytics', '', 10_000);

const tracker = /<script defer src="\/t\.js"><\/script>|<noscript><img src="\/t\.gif"[^>]*><\/noscript>/g;

/** The contents that visitors get under a name, by path, without the tracker. Undefined if nothing is published. */
export async function visitedTexts(name: string): Promise<Record<string, string> | undefined> {
  const { found, org_id, files } = await call('sites.ResolveSite', { name }, sites());
  if (!found) return undefined;
  const texts = files.map(async ({ path, sha256 }) => {
    const { content } = await call('sites.GetSiteContent', { org_id, sha256, encoding: '' }, sites());
    return [path, content.toString().replace(tracker, '')] as const;
  });
  return Object.fromEntries(await Promise.all(texts));
}

/** Reads all files of a project or template, one call each. */
export async function textsOf(org: string, owner: { project_id: string } | { template_id: string }): Promise<Record<string, string>> {
  const caller = testCaller(org);
  const isProject = 'project_id' in owner;
  const { files } = isProject
    ? await call('projects.ListProjectFiles', owner, caller)
    : await call('templates.ListTemplateFiles', owner, caller);
  const contents = await Promise.all(
    files.map(({ path }) =>
      isProject
        ? call('projects.GetProjectFile', { ...owner, path }, caller)
        : call('templates.GetTemplateFile', { ...owner, path }, caller),
    ),
  );
  return Object.fromEntries(files.map(({ path }, index) => [path, present(contents[index]).content.toString()]));
}
