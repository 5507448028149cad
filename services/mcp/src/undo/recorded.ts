import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type PreparedTool, validated } from '@webkiln/agent-tools';
import { type AgentChange, AppError, type UndoReason } from '@webkiln/contract';
import { type Caller, serviceCaller } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { logger } from '@webkiln/runtime';
import { switches } from '../agent-switches.ts';
import { kinds, reversals, type State, type Values } from './reversals.ts';

/** A change as it is stored: what people see of it, and what is needed to take it back. */
export interface RecordedChange extends Omit<AgentChange, 'reason' | 'reason_code' | 'reason_names'> {
  readonly reason: UndoReason | null;
  readonly undo: {
    readonly project_id?: string | undefined;
    readonly creates: boolean;
    /** What changed. For what was created: all of it after. */
    readonly before: Values;
    readonly after: Values | null;
    /** The whole record, as it was before and after. */
    readonly whole: readonly [before: Values | null, after: Values | null];
  };
}

const timeoutMs = 3000;
const maxShown = 200;

export const ownCaller = (org_id: string) => serviceCaller('mcp', org_id, timeoutMs);

interface Saving {
  /** Who made it: what is new has no session yet. */
  readonly by?: Caller;
  /** The undo that settles it. */
  readonly undo_id?: string;
}

export async function save(
  org_id: string,
  session_id: string,
  change: RecordedChange | Pick<RecordedChange, 'id'>,
  { by, undo_id = '' }: Saving = {},
) {
  const { kind, credential_id = '', agent, account_id = '' } = by?.principal ?? {};
  const credential = kind === 'api_key' ? 'key' : 'oauth';
  const made = { credential_id, credential, agent: agent ?? 'API key', account_id };
  const stored = await call(
    'identity.RecordAgentChange',
    { session_id, undo_id, ...made, change: JSON.stringify(change) },
    ownCaller(org_id),
  );
  return stored.session_id;
}

const recordedTools = new WeakMap<PreparedTool, PreparedTool>();

/**
 * The tool, whose changes are recorded where an owner lets agents build and publish: as pending before they are made,
 * so that one whose process dies is known.
 */
export function recorded(tool: PreparedTool): PreparedTool {
  if (tool.isRead) return tool;
  let found = recordedTools.get(tool);
  if (found === undefined) {
    found = { ...tool, run: (given, caller) => runRecorded(tool, given as Values | undefined, caller) };
    recordedTools.set(tool, found);
  }
  return found;
}

async function runRecorded(tool: PreparedTool, given: Values | undefined, caller: Caller): Promise<string> {
  const { kind = '', creates = false, why = null } = reversals[tool.name] ?? {};
  const { can_build } = await switches.of(caller);
  const values = can_build ? argumentsOf(tool, given) : undefined;
  if (values === undefined) return tool.run(given, caller);
  const { org_id } = caller.principal;
  const project_id = values.project_id as string | undefined;
  const id = creates ? null : (values[`${kind}_id`] as string);
  const before = id === null ? null : await knownState(kind, id, project_id, caller);
  const undo = { project_id, creates, before: {}, after: null, whole: [before?.values ?? null, null] as const };
  const started: RecordedChange = {
    ...{ id: randomUUID(), at: new Date().toISOString(), tool: tool.name, kind, record_id: id, name: before?.name ?? null },
    ...{ values: [], state: 'pending', reason: why === null ? null : { code: why, names: [] }, undo },
  };
  const session_id = await save(org_id, '', started, { by: caller });
  let json: string;
  try {
    json = await tool.run(given, caller);
  } catch (error) {
    // What is refused changes nothing. After any other failure nobody knows.
    const isRefused = error instanceof AppError && error.status < 500;
    if (isRefused) await settle(org_id, session_id, { id: started.id });
    throw error;
  }
  const record_id = id ?? createdId(kind, json);
  const after = record_id === undefined ? null : await knownState(kind, record_id, project_id, caller);
  const done: RecordedChange = { ...started, record_id: record_id ?? null, name: after?.name ?? started.name };
  const isGone = id !== null && after === null;
  const isSame = id !== null && !isGone && isDeepStrictEqual(before?.values, after?.values) && why === null;
  await settle(org_id, session_id, isSame ? { id: started.id } : completed(done, values, before, after));
  return json;
}

/** The arguments as the tool takes them; undefined if it refuses them, which changes nothing. */
function argumentsOf({ schema }: PreparedTool, given: unknown): Values | undefined {
  try {
    return validated(schema, given);
  } catch {
    return undefined;
  }
}

/** The write has taken effect: a record of it that cannot be completed stays pending. */
async function settle(org_id: string, session_id: string, change: RecordedChange | Pick<RecordedChange, 'id'>): Promise<void> {
  await save(org_id, session_id, change).catch((error: unknown) => {
    logger.warn({ err: error, session_id, change_id: change.id }, 'a change of an agent was not recorded as done; it stays pending');
  });
}

function completed(change: RecordedChange, given: Values, before: State | null, after: State | null): RecordedChange {
  const names = Object.keys(after?.values ?? before?.values ?? {});
  const changed = names.filter((name) => !isDeepStrictEqual(before?.values[name], after?.values[name]));
  const from = Object.fromEntries(changed.map((name) => [name, before?.values[name]]));
  const to = Object.fromEntries(changed.map((name) => [name, after?.values[name]]));
  const touched = [given.files, given.paths]
    .flat()
    .map((file) => (typeof file === 'string' ? file : (file as { path?: string } | undefined)?.path));
  const files = touched.filter((path) => path !== undefined);
  const values = changed
    .map((field) => ({ field, before: textOf(from[field]), after: textOf(to[field]) }))
    .filter((value) => value.before !== null || value.after !== null);
  return {
    ...change,
    values: files.length === 0 ? values : [...values, { field: 'files', before: null, after: textOf(files) }],
    state: 'done',
    undo: { ...change.undo, before: from, after: after === null ? null : to, whole: [before?.values ?? null, after?.values ?? null] },
  };
}

/** A value as people read it: null if it is empty. */
function textOf(value: unknown): string | null {
  if (value === null || value === undefined || value === '' || isDeepStrictEqual(value, [])) return null;
  const isDraft = typeof value === 'object' && 'revision_id' in value && 'files' in value;
  const text = isDraft ? String(value.files) : Array.isArray(value) ? value.join(', ') : String(value);
  return text.length > maxShown ? `${text.slice(0, maxShown - 1).toWellFormed()}…` : text;
}

const createdId = (kind: string, json: string): string | undefined =>
  (JSON.parse(json) as { structuredContent: Record<string, { id?: string } | undefined> }).structuredContent[kind]?.id;

/** Null if there is no such record. */
export async function stateOf(kind: string, id: string, project_id: string | undefined, caller: Caller): Promise<State | null> {
  try {
    return (await kinds[kind]?.look({ id, project_id }, caller)) ?? null;
  } catch (error) {
    if (error instanceof AppError && error.kind === 'not_found') return null;
    throw error;
  }
}

/** Null also if it cannot be told: the agent may write without reading, or a part of the platform is away. */
const knownState = (kind: string, id: string, project_id: string | undefined, caller: Caller): Promise<State | null> =>
  stateOf(kind, id, project_id, caller).catch(() => null);
