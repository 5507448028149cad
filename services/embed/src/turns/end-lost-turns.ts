import { once } from 'node:events';
import { AppError } from '@webkiln/contract';
import { endOfTurn, type TurnStream } from '@webkiln/events/streams';
import { callerFor, servicePrincipal } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { logger, retry, Semaphore } from '@webkiln/runtime';
import type { Owner } from '@webkiln/store';
import { endTurn } from './end-turn.ts';
import { TurnProgress } from './run/turn-progress.ts';
import type { Turn } from './turn.ts';
import { lostTurns, takeOver, turnById } from './turn-store.ts';

const timeoutMs = 10_000;
/** A turn is ended without what could not be read of it until then. */
const readTimeoutMs = 5_000;
const readAgainMs = 1_000;
const slots = new Semaphore({ permits: 8 });
const sentence = 'The turn was interrupted on our side. Your site is as it was: send the message again.';

/** Ends the turns whose process has died; the draft has all of a turn's files or none. */
export async function endLostTurns(stream: TurnStream): Promise<void> {
  await Promise.all((await lostTurns()).map((owner) => slots.run(() => endIfLost(owner, stream))));
}

async function endIfLost(owner: Owner, stream: TurnStream): Promise<void> {
  try {
    if (!(await takeOver(owner))) return;
    const turn = await turnById(owner, owner.key);
    if (turn !== null) await endLostTurn(turn, stream);
  } catch (err) {
    logger.warn({ err, turn_id: owner.key }, 'ending a lost turn failed; it is tried again when its lease is over');
  }
}

async function endLostTurn(turn: Turn, stream: TurnStream): Promise<void> {
  const revision_id = await committedRevision(turn);
  const state = revision_id === null ? 'interrupted' : 'done';
  // The record has the words of a turn that has come to its commit.
  const said = turn.text === '' && revision_id === null ? await saidUntilLost(turn, stream) : turn.text;
  const text = said === '' && revision_id === null ? sentence : said;
  if ((await endTurn(turn, { state, revision_id, text, files: turn.files, tokens: turn.tokens ?? 0 })) === null) return;
  const last =
    revision_id === null ? { type: 'error', errorText: sentence } : { type: 'finish', messageMetadata: { turn_id: turn._id, revision_id } };
  await publishEnd(turn, JSON.stringify(last), stream);
}

/** The words of the turn's parts, bounded like those of any turn. After the timeout those read so far. */
async function saidUntilLost({ _id: turn_id }: Turn, stream: TurnStream): Promise<string> {
  const deadline = AbortSignal.timeout(readTimeoutMs);
  let progress = new TurnProgress();
  const read = async () => {
    progress = new TurnProgress();
    for await (const { json } of stream.published(turn_id, deadline)) if (json !== endOfTurn) progress.note(JSON.parse(json));
  };
  const onFailure = (err: unknown) => logger.warn({ err, turn_id }, 'the words of a lost turn were not read; reading them again');
  const reading = retry(read, { delayMs: readAgainMs, signal: deadline, onFailure });
  await Promise.race([reading, once(deadline, 'abort')]).catch(() => undefined);
  return progress.fields.text;
}

async function publishEnd({ _id: turn_id }: Turn, last: string, stream: TurnStream): Promise<void> {
  try {
    await stream.publish(turn_id, 'last', last);
    await stream.publish(turn_id, 'end', endOfTurn);
  } catch (err) {
    logger.warn({ err, turn_id }, 'the end of a lost turn was not published; its streams end from its record');
  }
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
