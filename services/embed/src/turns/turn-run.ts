import { AppError, listedPictures, pictureListPath } from '@webkiln/contract';
import { endOfTurn, type TurnStream } from '@webkiln/events/streams';
import { callerFor, type StoredAuthor, servicePrincipal } from '@webkiln/messages';
import { logger } from '@webkiln/runtime';
import { tokensPerCredit } from '../credits/credit-entry-store.ts';
import type { Receipt } from '../credits/reservation.ts';
import { DraftPreview, dropTurn, readDraft, readFile, writeTurn } from '../drafts/project-draft.ts';
import { type Attachment, type Engine, type TurnContext, TurnFailure, type TurnPart } from '../engines/engine.ts';
import { WorkingCopy } from '../engines/working-copy.ts';
import { endTurn } from './end-turn.ts';
import type { Turn } from './turn.ts';
import { latestTurns, saveProgress } from './turn-store.ts';

const callTimeoutMs = 30_000;

/** The input of a turn besides its record. */
export interface TurnInput {
  readonly attachments: readonly Attachment[];
  /** Ids of pictures of the project. */
  readonly pictures: readonly string[];
  readonly model: string | undefined;
  /** The user whose projects are visible; undefined for a member. */
  readonly userId: string | undefined;
  /** Who wrote the message. */
  readonly author?: StoredAuthor;
}

/** Works on one turn, from its draft to its revision. */
export class TurnRun {
  readonly #turn: Turn;
  readonly #work: TurnInput;
  readonly #parts: PartPublisher;
  readonly #signal: AbortSignal;
  readonly #progress = new TurnProgress();

  constructor(turn: Turn, work: TurnInput, parts: PartPublisher, signal: AbortSignal) {
    this.#turn = turn;
    this.#work = work;
    this.#parts = parts;
    this.#signal = signal;
  }

