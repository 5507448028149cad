import { isDeepStrictEqual } from 'node:util';
import { type AgentSession, AppError } from '@webkiln/contract';
import type { Caller } from '@webkiln/messages';
import { call, handle } from '@webkiln/rpc';
import { identityCaller, type RecordedChange, save, stateOf } from './recorded.ts';
import { ask, domainsOf, kinds, reversals, type Values } from './reversals.ts';

/** Why a change is left; undefined: it is taken back. */
type Reason = string | undefined;

const somebody = (fields: readonly string[]) => `Somebody changed it since: ${fields.join(', ')}.`;
const unknownEffect = 'The agent was cut off: nobody knows whether this took effect. Look at it yourself.';

/**
 * Takes back the changes of a session, newest first, with the rights of the caller. What became of each is stored at
 * once, so that a repeat goes on; what is as before already counts as taken back.
 */
export const undoAgentSession = handle('mcp.UndoAgentSession', async ({ tool_session_id: session_id }, caller) => {
  const { idempotency: _key, ...acting } = caller;
  const { org_id, account_id = '' } = caller.principal;
  const { changes: stored, ...session } = await call('identity.GetAgentSession', { session_id }, identityCaller(org_id));
  const changes = stored.map((json) => JSON.parse(json) as RecordedChange);
  const gone = await deleteCreatedProjects(changes, acting);
  const after = new Map<string, RecordedChange>();
  for (const change of changes.toReversed()) {
    if (change.state === 'undone') continue;
    const reason = reasonBy(change, gone) ?? (await trying(() => takeBack(change, acting)));
    const settled: RecordedChange = { ...change, state: reason ? 'left' : 'undone', reason: reason || null };
    await save(org_id, session_id, settled);
    after.set(change.id, settled);
  }
  if (after.size > 0) await call('identity.RecordAgentUndo', { session_id, account_id }, identityCaller(org_id));
  const shown = changes.map((change) => {
    const { undo: _undo, ...seen } = after.get(change.id) ?? change;
    return seen;
  });
  return { session: { id: session_id, ...session, changes: shown } as AgentSession as never };
});

/**
 * Deletes the projects that the session created, with everything in them, unless somebody else worked on them. By the
 * id of the project: null if it is gone, else why it stays.
 */
async function deleteCreatedProjects(changes: readonly RecordedChange[], caller: Caller): Promise<Map<string, string | null>> {
  const result = new Map<string, string | null>();
  const created = changes.filter(({ kind, undo, record_id }) => kind === 'project' && undo.creates && record_id !== null);
  for (const { record_id } of created.toReversed()) {
    const id = record_id as string;
    result.set(id, (await trying(() => deleteProject(id, changes, caller))) ?? null);
  }
  return result;
}

async function deleteProject(id: string, changes: readonly RecordedChange[], caller: Caller): Promise<Reason> {
  const now = await stateOf('project', id, undefined, caller);
  if (now === null) return undefined;
  const own = changes.filter(({ kind, record_id }) => kind === 'project' && record_id === id);
  if (own.some(({ state }) => state === 'pending')) return unknownEffect;
  const states = own.map(({ undo }) => undo.whole);
  const seen = [...states.slice(1).map(([before]) => before), now.values];
  const foreign = seen.findIndex((state, at) => differing(states[at]?.[1] ?? {}, state ?? {}).length > 0 || !state || !states[at]?.[1]);
  if (foreign >= 0) return somebody(differing(states[foreign]?.[1] ?? {}, seen[foreign] ?? {}));
  const added = new Set(changes.map(({ record_id }) => record_id));
  const others = (await domainsOf(id, caller)).filter((domain) => !added.has(domain.id));
  if (others.length > 0) return somebody(others.map(({ name }) => name));
  const { json } = await ask('listForms', { project_id: id }, caller);
  if ((JSON.parse(json) as { forms: unknown[] }).forms.length > 0) return 'Visitors sent something by its forms, which would be lost.';
  await kinds.project?.remove?.({ id }, now, caller);
  return undefined;
}

const differing = (one: Values, other: Values) => Object.keys(one).filter((field) => !isSame(one[field], other[field]));

async function takeBack({ tool, kind, record_id, undo }: RecordedChange, caller: Caller): Promise<Reason> {
  const why = reversals[tool]?.why;
  if (why !== undefined) return why;
  if (record_id === null) return unknownEffect;
  const place = { id: record_id, project_id: undo.project_id };
  const now = await stateOf(kind, record_id, undo.project_id, caller);
  if (now === null || (kind === 'domain' && now.name === null)) return undo.creates ? undefined : 'It was deleted since.';
  const { before, after, whole, creates } = undo;
  if (after === null) return isDeepStrictEqual(now.values, whole[0]) ? undefined : unknownEffect;
  const unlike = (values: Values) => Object.keys(after).filter((field) => !isSame(now.values[field], values[field]));
  if (!creates && unlike(before).length === 0) return undefined;
  const others = unlike(after);
  if (others.length > 0) return somebody(others);
  const { restore, remove } = kinds[kind] ?? {};
  if (!creates) return restore?.(place, before, now, caller);
  await remove?.(place, now, caller);
  return undefined;
}

/** What became of a change with its project: an empty text if both are gone, undefined if it is a matter of its own. */
function reasonBy({ kind, record_id, undo }: RecordedChange, gone: ReadonlyMap<string, string | null>): Reason {
  const project = kind === 'domain' ? undo.project_id : record_id;
  const stays = kind === 'domain' || kind === 'project' ? gone.get(project ?? '') : undefined;
  if (stays === null) return '';
  return kind === 'project' && undo.creates ? stays : undefined;
}

/** Drafts with the same files are the same, whatever their revision. */
function isSame(one: unknown, other: unknown): boolean {
  const files = (value: unknown) => (typeof value === 'object' && value !== null && 'sha256' in value ? value.sha256 : value);
  return isDeepStrictEqual(files(one), files(other));
}

/** A refusal is a reason; a part of the platform that is away ends the undo, and a repeat goes on. */
async function trying(attempt: () => Promise<Reason>): Promise<Reason> {
  try {
    return await attempt();
  } catch (error) {
    if (error instanceof AppError && error.status < 500) return error.message;
    throw error;
  }
}
