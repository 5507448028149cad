import { hash } from 'node:crypto';
import { callOperation, read } from '@webkiln/agent-tools';
import { operations, type UndoReasonCode } from '@webkiln/contract';
import type { Caller } from '@webkiln/messages';
import { prepareOperation } from '@webkiln/operations';

export type Values = Readonly<Record<string, unknown>>;

/** A record as it is: what can be compared of it. */
export interface State {
  readonly name: string | null;
  readonly values: Values;
  readonly etag?: string | undefined;
  readonly draftEtag?: string | undefined;
}

/** Where a record is. */
export interface Place {
  readonly id: string;
  readonly project_id?: string | undefined;
}

/** How changes of one kind of record are seen and taken back. */
interface Kind {
  /** Throws `…_not_found`. */
  look(place: Place, caller: Caller): Promise<State>;
  /** Takes back that it was created. */
  remove?(place: Place, now: State, caller: Caller): Promise<unknown>;
  /**
   * Makes these values what they were, unless the record changed since `now`: throws `edited_meanwhile`. Returns why
   * it cannot.
   */
  restore?(place: Place, values: Values, now: State, caller: Caller): Promise<UndoReasonCode | undefined>;
}

export const ask = async (name: string, values: Values, caller: Caller) =>
  read(prepareOperation(name, operations[name] as never), values, caller);

const run = (name: string, values: Values, caller: Caller, etag?: string) =>
  callOperation(prepareOperation(name, operations[name] as never), values, { ...caller, ...(etag !== undefined && { ifMatch: etag }) });

const pick = (record: Values, fields: readonly string[]): Values =>
  Object.fromEntries(fields.map((field) => [field, record[field] ?? null]));

/** A kind whose records are read by one operation, under the name of the kind. */
function simple(kind: string, get: string, fields: readonly string[], more: { readonly update?: string; readonly remove?: string }): Kind {
  const { update, remove } = more;
  const by = ({ id }: Place) => ({ [`${kind}_id`]: id });
  return {
    async look(place, caller) {
      const { json, etag } = await ask(get, by(place), caller);
      const record = (JSON.parse(json) as Record<string, Values>)[kind] as Values;
      return { name: String(record.name ?? record.url ?? ''), values: pick(record, fields), etag };
    },
    ...(remove !== undefined && { remove: (place: Place, now: State, caller: Caller) => run(remove, by(place), caller, now.etag) }),
    ...(update !== undefined && {
      async restore(place: Place, values: Values, now: State, caller: Caller) {
        // An empty text removes what was not there.
        const texts = Object.entries(values).map(([field, value]) => [field, value ?? '']);
        await run(update, { ...by(place), ...Object.fromEntries(texts) }, caller, now.etag);
        return undefined;
      },
    }),
  };
}

const projectFields = ['name', 'description', 'client_id', 'status', 'tags', 'starred', 'is_public', 'insert_tracker'];
const project = simple('project', 'getProject', projectFields, { update: 'updateProject', remove: 'deleteProject' });

interface Draft {
  readonly revision_id: string | null;
  readonly files: number;
  readonly sha256: string;
}

async function draftOf(project_id: string, caller: Caller): Promise<{ draft: Draft; draftEtag: string | undefined }> {
  const { json, etag } = await ask('getDraft', { project_id }, caller);
  const { revision_id } = JSON.parse(json).draft;
  const { files } = JSON.parse((await ask('listProjectFiles', { project_id }, caller)).json) as {
    files: { path: string; sha256: string }[];
  };
  const listed = files.map(({ path, sha256 }) => `${path} ${sha256}`).sort();
  return { draft: { revision_id, files: files.length, sha256: hash('sha256', listed.join('\n')) }, draftEtag: etag };
}

/** A change of a website is one of its fields, of its draft, or of what is live. */
export const kinds: Readonly<Record<string, Kind>> = {
  project: {
    async look(place, caller) {
      // Its tag first: a change while the rest is read is noticed by it.
      const { name, values, etag } = await project.look(place, caller);
      const [{ draft, draftEtag }, { json }] = await Promise.all([
        draftOf(place.id, caller),
        ask('listDeploys', { project_id: place.id }, caller),
      ]);
      const { deploys } = JSON.parse(json) as { deploys: { id: string; live: boolean }[] };
      return { name, etag, draftEtag, values: { ...values, draft, live: deploys.find(({ live }) => live)?.id ?? null } };
    },
    remove: (place, now, caller) => project.remove?.(place, now, caller) as Promise<unknown>,
    async restore(place, { draft, live, ...fields }, now, caller) {
      const project_id = place.id;
      let { etag } = now;
      if (typeof live === 'string') {
        const { reply } = await run('rollBackDeploy', { project_id, deploy_id: live }, caller, etag);
        etag = (reply as { etag?: string }).etag;
      }
      if (Object.keys(fields).length > 0) await project.restore?.(place, fields, { ...now, etag }, caller);
      const revision_id = (draft as Draft | undefined)?.revision_id;
      if (revision_id === null) return 'draft_was_empty';
      if (revision_id !== undefined) await run('restoreRevision', { project_id, revision_id }, caller, now.draftEtag);
      return live === null ? 'first_publish' : undefined;
    },
  },
  template: simple('template', 'getTemplate', ['name', 'description', 'category', 'is_public'], { remove: 'deleteTemplate' }),
  plan: simple('plan', 'getPlan', ['name', 'description', 'price', 'interval', 'max_sites', 'max_ai_messages_daily', 'is_active'], {
    update: 'updatePlan',
  }),
  webhook: simple('webhook', 'getWebhook', ['url', 'events', 'is_active'], { update: 'updateWebhook', remove: 'deleteWebhook' }),
  client: simple('client', 'getClient', ['name', 'email', 'status', 'company', 'plan_id'], {}),
  domain: {
    async look({ id, project_id }, caller) {
      const { json } = await ask('listDomains', { project_id }, caller);
      const found = (JSON.parse(json) as { domains: { id: string; name: string }[] }).domains.find((each) => each.id === id);
      return { name: found?.name ?? null, values: { name: found?.name ?? null } };
    },
    remove: ({ id, project_id }, _now, caller) => run('deleteDomain', { project_id, domain_id: id }, caller),
  },
};

interface Reversal {
  readonly kind: string;
  /** True if it creates the record: the id is in the result. */
  readonly creates?: true;
  /** Why it cannot be taken back. */
  readonly why?: UndoReasonCode;
}

/** How each tool that writes is taken back: every one has a row. */
export const reversals: Readonly<Record<string, Reversal>> = {
  create_project: { kind: 'project', creates: true },
  update_project: { kind: 'project' },
  write_files: { kind: 'project' },
  delete_files: { kind: 'project' },
  publish_site: { kind: 'project' },
  roll_back: { kind: 'project' },
  build_site: { kind: 'project', why: 'builder_works_on' },
  create_client: { kind: 'client', creates: true, why: 'client_was_invited' },
  create_template: { kind: 'template', creates: true },
  create_plan: { kind: 'plan', creates: true, why: 'plans_stay' },
  update_plan: { kind: 'plan' },
  create_webhook: { kind: 'webhook', creates: true },
  update_webhook: { kind: 'webhook' },
  delete_webhook: { kind: 'webhook', why: 'secret_is_gone' },
  add_domain: { kind: 'domain', creates: true },
  verify_domain: { kind: 'domain', why: 'only_looked' },
};
