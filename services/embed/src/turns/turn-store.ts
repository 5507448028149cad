import { acrossOrganizations, batchedById, defineModel, type Owner, type Scope, type Session, scoped, where } from '@webkiln/store';
import { bytesOf, leaseFrom, type Turn } from './turn.ts';

export const TurnModel = defineModel<Turn>(
  'turns',
  {
    project_id: { type: String, required: true },
    number: { type: Number, required: true },
    state: { type: String, required: true },
    running: { type: Boolean, default: null },
    client_id: { type: String, default: null },
    message: { type: String, required: true },
    text: { type: String, default: '' },
    files: { type: [String], default: [] },
    bytes: { type: Number, default: 0 },
    base_revision_id: { type: String },
    revision_id: { type: String, default: null },
    reservation: { type: { _id: false, credits: Number, caps: [String] }, default: null },
    tokens: { type: Number, default: 0 },
    lease_until: { type: Date, required: true },
    stop_requested: { type: Boolean, default: false },
    created_at: { type: Date, required: true },
  },
  {
    ofProject: 'project_id',
    exportedAs: 'chat',
    indexes: [
      [{ org_id: 1, project_id: 1, number: -1 }, { unique: true }],
      [
        { org_id: 1, project_id: 1, running: 1 },
        { unique: true, partialFilterExpression: { running: true } },
      ],
    ],
    indexesAcross: [[{ lease_until: 1 }, { partialFilterExpression: { running: true } }]],
  },
);

export const turnById = batchedById(TurnModel);

/** The project's running turn, or null. */
export const runningTurn = (scope: Scope, project_id: string): Promise<Turn | null> =>
  scoped(TurnModel, scope).findOne({ project_id, running: true });

export type Progress = Partial<Pick<Turn, 'base_revision_id' | 'revision_id' | 'state' | 'running' | 'text' | 'files' | 'tokens'>>;

/** Saves what a running turn has come to. False if it does not run any more: another process has ended it. */
export async function saveProgress(turn: Turn, progress: Progress, session?: Session): Promise<boolean> {
  const { _id, org_id } = turn;
  const said = progress.text === undefined ? {} : { bytes: bytesOf({ ...turn, ...progress }) };
  const { matchedCount } = await scoped(TurnModel, { org_id, ...(session !== undefined && { session }) }).updateOne(
    { _id, running: true },
    { $set: { ...progress, ...said } },
  );
  return matchedCount === 1;
}

const keptTurns = 200;
/** The words of the kept turns of a project. The latest turn is kept whatever its length. */
const maxChatBytes = 512 * 1024;

/** Deletes a project's oldest turns: all beyond 200, and beyond the bytes of its chat. */
export async function dropOldTurns(scope: Scope, project_id: string): Promise<void> {
  const turns = await scoped(TurnModel, scope).find(
    { project_id },
    { fields: ['number', 'bytes'], sort: { number: -1 }, limit: keptTurns + 1 },
  );
  let sum = 0;
  const latestToDrop = turns.find(({ bytes = 0 }, newer) => {
    sum += bytes;
    return newer > 0 && (newer >= keptTurns || sum > maxChatBytes);
  });
  if (latestToDrop !== undefined) await scoped(TurnModel, scope).deleteMany({ project_id, number: where({ $lte: latestToDrop.number }) });
}

/** Renews the lease of a running turn. False if it is to stop, or does not run any more. */
export async function renewLease({ _id, org_id }: Turn): Promise<'runs' | 'stops' | 'lost'> {
  const scope = { org_id };
  const { matchedCount } = await scoped(TurnModel, scope).updateOne(
    { _id, running: true },
    { $set: { lease_until: leaseFrom(new Date()) } },
  );
  if (matchedCount === 0) return 'lost';
  const turn = await scoped(TurnModel, scope).findOne({ _id }, { fields: ['stop_requested'] });
  return turn?.stop_requested === true ? 'stops' : 'runs';
}

/** The process that works on it sees this within a second. */
export async function requestStop(scope: Scope, _id: string): Promise<void> {
  await scoped(TurnModel, scope).updateOne({ _id, running: true }, { $set: { stop_requested: true } });
}

/** Turns whose process has died. */
export const lostTurns = (): Promise<Owner[]> =>
  acrossOrganizations(TurnModel).owners('_id', 'lease_until', { running: true, lease_until: where({ $lt: new Date() }) });

/** True if this process is now the one that ends the turn. */
export async function takeOver({ org_id, key: _id }: Owner): Promise<boolean> {
  const now = new Date();
  const expired = { _id, running: true as const, lease_until: where({ $lt: now }) };
  return (await scoped(TurnModel, { org_id }).updateOne(expired, { $set: { lease_until: leaseFrom(now) } })).matchedCount === 1;
}

/** The latest turns of a project, oldest first. */
export async function latestTurns(scope: Scope, project_id: string, limit: number): Promise<Turn[]> {
  const found = await scoped(TurnModel, scope).find({ project_id }, { sort: { number: -1 }, limit });
  return found.reverse();
}
