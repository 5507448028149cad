import { AppError } from '@webkiln/contract';
import { endOfTurn, type TurnStream } from '@webkiln/events/streams';
import { callerFor, servicePrincipal } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { endTurn } from './end-turn.ts';
import type { Turn } from './turn.ts';
import { lostTurns, takeOver, turnById } from './turn-store.ts';

const timeoutMs = 10_000;
const sentence = 'The turn was interrupted on our side. Your site is as it was: send the message again.';

/** Ends the turns whose process has died; the draft has all of a turn's files or none. */
export async function endLostTurns(stream: TurnStream): Promise<void> {
  for (const owner of await lostTurns()) {
    if (!(await takeOver(owner))) continue;
    const turn = await turnById(owner, owner.key);
    if (turn !== null) await endLostTurn(turn, stream);
  }
}

async function endLostTurn(turn: Turn, stream: TurnStream): Promise<void> {
  const revision_id = await committedRevision(turn);
  const state = revision_id === null ? 'interrupted' : 'done';
  const text = turn.text === '' && revision_id === null ? sentence : turn.text;
  if ((await endTurn(turn, { state, revision_id, text, files: turn.files, tokens: turn.tokens ?? 0 })) === null) return;
  const last =
    revision_id === null ? { type: 'error', errorText: sentence } : { type: 'finish', messageMetadata: { turn_id: turn._id, revision_id } };
  await stream.publish(turn._id, 'last', JSON.stringify(last));
  await stream.publish(turn._id, 'end', endOfTurn);
}

/** The revision that the turn has made, or null. Committing nothing in its name finds out, and ends its preview. */
async function committedRevision({ org_id, project_id, _id: turn_id, base_revision_id }: Turn): Promise<string | null> {
  const base = base_revision_id ?? undefined;
  const caller = callerFor(servicePrincipal('embed', org_id), { timeoutMs });
  const request = { project_id, turn_id, base_revision_id: base, written: [], deleted: [], commit: true, title: '' };
  try {
    const { revision_id } = await call('projects.WriteTurn', request, caller);
    return revision_id === undefined || revision_id === base ? null : revision_id;
  } catch (error) {
    // The draft has changed since, or the project is gone.
    if (isClientsFault(error)) return null;
    throw error;
  }
}

const isClientsFault = (error: unknown): boolean => error instanceof AppError && error.status < 500;
