import type { ListedPicture } from '@webkiln/contract';
import type { UIMessageChunk } from 'ai';

/** A part of a turn's stream, as the AI SDK's UI message stream protocol writes it. */
export type TurnPart = UIMessageChunk;

/** The files of a site while a turn works on them. */
export interface SiteWork {
  /** All files, sorted by path; sizes in bytes. */
  list(): readonly { readonly path: string; readonly size: number }[];
  /** The text of a file; undefined if there is none or it is not text. */
  read(path: string): string | undefined;
  /** Throws `WorkRefusal`, with a sentence for the engine: a wrong path, too large, too many files. */
  write(path: string, text: string): void;
  /** Throws `WorkRefusal` if there is no such file. */
  delete(path: string): void;
}

export interface Attachment {
  readonly mediaType: string;
  readonly data: Uint8Array;
}

export interface TurnContext {
  readonly orgId: string;
  readonly projectId: string;
  readonly turnId: string;
  readonly message: string;
  readonly attachments: readonly Attachment[];
  /** The pictures of the site that the message is about. */
  readonly pictures: readonly ListedPicture[];
  readonly readFile: (path: string) => Promise<Uint8Array>;
  /** Earlier messages, oldest first, within the bound of the history. */
  readonly history: readonly { readonly role: 'user' | 'assistant'; readonly text: string }[];
  readonly site: SiteWork;
  /** The model that the caller chose; undefined: the default. */
  readonly model: string | undefined;
  /** The most tokens that the turn may spend: what its reserved credits pay for. */
  readonly maxTokens: number;
  /** Aborts when the turn is stopped or its time is over. */
  readonly signal: AbortSignal;
  readonly emit: (part: TurnPart) => void;
}

export interface TurnOutcome {
  /** The change in one sentence, for the history. */
  readonly summary: string;
  /** Model tokens spent; the composer spends none. */
  readonly tokens: number;
}

/** Works on one turn. Throws `TurnFailure` for what ends it with a sentence for the person. */
export interface Engine {
  run(context: TurnContext): Promise<TurnOutcome>;
}

/** The engine of a turn: that of models if it was admitted with one, else the composer. */
export type EngineOf = (model: string | undefined) => Engine;

/** A file operation that the rules of sites refuse; the message tells the engine what to do instead. */
export class WorkRefusal extends Error {
  override readonly name = 'WorkRefusal';
}

interface TurnFailureOptions extends ErrorOptions {
  /** Model tokens spent until then; 0 by default. */
  readonly tokens?: number;
  /** What the caller asked for made it fail, so its tokens are paid for; by default it was us or the provider. */
  readonly isCharged?: boolean;
}

/** Ends a turn; the message is a sentence for the person. */
export class TurnFailure extends Error {
  override readonly name = 'TurnFailure';
  readonly tokens: number;
  readonly isCharged: boolean;

  constructor(message: string, { tokens = 0, isCharged = false, ...options }: TurnFailureOptions = {}) {
    super(message, options);
    this.tokens = tokens;
    this.isCharged = isCharged;
  }
}
