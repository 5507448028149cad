import { type Caller, onBehalf } from '@webkiln/messages';
import { call, type IncomingReply, type RequestOf } from '@webkiln/rpc';

/**
 * The draft of a project as a turn sees and changes it. The calls go in the name of `embed` for the user of `caller`,
 * who reaches its own projects only: others are `project_not_found`.
 */
export const readDraft = (project_id: string, caller: Caller): Promise<IncomingReply<'projects.ReadDraft'>> =>
  call('projects.ReadDraft', { project_id }, onBehalf('embed', caller));

/**
 * Shows the difference in previews, or with `commit` makes it the draft. Throws `edited_meanwhile`, `quota_exceeded`.
 */
export const writeTurn = (difference: RequestOf<'projects.WriteTurn'>, caller: Caller): Promise<IncomingReply<'projects.WriteTurn'>> =>
  call('projects.WriteTurn', difference, onBehalf('embed', caller));

/** Previews show the draft again. */
export const dropTurn = (project_id: string, turn_id: string, caller: Caller): Promise<unknown> =>
  call('projects.DropTurn', { project_id, turn_id }, onBehalf('embed', caller));