  /** Never rejects: every failure becomes the end of the turn. */
  async run(engine: Engine): Promise<void> {
    try {
      const revision_id = await this.#build(engine).catch((error: unknown) => this.#fail(error));
      if (revision_id === failed) return;
      const receipt = await this.#end('done', revision_id, true);
      if (receipt === null) return;
      const messageMetadata = { turn_id: this.#turn._id, revision_id };
      await this.#parts.end({ type: 'data-usage', data: receipt }, { type: 'finish', messageMetadata });
    } catch (err) {
      logger.error({ err, turn_id: this.#turn._id }, 'a turn could not be ended: another process ends it when its lease is over');
    }
  }

  async #build(engine: Engine): Promise<string | null> {
    const { project_id, org_id, _id: turn_id, message } = this.#turn;
    this.#parts.emit({ type: 'start', messageId: turn_id, messageMetadata: { turn_id } });
    const { files, revision_id: base_revision_id } = await readDraft(project_id, this.#caller());
    if (!(await saveProgress(this.#turn, { base_revision_id: base_revision_id ?? null }))) throw new AppError('edited_meanwhile');
    const site = new WorkingCopy(files);
    const { attachments, model, author } = this.#work;
    const write = (commit: boolean, title: string) =>
      writeTurn({ project_id, turn_id, base_revision_id, ...site.difference, commit, title, author }, this.#caller());
    const show = () => this.#parts.emit({ type: 'data-preview', data: { revision_id: null } });
    const preview = new DraftPreview(() => write(false, '').then(show));
    const listed = new Map(listedPictures(site.read(pictureListPath)).map((picture) => [picture.id, picture]));
    const maxTokens = (this.#turn.reservation?.credits ?? 0) * tokensPerCredit;
    const { summary, tokens } = await engine.run({
      ...{ orgId: org_id, projectId: project_id, turnId: turn_id, message, attachments, site, model, maxTokens },
      pictures: this.#work.pictures.flatMap((id) => listed.get(id) ?? []),
      readFile: (path) => readFile(project_id, path, this.#caller()),
      history: await historyOf(this.#turn),
      signal: this.#signal,
      emit: (part) => this.#emit(part, preview),
    });
    await preview.settled();
    this.#signal.throwIfAborted();
    this.#progress.tokens = tokens;
    // A process that was paused may have lost its turn; one that dies now leaves what there is to charge.
    if (!(await saveProgress(this.#turn, this.#progress.fields))) throw new AppError('edited_meanwhile');
    const { revision_id } = await write(true, summary).catch(unlessUnknown);
    if (revision_id === undefined || revision_id === base_revision_id) return null;
    this.#parts.emit({ type: 'data-preview', data: { revision_id } });
    return revision_id;
  }

  #emit(part: TurnPart, preview: DraftPreview): void {
    this.#progress.note(part);
    if (part.type === 'data-file') preview.changed();
    this.#parts.emit(part);
  }

  async #fail(error: unknown): Promise<typeof failed> {
    if (error instanceof UnknownOutcome) throw error;
    const isStopped = this.#signal.aborted && this.#signal.reason === 'stopped';
    const { project_id, _id: turn_id } = this.#turn;
    const sentence = sentenceFor(error, { isAborted: this.#signal.aborted, turn_id });
    if (error instanceof TurnFailure) this.#progress.tokens = error.tokens;
    if (!isStopped && !this.#progress.hasText) this.#progress.say(sentence);
    const state = isStopped ? 'stopped' : this.#signal.aborted ? 'interrupted' : 'failed';
    const receipt = await this.#end(state, null, isChargedFailure(error, this.#signal));
    if (receipt === null) return failed;
    await dropTurn(project_id, turn_id, this.#caller()).catch((err: unknown) =>
      logger.warn({ err, turn_id }, 'the preview of a turn that failed shows its files until they expire'),
    );
    this.#parts.emit({ type: 'data-preview', data: { revision_id: this.#turn.base_revision_id ?? null } });
    await this.#parts.end({ type: 'data-usage', data: receipt }, isStopped ? { type: 'abort' } : { type: 'error', errorText: sentence });
    return failed;
  }

  /** Null if another process has ended the turn already. */
  #end(state: Exclude<Turn['state'], 'running'>, revision_id: string | null, isCharged: boolean): Promise<Receipt | null> {
    return endTurn(this.#turn, { state, revision_id, ...this.#progress.fields }, isCharged);
  }

  /** A call in embed's own name that sees the projects of the user only. */
  #caller() {
    const principal = { ...servicePrincipal('embed', this.#turn.org_id), user_id: this.#work.userId };
    return callerFor(principal, { timeoutMs: callTimeoutMs });
  }
}

/** A turn publishes no more parts beyond this; its result is in the project. */
const maxPublishedBytes = 4 * 1024 * 1024;

/** Publishes the parts of one turn, in their order. What cannot be published is lost to readers, not to the project. */
export class PartPublisher {
  readonly #stream: TurnStream;
  readonly #turnId: string;
  #number = 0;
  #bytes = 0;
  #published: Promise<void> = Promise.resolve();

  constructor(stream: TurnStream, turnId: string) {
    this.#stream = stream;
    this.#turnId = turnId;
  }

  readonly emit = (part: TurnPart): void => {
    const json = JSON.stringify(part);
    this.#bytes += json.length;
    if (this.#bytes <= maxPublishedBytes || part.type === 'finish' || part.type === 'error') this.#publish(json);
  };

  /** Publishes the last parts. Resolves when all are on disk, or have failed. */
  async end(...parts: TurnPart[]): Promise<void> {
    for (const part of parts) this.emit(part);
    this.#publish(endOfTurn);
    await this.#published;
  }

  #publish(json: string): void {
    const number = ++this.#number;
    this.#published = this.#published
      .then(() => this.#stream.publish(this.#turnId, number, json))
      .catch((err: unknown) => logger.warn({ err, turn_id: this.#turnId }, 'a part of a turn was not published'));
  }
}

const maxTextLength = 32_000;

/** A turn's words, files and tokens so far. Its record keeps them, however the turn ends. */
export class TurnProgress {
  /** Tokens of the model that are paid for. */
  tokens = 0;
  #text = '';
  readonly #files = new Set<string>();

  /** True if the turn has said something. */
  get hasText(): boolean {
    return this.#text !== '';
  }

  say(text: string): void {
    this.#text = (this.#text + text).slice(0, maxTextLength);
  }

  note(part: TurnPart): void {
    if (part.type === 'text-delta') this.say(part.delta);
    if (part.type === 'data-file') this.#files.add((part.data as { path: string }).path);
  }

  /** The fields of the turn's record. */
  get fields(): { text: string; files: string[]; tokens: number } {
    return { text: this.#text, files: [...this.#files], tokens: this.tokens };
  }
}

/** The bounds of what an engine is told: earlier turns, and the characters of each side. */
const maxHistoryTurns = 12;
const maxHistoryLength = 2_000;

/** The conversation before this turn, oldest first. Turns that changed nothing are left out. */
async function historyOf({ org_id, project_id, _id }: Turn): Promise<TurnContext['history']> {
  const turns = await latestTurns({ org_id }, project_id, maxHistoryTurns + 1);
  return turns
    .filter((turn) => turn._id !== _id && turn.state === 'done')
    .flatMap(({ message, text }) => [
      { role: 'user' as const, text: message.slice(0, maxHistoryLength) },
      { role: 'assistant' as const, text: text.slice(0, maxHistoryLength) },
    ]);
}

const unexpected = 'Something went wrong on our side. Your site is as it was: send the message again.';
const edited = 'The site was changed from elsewhere meanwhile. Nothing was overwritten: send the message again.';

/** The outcome of a turn that has ended without a revision. */
const failed = Symbol('failed');

/** The revision may have been made or not: the process that ends the turn asks. */
class UnknownOutcome extends Error {
  override readonly name = 'UnknownOutcome';
}

/** Rethrows a refusal; after any other failure the commit may have been made or not. */
function unlessUnknown(cause: unknown): never {
  if (cause instanceof AppError && cause.status < 500) throw cause;
  throw new UnknownOutcome('a turn was committed without an answer', { cause });
}

/** What the caller can bring about is paid for: an answer is worth its tokens also where it could not be kept. */
function isChargedFailure(error: unknown, { aborted, reason }: AbortSignal): boolean {
  if (aborted) return reason === 'stopped' || reason === 'overdue';
  return error instanceof TurnFailure ? error.isCharged : error instanceof AppError && error.status < 500;
}

/** The sentence for the person; an unexpected error is logged. */
function sentenceFor(error: unknown, { isAborted, turn_id }: { isAborted: boolean; turn_id: string }): string {
  if (error instanceof TurnFailure) return error.message;
  if (error instanceof AppError && error.code === 'edited_meanwhile') return edited;
  if (error instanceof AppError && error.status < 500) return error.message;
  if (!isAborted) logger.error({ err: error, turn_id }, 'turn failed');
  return unexpected;
}
