import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { allPrepared, type PreparedTool, servedBy } from '@webkiln/agent-tools';
import { type AgentSession, AppError, shownReason, type UndoReason, type UndoReasonCode } from '@webkiln/contract';
import { actorOf, type Caller } from '@webkiln/messages';
import { call, handle } from '@webkiln/rpc';
import { retry } from '@webkiln/runtime';
import { ownCaller, type RecordedChange, recorded, save, stateOf } from './recorded.ts';
import { kinds, reversals, type Values } from './reversals.ts';

/** Why a change is left; undefined: it is taken back. */
type Left = UndoReason | undefined;

/** Less than the claim of an undo lasts: it is kept by storing what became of each change. */
const stepMs = 6000;
const maxAttempts = 3;

const because = (code: UndoReasonCode, names: readonly string[] = []): UndoReason => ({ code, names });
const somebody = (names: readonly string[]) => because('changed_since', names);

/**
 * Takes back the changes of a session, newest first, with the rights of the caller. What became of each is stored at
 * once, so that a repeat goes on; what is as before already counts as taken back. One undo of a session runs at a
 * time: throws `undo_running`.
 */
async function undo(asked: string, caller: Caller): Promise<AgentSession> {
  const { idempotency: _key, ...acting } = caller;
  const { org_id, kind, credential_id } = caller.principal;
  const undo_id = randomUUID();
  // A person undoes what any agent did, a key or an agent what it did itself.
  const which = { session_id: asked, credential_id: kind === 'session' ? '' : credential_id };
  const { changes: stored, ...session } = await call('identity.BeginAgentUndo', { ...which, undo_id }, ownCaller(org_id));
  const session_id = session.id;
  const end = (actor?: ReturnType<typeof actorOf>) =>
    call('identity.EndAgentUndo', { session_id, undo_id, ...(actor && { actor }) }, ownCaller(org_id));
  const changes = stored.map((json) => JSON.parse(json) as RecordedChange);
  const step = () => ({ ...acting, deadlineAt: Math.min(acting.deadlineAt, Date.now() + stepMs) });
  const after = new Map<string, RecordedChange>();
  try {
    const gone = await deleteCreatedProjects(changes, step);
    for (const change of changes.toReversed()) {
      if (change.state === 'undone') continue;
      const known = fateOf(change, gone);
      const left = known === undefined ? await trying(() => takeBack(change, step())) : (known ?? undefined);
      const settled: RecordedChange = { ...change, state: left ? 'left' : 'undone', reason: left ?? null };
      await save(org_id, session_id, settled, { undo_id });
      after.set(change.id, settled);
    }
  } catch (error) {
    // Best effort: the claim ends by itself.
    await end().catch(() => undefined);
    throw error;
  }
  const isNews = changes.some(({ id, state, reason }) => {
    const now = after.get(id);
    return now !== undefined && !isDeepStrictEqual([now.state, now.reason], [state, reason]);
  });
  await end(isNews ? actorOf(caller) : undefined);
  const shown = changes.map((change) => {
    const { undo: _undo, reason, ...seen } = after.get(change.id) ?? change;
    return { ...seen, ...shownReason(reason) };
  });
  return { ...session, changes: shown } as AgentSession;
}

export const undoAgentSession = handle('mcp.UndoAgentSession', async ({ tool_session_id }, caller) => ({
  session: (await undo(tool_session_id, caller)) as never,
}));

/** The tool by which an agent takes back its own changes. */
const undoSession: PreparedTool = servedBy(allPrepared.get('undo_session') as PreparedTool, async ({ session_id = '' }, caller) => {
  const { id, changes } = await undo(session_id as string, caller);
  const of = (state: string) => changes.filter((change) => change.state === state);
  return JSON.stringify({
    session_id: id,
    undone: of('undone').map(({ tool, name }) => ({ tool, name })),
    left: of('left').map(({ tool, name, reason }) => ({ tool, name, reason })),
  });
});

/** The tool as it runs here: what it changes can be taken back. */
export const undoable = (tool: PreparedTool): PreparedTool => (tool.name === 'undo_session' ? undoSession : recorded(tool));

/**
 * Deletes the projects that the session created, with everything in them, unless somebody else worked on them. By the
 * id of the project: null if it is gone, else why it stays.
 */
