import { checkSite, type Finding } from '@webkiln/site-check';
import type { SiteWork, TurnContext } from '../engine.ts';
import { WorkRefusal } from '../failures.ts';

const maxFindingsShown = 30;
/** What the composer knows of the site; it is no part of the site itself. */
const hiddenFile = 'webkiln.json';
const lineOf = ({ path, line, message }: Finding): string => `${path}${line === undefined ? '' : `:${line}`}: ${message}`;
const identity = ({ path, rule, message }: Finding) => JSON.stringify([path, rule, message]);

/** The origins of the addresses that a person wrote. */
function namedOrigins(texts: readonly string[]): string[] {
  const addresses = texts.flatMap((text) => text.match(/https?:\/\/[^\s"'<>()]+/gi) ?? []);
  return [...new Set(addresses.flatMap((address) => URL.parse(address)?.origin ?? []))];
}

/** The files of a turn: what the model changes is checked, announced and remembered. */
export class TurnSite {
  readonly #site: SiteWork;
  readonly #emit: TurnContext['emit'];
  readonly #allowedOrigins: string[];
  readonly #earlier: ReadonlySet<string>;
  readonly written = new Set<string>();
  readonly deleted = new Set<string>();

  constructor({ site, emit, message, history }: Pick<TurnContext, 'site' | 'emit' | 'message' | 'history'>) {
    this.#site = site;
    this.#emit = emit;
    this.#allowedOrigins = namedOrigins([message, ...history.flatMap(({ role, text }) => (role === 'user' ? [text] : []))]);
    this.#earlier = new Set(this.#check().map(identity));
  }

  list = (): ReturnType<SiteWork['list']> => this.#site.list().filter(({ path }) => path !== hiddenFile);

  /** Throws `WorkRefusal` if there is no such text. */
  read(path: string): string {
    const text = path === hiddenFile ? undefined : this.#site.read(path);
    if (text === undefined) throw new WorkRefusal(`There is no text file ${path}: list_files shows the files.`);
    return text;
  }

  /** The lines of a file; none if it is no text. */
  lines = (path: string): string[] => this.#site.read(path)?.split('\n') ?? [];

  /** Throws `WorkRefusal`, also for a file that loads code from an origin that the person did not name. */
  write(path: string, text: string): void {
    this.#refuseHidden(path);
    this.#refuseForeignCode(path, text);
    this.#site.write(path, text);
    this.#changed(path, 'written');
  }

  /** Throws `WorkRefusal` if there is no such file. */
  delete(path: string): void {
    this.#refuseHidden(path);
    this.#site.delete(path);
    this.#changed(path, 'deleted');
  }

  /** What is wrong with the site now and was not when the turn began, a sentence each. */
  newFindings(): string[] {
    const findings = this.#check().filter((finding) => !this.#earlier.has(identity(finding)));
    return findings.slice(0, maxFindingsShown).map(lineOf);
  }

  /** What changed, in one sentence; undefined if nothing did. */
  get summary(): string | undefined {
    const parts = [
      ['Wrote', this.written],
      ['Deleted', this.deleted],
    ] as const;
    const sentences = parts.filter(([, paths]) => paths.size > 0).map(([verb, paths]) => `${verb} ${listed([...paths])}.`);
    return sentences.length === 0 ? undefined : sentences.join(' ');
  }

  #check(): Finding[] {
    // A file that is no text has its place alone: links and images may name it.
    const files = this.#site.list().map(({ path }) => [path, this.#site.read(path) ?? new Uint8Array()] as const);
    return checkSite(new Map(files), { allowedOrigins: this.#allowedOrigins });
  }

  #refuseHidden(path: string): void {
    if (path === hiddenFile) throw new WorkRefusal(`${hiddenFile} is kept by the platform.`);
  }

  #refuseForeignCode(path: string, text: string): void {
    const [before, after] = [this.#foreignCode(path, this.#site.read(path) ?? ''), this.#foreignCode(path, text)];
    const added = after.find(({ message }) => !before.some((finding) => finding.message === message));
    if (added !== undefined) throw new WorkRefusal(`${lineOf(added)} The person named no such address.`);
  }

  #foreignCode(path: string, text: string): Finding[] {
    const findings = checkSite(new Map([[path, text]]), { allowedOrigins: this.#allowedOrigins });
    return findings.filter(({ rule }) => rule === 'foreign-origin');
  }

  #changed(path: string, action: 'written' | 'deleted'): void {
    const [set, other] = action === 'written' ? [this.written, this.deleted] : [this.deleted, this.written];
    set.add(path);
    other.delete(path);
    this.#emit({ type: 'data-file', data: { path, action } });
  }
}

const maxNames = 3;

const listed = (paths: readonly string[]): string =>
  paths.length <= maxNames ? paths.join(', ') : `${paths.slice(0, maxNames).join(', ')} and ${paths.length - maxNames} more`;
