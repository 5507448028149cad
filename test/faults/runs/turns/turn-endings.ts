import type { Project } from '@webkiln/contract';
import type { ModelAnswer } from '../../../../services/embed/src/testing/model-answer.ts';
import type { ModelRequest, Script } from '../../../../services/embed/src/testing/model-server.ts';
import type { Random } from '../random.ts';

/** One answer of the scripted model costs so many tokens, which are whole credits. */
const usage = { input: 1_000, output: 1_000 };
const page = '<!doctype html><html lang="en"><head><title>Bakery</title></head><body><h1>Bakery</h1></body></html>';
const writes: ModelAnswer = { calls: [{ name: 'write_file', input: { path: 'index.html', content: page } }], usage };
const badCall: ModelAnswer = { calls: [{ name: 'write_file', input: { path: 7 } }], usage };
/** Few turns of it use up what failures of a day are free. */
const reads: ModelAnswer = { calls: [{ name: 'list_files', input: {} }], usage: { input: 95_000, output: 0 } };
const done: ModelAnswer = { text: 'Done.', usage };

/** What somebody does while the model works on its last answer. */
export interface Meanwhile {
  readonly stop: (project: Project) => Promise<unknown>;
  readonly deleteProject: (project: Project) => Promise<unknown>;
  /** The answer waits for it. */
  readonly edit: (project: Project) => Promise<unknown>;
}

interface Ending {
  readonly answers: readonly ModelAnswer[];
  readonly meanwhile?: keyof Meanwhile;
  /** The provider fails: it costs nothing until the free tokens of the day are used up. */
  readonly isFree?: boolean;
}

const down: Ending = { answers: [reads, { status: 500 }], isFree: true };

/** Every way for a turn of a model to end but a kill. */
const endings: readonly Ending[] = [
  { answers: [writes, done] },
  { answers: [done] },
  { answers: [writes, { text: 'I cannot.', finish: 'content_filter', usage }] },
  { answers: [badCall, badCall] },
  { answers: [writes, done], meanwhile: 'edit' },
  { answers: [writes, { status: 400, body: { error: { message: 'maximum context length' } } }] },
  { answers: [{ status: 400, body: { error: { message: 'no' } } }] },
  { answers: [writes, { text: 'I', fails: 'endless' }] },
  { answers: [writes, { text: 'I beg', fails: 'hang' }], meanwhile: 'stop' },
  { answers: [writes, { text: 'I beg', fails: 'hang' }], meanwhile: 'deleteProject' },
  { answers: [writes, { text: 'I', fails: 'error' }], isFree: true },
  { answers: [writes, { text: 'I', fails: 'cut' }], isFree: true },
  ...[down, down, down, down],
];

/** An answer without an end is cut at 12 characters for each of the 16,000 tokens that it may have. */
const endlessTokens = (16_000 * 12) / 4;

/** One message and what its turn has asked the provider for. */
export interface EndingTurn {
  readonly message: string;
  readonly project: Project;
  readonly ending: Ending;
  /** Requests of the model. */
  asked: number;
  /** What the provider was asked for. It states the tokens of whole answers; those of others are estimated by us. */
  readonly tokens: { least: number; most: number };
  isMeanwhileDone: boolean;
}

/** Deals the endings in a random order, all of them in turn, and answers their requests. */
export class TurnEndings {
  readonly #random: Random;
  readonly #meanwhile: Meanwhile;
  readonly #turns = new Map<string, EndingTurn>();
  #deck: Ending[] = [];

  constructor(random: Random, meanwhile: Meanwhile) {
    this.#random = random;
    this.#meanwhile = meanwhile;
  }

  get turns(): EndingTurn[] {
    return [...this.#turns.values()];
  }

  /** The next turn. One that deletes its project has it from `newProject`. */
  async next(project: Project, newProject: () => Promise<Project>): Promise<EndingTurn> {
    if (this.#deck.length === 0) this.#deck = [...endings];
    const [ending = down] = this.#deck.splice(this.#random.integerUpTo(this.#deck.length - 1), 1);
    const own = ending.meanwhile === 'deleteProject' ? await newProject() : project;
    const name = `Message ${this.#turns.size + 1}`;
    const turn = { message: `${name}.`, project: own, ending, asked: 0, tokens: { least: 0, most: 0 }, isMeanwhileDone: false };
    this.#turns.set(name, turn);
    return turn;
  }

  /** A model that answers each turn as its ending says. The message itself is the last one in a request. */
  readonly script: Script = async (request) => {
    const turn = this.#turns.get([...request.text.matchAll(/Message \d+/g)].at(-1)?.[0] ?? '');
    if (turn === undefined) throw new Error('the model was asked for a turn that nobody began');
    const { answers, meanwhile } = turn.ending;
    const answer = answers[turn.asked++] ?? done;
    if (meanwhile !== undefined && turn.asked === answers.length) await this.#do(meanwhile, turn);
    this.#count(turn, answer, request);
    return answer;
  };

  /** The answer waits for a change of the draft alone: a stop waits for the end of the turn. */
  async #do(meanwhile: keyof Meanwhile, turn: EndingTurn): Promise<void> {
    const doing = this.#meanwhile[meanwhile](turn.project).then(() => {
      turn.isMeanwhileDone = true;
    });
    if (meanwhile === 'edit') await doing;
  }

  #count(turn: EndingTurn, { status, fails, usage: stated }: ModelAnswer, { text }: ModelRequest): void {
    if (status !== undefined) return;
    const whole = fails === undefined ? (stated?.input ?? 0) + (stated?.output ?? 0) : 0;
    const endless = fails === 'endless' ? endlessTokens : 0;
    turn.tokens.least += whole + endless;
    // A request has more characters than are estimated, at four a token; a piece of an endless answer has 1,800.
    turn.tokens.most += whole + endless + (fails === undefined ? 0 : Math.ceil((text.length + 1_800) / 4));
  }
}