async function deleteCreatedProjects(changes: readonly RecordedChange[], step: () => Caller): Promise<Map<string, UndoReason | null>> {
  const result = new Map<string, UndoReason | null>();
  const created = changes.filter(({ kind, undo, record_id }) => kind === 'project' && undo.creates && record_id !== null);
  for (const { record_id } of created.toReversed()) {
    const id = record_id as string;
    result.set(id, (await trying(() => deleteProject(id, changes, step()))) ?? null);
  }
  return result;
}

async function deleteProject(id: string, changes: readonly RecordedChange[], caller: Caller): Promise<Left> {
  const now = await stateOf('project', id, undefined, caller);
  if (now === null) return undefined;
  const own = changes.filter(({ kind, record_id, state }) => kind === 'project' && record_id === id && state !== 'undone');
  if (own.some(({ state }) => state === 'pending')) return because('cut_off');
  const states = own.map(({ undo }) => undo.whole);
  const seen = [...states.slice(1).map(([before]) => before), now.values];
  const foreign = seen.findIndex((state, at) => differing(states[at]?.[1] ?? {}, state ?? {}).length > 0 || !state || !states[at]?.[1]);
  if (foreign >= 0) return somebody(differing(states[foreign]?.[1] ?? {}, seen[foreign] ?? {}));
  const added = new Set(changes.map(({ record_id }) => record_id));
  // In our own name: keys delete projects, and see no domains; agents may be allowed neither these nor forms.
  const look = ownCaller(caller.principal.org_id);
  const { domains } = await call('projects.ListDomains', { project_id: id }, look);
  const others = domains.filter((domain) => !added.has(domain.id));
  if (others.length > 0) return somebody(others.map(({ name }) => name));
  const { total } = await call('forms.ListForms', { project_id: id }, look);
  if (total > 0) return because('has_submissions');
  await kinds.project?.remove?.({ id }, now, caller);
  return undefined;
}

const differing = (one: Values, other: Values) => Object.keys(one).filter((field) => !isSame(one[field], other[field]));

async function takeBack({ tool, kind, record_id, undo }: RecordedChange, caller: Caller): Promise<Left> {
  const why = reversals[tool]?.why;
  if (why !== undefined) return because(why);
  if (record_id === null) return because('cut_off');
  const place = { id: record_id, project_id: undo.project_id };
  const now = await stateOf(kind, record_id, undo.project_id, caller);
  if (now === null || (kind === 'domain' && now.name === null)) return undo.creates ? undefined : because('deleted_since');
  const { before, after, whole, creates } = undo;
  if (after === null) return isDeepStrictEqual(now.values, whole[0]) ? undefined : because('cut_off');
  // An undo that was cut off may have taken back some of them.
  const changed = Object.keys(after).filter((field) => creates || !isSame(now.values[field], before[field]));
  if (!creates && changed.length === 0) return undefined;
  const others = changed.filter((field) => !isSame(now.values[field], after[field]));
  if (others.length > 0) return somebody(others);
  const { restore, remove } = kinds[kind] ?? {};
  if (creates) {
    await remove?.(place, now, caller);
    return undefined;
  }
  const old = Object.fromEntries(changed.map((field) => [field, before[field]]));
  const reason = await restore?.(place, old, now, caller);
  return reason && because(reason);
}

/** What became of a change with its project: null if both are gone, undefined if it is a matter of its own. */
function fateOf({ kind, record_id, undo }: RecordedChange, gone: ReadonlyMap<string, UndoReason | null>): Left | null {
  const project = kind === 'domain' ? undo.project_id : record_id;
  const stays = kind === 'domain' || kind === 'project' ? gone.get(project ?? '') : undefined;
  if (stays === null) return null;
  return kind === 'project' && undo.creates ? stays : undefined;
}

/** Drafts with the same files are the same, whatever their revision. */
function isSame(one: unknown, other: unknown): boolean {
  const files = (value: unknown) => (typeof value === 'object' && value !== null && 'sha256' in value ? value.sha256 : value);
  return isDeepStrictEqual(files(one), files(other));
}

/**
 * A refusal is a reason; a part of the platform that is away ends the undo, and a repeat goes on. A record that changes
 * between the look and the write is looked at again.
 */
async function trying(attempt: () => Promise<Left>): Promise<Left> {
  const isRetryable = (error: unknown) => error instanceof AppError && error.code === 'edited_meanwhile';
  try {
    return await retry(attempt, { isRetryable, maxAttempts, exhausted: () => new AppError('edited_meanwhile') });
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    return because(error.kind === 'forbidden' ? 'not_allowed' : 'refused', [error.code]);
  }
}
