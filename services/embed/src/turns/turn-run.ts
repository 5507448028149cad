import { AppError } from '@webkiln/contract';
import { callerFor, servicePrincipal } from '@webkiln/messages';
import { logger } from '@webkiln/runtime';
import { dropTurn, readDraft, writeTurn } from '../drafts/project-draft.ts';
import type { Attachment, Engine, TurnPart } from '../engines/engine.ts';
import { TurnFailure } from '../engines/failures.ts';
import { TurnFiles } from '../engines/turn-files.ts';
import { DraftPreview } from './draft-preview.ts';
import { historyOf } from './history.ts';
import type { Turn } from './turn.ts';
import type { TurnParts } from './turn-parts.ts';
import { saveProgress } from './turn-store.ts';

const callTimeoutMs = 30_000;
const maxTextLength = 32_000;
/** Without credits of its own a turn may spend this much. */
const maxTokens = 200_000;

/** What a turn needs besides its record. */
export interface TurnWork {
  readonly attachments: readonly Attachment[];
  readonly model: string | undefined;
  /** Whose projects are seen; undefined for a member. */
  readonly userId: string | undefined;
}

const unexpected = 'Something went wrong on our side. Your site is as it was: send the message again.';
const edited = 'The site was changed from elsewhere meanwhile. Nothing was overwritten: send the message again.';

/** Works on one turn, from its draft to its revision. */
export class TurnRun {
  readonly #turn: Turn;
  readonly #work: TurnWork;
  readonly #parts: TurnParts;
  readonly #signal: AbortSignal;
  #text = '';
  readonly #files = new Set<string>();

  constructor(turn: Turn, work: TurnWork, parts: TurnParts, signal: AbortSignal) {
    this.#turn = turn;
    this.#work = work;
    this.#parts = parts;
    this.#signal = signal;
  }

  /** Never rejects: whatever happens becomes the end of the turn. */
  async run(engine: Engine): Promise<void> {
    try {
      const revisionId = await this.#build(engine);
      if (!(await this.#end('done', revisionId))) return;
      await this.#parts.end({ type: 'data-usage', data: { credits: 0 } }, { type: 'finish', messageMetadata: this.#metadata(revisionId) });
    } catch (error) {
      await this.#fail(error).catch((err: unknown) => logger.error({ err, turn_id: this.#turn._id }, 'a turn could not be ended'));
    }
  }

  async #build(engine: Engine): Promise<string | null> {
    const { project_id, org_id, _id: turn_id, message } = this.#turn;
    this.#parts.emit({ type: 'start', messageId: turn_id, messageMetadata: { turn_id } });
    const draft = await readDraft(project_id, this.#caller());
    const base_revision_id = draft.revision_id;
    if (!(await saveProgress(this.#turn, { base_revision_id: base_revision_id ?? null }))) throw new AppError('edited_meanwhile');
    const site = new TurnFiles(draft.files);
    const write = (commit: boolean, title: string) =>
      writeTurn({ project_id, turn_id, base_revision_id, ...site.difference, commit, title }, this.#caller());
    const preview = new DraftPreview(async () => {
      await write(false, '');
      this.#parts.emit({ type: 'data-preview', data: { revision_id: null } });
    });
    const history = await historyOf(this.#turn);
    const { attachments, model } = this.#work;
    const { summary } = await engine.run({
      ...{ orgId: org_id, projectId: project_id, turnId: turn_id, message, attachments, history, site, model, maxTokens },
      signal: this.#signal,
      emit: (part) => this.#emit(part, preview),
    });
    await preview.settled();
    this.#signal.throwIfAborted();
    const { revision_id } = await write(true, summary);
    if (revision_id === undefined || revision_id === base_revision_id) return null;
    this.#parts.emit({ type: 'data-preview', data: { revision_id } });
    return revision_id;
  }

  #emit(part: TurnPart, preview: DraftPreview): void {
    if (part.type === 'text-delta') this.#text = (this.#text + part.delta).slice(0, maxTextLength);
    if (part.type === 'data-file') {
      this.#files.add((part.data as { path: string }).path);
      preview.changed();
    }
    this.#parts.emit(part);
  }

  async #fail(error: unknown): Promise<void> {
    const isStopped = this.#signal.aborted && this.#signal.reason === 'stopped';
    const { project_id, _id: turn_id } = this.#turn;
    const sentence = this.#sentence(error);
    if (!isStopped && this.#text === '') this.#text = sentence;
    if (!(await this.#end(isStopped ? 'stopped' : this.#signal.aborted ? 'interrupted' : 'failed', null))) return;
    await dropTurn(project_id, turn_id, this.#caller()).catch((err: unknown) =>
      logger.warn({ err, turn_id }, 'the preview of a turn that failed shows its files until they expire'),
    );
    this.#parts.emit({ type: 'data-preview', data: { revision_id: this.#turn.base_revision_id ?? null } });
    await this.#parts.end(isStopped ? { type: 'abort' } : { type: 'error', errorText: sentence });
  }

  #sentence(error: unknown): string {
    if (error instanceof TurnFailure) return error.message;
    if (error instanceof AppError && error.code === 'edited_meanwhile') return edited;
    if (error instanceof AppError && error.status < 500) return error.message;
    if (!this.#signal.aborted) logger.error({ err: error, turn_id: this.#turn._id }, 'turn failed');
    return unexpected;
  }

  /** False if another process has ended the turn already. */
  #end(state: Turn['state'], revision_id: string | null): Promise<boolean> {
    return saveProgress(this.#turn, { state, revision_id, running: null, text: this.#text, files: [...this.#files] });
  }

  #metadata = (revision_id: string | null) => ({ turn_id: this.#turn._id, revision_id });

  /** A call in embed's own name that sees the projects of the user only. */
  #caller() {
    const principal = { ...servicePrincipal('embed', this.#turn.org_id), user_id: this.#work.userId };
    return callerFor(principal, { timeoutMs: callTimeoutMs });
  }
}
