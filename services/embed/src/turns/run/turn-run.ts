import { AppError } from '@webkiln/contract';
import { callerFor, servicePrincipal } from '@webkiln/messages';
import { logger } from '@webkiln/runtime';
import { tokensPerCredit } from '../../credits/credit-entry.ts';
import type { Receipt } from '../../credits/reservation.ts';
import { dropTurn, readDraft, writeTurn } from '../../drafts/project-draft.ts';
import type { Attachment, Engine, TurnPart } from '../../engines/engine.ts';
import { TurnFailure } from '../../engines/failures.ts';
import { TurnFiles } from '../../engines/turn-files.ts';
import { endTurn } from '../end-turn.ts';
import type { Turn } from '../turn.ts';
import { saveProgress } from '../turn-store.ts';
import { DraftPreview } from './draft-preview.ts';
import { historyOf } from './history.ts';
import { failed, sentenceFor, UnknownOutcome, unlessUnknown } from './turn-failures.ts';
import type { TurnParts } from './turn-parts.ts';
import { TurnProgress } from './turn-progress.ts';

const callTimeoutMs = 30_000;

/** The input of a turn besides its record. */
export interface TurnWork {
  readonly attachments: readonly Attachment[];
  readonly model: string | undefined;
  /** The user whose projects are visible; undefined for a member. */
  readonly userId: string | undefined;
}

/** Works on one turn, from its draft to its revision. */
export class TurnRun {
  readonly #turn: Turn;
  readonly #work: TurnWork;
  readonly #parts: TurnParts;
  readonly #signal: AbortSignal;
  readonly #progress = new TurnProgress();

  constructor(turn: Turn, work: TurnWork, parts: TurnParts, signal: AbortSignal) {
    this.#turn = turn;
    this.#work = work;
    this.#parts = parts;
    this.#signal = signal;
  }

  /** Never rejects: whatever happens becomes the end of the turn. */
  async run(engine: Engine): Promise<void> {
    try {
      const revision_id = await this.#build(engine).catch((error: unknown) => this.#fail(error));
      if (revision_id === failed) return;
      const receipt = await this.#end('done', revision_id);
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
    const site = new TurnFiles(files);
    const write = (commit: boolean, title: string) =>
      writeTurn({ project_id, turn_id, base_revision_id, ...site.difference, commit, title }, this.#caller());
    const show = () => this.#parts.emit({ type: 'data-preview', data: { revision_id: null } });
    const preview = new DraftPreview(() => write(false, '').then(show));
    const { attachments, model } = this.#work;
    const maxTokens = (this.#turn.reservation?.credits ?? 0) * tokensPerCredit;
    const { summary, tokens } = await engine.run({
      ...{ orgId: org_id, projectId: project_id, turnId: turn_id, message, attachments, site, model, maxTokens },
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
    const receipt = await this.#end(isStopped ? 'stopped' : this.#signal.aborted ? 'interrupted' : 'failed', null);
    if (receipt === null) return failed;
    await dropTurn(project_id, turn_id, this.#caller()).catch((err: unknown) =>
      logger.warn({ err, turn_id }, 'the preview of a turn that failed shows its files until they expire'),
    );
    this.#parts.emit({ type: 'data-preview', data: { revision_id: this.#turn.base_revision_id ?? null } });
    await this.#parts.end({ type: 'data-usage', data: receipt }, isStopped ? { type: 'abort' } : { type: 'error', errorText: sentence });
    return failed;
  }

  /** Null if another process has ended the turn already. */
  #end(state: Exclude<Turn['state'], 'running'>, revision_id: string | null): Promise<Receipt | null> {
    return endTurn(this.#turn, { state, revision_id, ...this.#progress.fields });
  }

  /** A call in embed's own name that sees the projects of the user only. */
  #caller() {
    const principal = { ...servicePrincipal('embed', this.#turn.org_id), user_id: this.#work.userId };
    return callerFor(principal, { timeoutMs: callTimeoutMs });
  }
}
