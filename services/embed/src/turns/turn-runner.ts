import { once } from 'node:events';
import { AppError } from '@webkiln/contract';
import { endOfTurn, type TurnStream } from '@webkiln/events/streams';
import { serviceCaller } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { FairSlots, logger, pause, retry, runPeriodically, Semaphore } from '@webkiln/runtime';
import type { Owner, Scope } from '@webkiln/store';
import { type Engine, type EngineOf, TurnFailure } from '../engines/engine.ts';
import { endTurn } from './end-turn.ts';
import type { Turn } from './turn.ts';
import { PartPublisher, type TurnInput, TurnProgress, TurnRun } from './turn-run.ts';
import { lostTurns, renewLease, requestStop, runningTurn, takeOver, turnById } from './turn-store.ts';

const busy = 'Too many sites are being built at this moment. Your site is as it was: send the message again in a minute.';
const slotBounds = { slots: 96, maxPerKey: 32, maxWaitingPerKey: 128, maxWaiting: 1_024, maxWaitMs: 60_000 };
/** Images of turns that run or wait. */
const maxImageBytes = 256 * 1024 ** 2;
const imageShareOfOrg = 1 / 8;
const watchMs = 1_000;
const sweepMs = 3_000;
/** A turn that a stopping process has begun may take this long to end by itself. */
const drainMs = 5_000;
const maxStopMs = 4_000;
const stopPollMs = 50;
const maxTurnMs = 10 * 60_000;

/** The turns that this process works on. Organizations share it fairly. */
export class TurnRunner {
  readonly #stream: TurnStream;
  readonly #engineOf: EngineOf;
  readonly #slots = new FairSlots({ ...slotBounds, refusal: () => new TurnFailure(busy) });
  readonly #running = new Map<string, { readonly ending: AbortController; readonly ended: Promise<void> }>();
  readonly #stopSweeping: () => void;
  readonly #images = new ImageRoom(maxImageBytes);

  constructor(stream: TurnStream, engineOf: EngineOf) {
    this.#stream = stream;
    this.#engineOf = engineOf;
    this.#stopSweeping = runPeriodically({ everyMs: sweepMs, name: 'ending turns of lost processes' }, () => endLostTurns(stream));
  }

  /** Works on the turn from now on. */
  begin(turn: Turn, work: TurnInput): void {
    const ending = new AbortController();
    const bytes = work.attachments.reduce((sum, { data }) => sum + data.byteLength, 0);
    const hasRoom = this.#images.take(turn.org_id, bytes);
    const ended = this.#run(turn, work, ending, hasRoom).finally(() => {
      this.#running.delete(turn._id);
      if (hasRoom) this.#images.giveBack(turn.org_id, bytes);
    });
    this.#running.set(turn._id, { ending, ended });
  }

  async #run(turn: Turn, work: TurnInput, ending: AbortController, hasRoom: boolean): Promise<void> {
    const stopWatching = runPeriodically({ everyMs: watchMs, name: 'renewing the lease of a turn' }, async () => {
      const state = await renewLease(turn);
      if (state !== 'runs') ending.abort(state === 'stops' ? 'stopped' : 'lost');
    });
    const overdue = setTimeout(() => ending.abort('overdue'), maxTurnMs);
    const run = new TurnRun(turn, work, new PartPublisher(this.#stream, turn._id), ending.signal);
    try {
      if (!hasRoom) return await run.run(failing(new TurnFailure(busy)));
      await this.#slots.run(turn.org_id, () => run.run(this.#engineOf(work.model))).catch((error: unknown) => run.run(failing(error)));
    } finally {
      clearTimeout(overdue);
      stopWatching();
    }
  }

  /**
   * Stops the turn of a project, if one runs, and waits until its own process has ended it, which alone knows what it
   * has spent: at most 4 s, after which `hasEnded` is false.
   */
  async stopTurnOf(scope: Scope, project_id: string, signal?: AbortSignal): Promise<{ hadTurn: boolean; hasEnded: boolean }> {
    const turn = await runningTurn(scope, project_id);
    if (turn === null) return { hadTurn: false, hasEnded: true };
    await requestStop(scope, turn._id);
    this.#running.get(turn._id)?.ending.abort('stopped');
    const isOver = async () => (await runningTurn(scope, project_id))?._id !== turn._id;
    for (const waitUntil = Date.now() + maxStopMs; Date.now() < waitUntil; await pause(stopPollMs, signal))
      if (await isOver()) return { hadTurn: true, hasEnded: true };
    return { hadTurn: true, hasEnded: await isOver() };
  }

  /** Lets turns end, and interrupts those that do not within seconds. */
  async close(): Promise<void> {
    this.#stopSweeping();
    const all = () => [...this.#running.values()];
    const timer = setTimeout(() => {
      for (const { ending } of all()) ending.abort('closing');
      if (this.#running.size > 0) logger.warn({ turns: this.#running.size }, 'turns are interrupted: the process stops');
    }, drainMs);
    await Promise.all(all().map(({ ended }) => ended));
    clearTimeout(timer);
  }
}

/** The memory for images of turns. An organization has an eighth of it, so that its turns refuse none of others. */
export class ImageRoom {
  readonly #maxBytes: number;
  readonly #bytes = new Map<string, number>();

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** False, and nothing is taken, if the images do not fit. A turn without images always fits. */
  take(orgId: string, bytes: number): boolean {
    const own = (this.#bytes.get(orgId) ?? 0) + bytes;
    const all = this.#bytes.values().reduce((sum, each) => sum + each, bytes);
    if (bytes > 0 && (own > this.#maxBytes * imageShareOfOrg || all > this.#maxBytes)) return false;
    this.#bytes.set(orgId, own);
    return true;
  }

  giveBack(orgId: string, bytes: number): void {
    const left = (this.#bytes.get(orgId) ?? 0) - bytes;
    if (left > 0) this.#bytes.set(orgId, left);
    else this.#bytes.delete(orgId);
  }
}

/** Ends a turn that found no slot, as an engine that fails at once. */
const failing = (error: unknown): Engine => ({ run: () => Promise.reject(error) });

const timeoutMs = 10_000;
/** A turn is ended without what could not be read of it until then. */
const readTimeoutMs = 5_000;
const readAgainMs = 1_000;
const endingSlots = new Semaphore({ permits: 8 });
const sentence = 'The turn was interrupted on our side. Your site is as it was: send the message again.';

/** Ends the turns whose process has died; the draft has all of a turn's files or none. */
async function endLostTurns(stream: TurnStream): Promise<void> {
  await Promise.all((await lostTurns()).map((owner) => endingSlots.run(() => endIfLost(owner, stream))));
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
  if ((await endTurn(turn, { state, revision_id, text, files: turn.files, tokens: turn.tokens ?? 0 }, revision_id !== null)) === null)
    return;
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
  const caller = serviceCaller('embed', org_id, timeoutMs);
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
