import { setImmediate as pendingIo } from 'node:timers/promises';
import { pictureListPath } from '@webkiln/contract';
import type { Finding } from '@webkiln/site-check';
import { type ToolSet, tool } from 'ai';
import * as z from 'zod';
import { type SiteWork, type TurnContext, WorkRefusal } from '../engine.ts';
import { notChecked, type SiteChecks } from './site-checks.ts';

const maxListed = 1_000;
const maxReadCharacters = 60_000;
const maxHits = 50;
const maxHitCharacters = 200;

const path = z.string().min(1).max(500).describe('Path of the file below the root of the site, such as about.html or images/logo.svg');

function edited(text: string, passage: string, replacement: string): string {
  const at = text.indexOf(passage);
  if (at === -1)
    throw new WorkRefusal('The passage does not occur in the file: read the file and copy it exactly, with its spaces and line breaks.');
  if (text.indexOf(passage, at + 1) !== -1)
    throw new WorkRefusal('The passage occurs more than once: add lines before or after it until it occurs once.');
  return text.slice(0, at) + replacement + text.slice(at + passage.length);
}

/** The text of a file without the Markdown fence that models put around code. */
function unfenced(path: string, text: string): string {
  const [first = '', ...lines] = text.trim().split('\n');
  const mark = /^(?:`{3,10}|~{3,10})/.exec(first)?.[0];
  if (mark === undefined || lines.pop()?.trim() !== mark || /\.(?:md|markdown)$/i.test(path)) return text;
  return `${lines.join('\n')}\n`;
}

async function hits(site: CheckedSite, words: string): Promise<string[]> {
  const wanted = words.toLowerCase();
  const found: string[] = [];
  for (const file of site.list()) {
    await pendingIo();
    for (const [index, line] of site.lines(file.path).entries()) {
      const at = line.toLowerCase().indexOf(wanted);
      if (at === -1) continue;
      found.push(
        `${file.path}:${index + 1}: ${line
          .slice(Math.max(0, at - 60))
          .trim()
          .slice(0, maxHitCharacters)}`,
      );
      if (found.length === maxHits) return [...found, `Only the first ${maxHits} lines are shown.`];
    }
  }
  return found.length > 0 ? found : ['Nothing was found.'];
}

/** The tools of a model. They reach the files of the turn's site and nothing else. */
export function fileTools(site: CheckedSite): ToolSet {
  return {
    list_files: tool({
      description: 'Lists the files of the site with their sizes in bytes.',
      inputSchema: z.object({}),
      execute: () => {
        const files = site.list().map(({ path, size }) => `${path} (${size})`);
        if (files.length === 0) return 'The site has no files yet.';
        return [...files.slice(0, maxListed), ...(files.length > maxListed ? [`and ${files.length - maxListed} more`] : [])].join('\n');
      },
    }),
    read_file: tool({
      description: `Reads a text file, ${maxReadCharacters} characters at most; offset continues a longer one.`,
      inputSchema: z.object({ path, offset: z.int().min(0).optional() }),
      execute: ({ path, offset = 0 }) => {
        const text = site.read(path);
        const end = offset + maxReadCharacters;
        return text.length <= end
          ? text.slice(offset)
          : `${text.slice(offset, end)}\n[The file has ${text.length} characters: read on with offset ${end}.]`;
      },
    }),
    search_files: tool({
      description: 'Finds lines that contain a text, whatever its case.',
      inputSchema: z.object({ text: z.string().min(1).max(500) }),
      execute: async ({ text }) => (await hits(site, text)).join('\n'),
    }),
    write_file: tool({
      description: 'Writes a whole text file, a new one or over the one that is there.',
      inputSchema: z.object({ path, content: z.string() }),
      execute: async ({ path, content }, { abortSignal }) => {
        await site.write(path, unfenced(path, content), abortSignal);
        return `Wrote ${path}.`;
      },
    }),
    edit_file: tool({
      description: 'Replaces a passage of a text file. The passage must occur exactly once, copied exactly.',
      inputSchema: z.object({ path, passage: z.string().min(1), replacement: z.string() }),
      execute: async ({ path, passage, replacement }, { abortSignal }) => {
        await site.write(path, edited(site.read(path), passage, replacement), abortSignal);
        return `Changed ${path}.`;
      },
    }),
    delete_file: tool({
      description: 'Deletes a file.',
      inputSchema: z.object({ path }),
      execute: ({ path }) => {
        site.delete(path);
        return `Deleted ${path}.`;
      },
    }),
    check_site: tool({
      description: 'Checks pages, links, images, labels and origins of the site as it is now.',
      inputSchema: z.object({}),
      execute: async () => {
        const findings = await site.newFindings();
        return findings === notChecked ? 'The site was not checked: that takes too long.' : findings.join('\n') || 'Nothing is wrong.';
      },
    }),
  };
}

const maxFindingsShown = 30;
/** The composer's notes about the site; they are no part of the site itself. */
const hiddenFile = 'webkiln.json';
/** What the platform alone writes. */
const keptFiles: ReadonlySet<string> = new Set([hiddenFile, pictureListPath]);
const noText = new Uint8Array();
const lineOf = ({ path, line, message }: Finding): string => `${path}${line === undefined ? '' : `:${line}`}: ${message}`;
/** The files that a check reads; of all others it needs the names. */
const isChecked = (path: string) => /\.(?:html?|css)$/i.test(path);

/** The origins of the addresses that a person wrote. */
function namedOrigins(texts: readonly string[]): string[] {
  const addresses = texts.flatMap((text) => text.match(/https?:\/\/[^\s"'<>()]+/gi) ?? []);
  return [...new Set(addresses.flatMap((address) => URL.parse(address)?.origin ?? []))];
}

/** The files of a turn: what the model changes is checked, announced and remembered. */
export class CheckedSite {
  readonly #site: SiteWork;
  readonly #orgId: string;
  readonly #emit: TurnContext['emit'];
  readonly #checks: SiteChecks;
  readonly #allowedOrigins: string[];
  /** What the files that changed held when the turn began; undefined for new ones. */
  readonly #before = new Map<string, string | Uint8Array | undefined>();
  readonly #original: ReadonlySet<string>;
  readonly written = new Set<string>();
  readonly deleted = new Set<string>();

  constructor({ site, orgId, emit, message, history }: TurnContext, checks: SiteChecks) {
    this.#site = site;
    this.#orgId = orgId;
    this.#emit = emit;
    this.#checks = checks;
    this.#allowedOrigins = namedOrigins([message, ...history.flatMap(({ role, text }) => (role === 'user' ? [text] : []))]);
    this.#original = new Set(site.list().map(({ path }) => path));
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

  /**
   * Throws `WorkRefusal`, also for a file that loads code from an origin that the person did not name, and the reason
   * of `signal` when it has aborted.
   */
  async write(path: string, text: string, signal?: AbortSignal): Promise<void> {
    this.#refuseKept(path);
    await this.#refuseForeignCode(path, text);
    signal?.throwIfAborted();
    const before = this.#contentOf(path);
    this.#site.write(path, text);
    this.#changed(path, before, 'written');
  }

  /** Throws `WorkRefusal` if there is no such file. */
  delete(path: string): void {
    this.#refuseKept(path);
    const before = this.#contentOf(path);
    this.#site.delete(path);
    this.#changed(path, before, 'deleted');
  }

  /** The faults that the site has now and did not have when the turn began, a sentence each. */
  async newFindings(): Promise<readonly string[] | typeof notChecked> {
    if (this.#before.size === 0) return [];
    const files = this.#site.list().map(({ path }) => [path, this.#contentOf(path) ?? noText] as const);
    const change = { files: new Map(files), before: this.#before };
    const findings = await this.#checks.changes(this.#orgId, change, { allowedOrigins: this.#allowedOrigins });
    return findings === notChecked ? findings : findings.slice(0, maxFindingsShown).map(lineOf);
  }

  /** The change in one sentence; undefined if there is none. */
  get summary(): string | undefined {
    const parts = [
      ['Wrote', this.written],
      ['Deleted', this.deleted],
    ] as const;
    const sentences = parts.filter(([, paths]) => paths.size > 0).map(([verb, paths]) => `${verb} ${listed([...paths])}.`);
    return sentences.length === 0 ? undefined : sentences.join(' ');
  }

  /** A file's content as a check reads it; undefined if the turn has made the file, or there is none. */
  #contentOf(path: string): string | Uint8Array | undefined {
    const text = isChecked(path) ? this.#site.read(path) : undefined;
    return text ?? (this.#original.has(path) ? noText : undefined);
  }

  #refuseKept(path: string): void {
    if (keptFiles.has(path)) throw new WorkRefusal(`${path} is kept by the platform.`);
  }

  async #refuseForeignCode(path: string, text: string): Promise<void> {
    if (!isChecked(path)) return;
    const input = [path, this.#site.read(path) ?? '', text, { allowedOrigins: this.#allowedOrigins }] as const;
    const added = await this.#checks.foreignCode(this.#orgId, ...input);
    if (added === notChecked) throw new WorkRefusal('The file could not be checked in time: make it smaller, or write it again later.');
    if (added?.rule === 'foreign-origin') throw new WorkRefusal(`${lineOf(added)} The person named no such address.`);
    if (added !== undefined) throw new WorkRefusal(lineOf(added));
  }

  #changed(path: string, before: string | Uint8Array | undefined, action: 'written' | 'deleted'): void {
    if (!this.#before.has(path)) this.#before.set(path, before);
    const [set, other] = action === 'written' ? [this.written, this.deleted] : [this.deleted, this.written];
    set.add(path);
    other.delete(path);
    this.#emit({ type: 'data-file', data: { path, action } });
  }
}

const maxNames = 3;

const listed = (paths: readonly string[]): string =>
  paths.length <= maxNames ? paths.join(', ') : `${paths.slice(0, maxNames).join(', ')} and ${paths.length - maxNames} more`;
