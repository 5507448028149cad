import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { allPrepared, type PreparedTool, servedBy } from '@webkiln/agent-tools';
import { type DocsPassage, maxDocsQuery } from '@webkiln/contract';
import { handle, type UseCase } from '@webkiln/rpc';
import MiniSearch, { type SearchResult } from 'minisearch';

interface Section extends DocsPassage {
  readonly id: number;
}

type Index = MiniSearch<Section>;

const maxFound = 8;
/** Characters of a passage: all of them are below 20,000 bytes, as JSON and with what stands beside the text. */
const maxText = 1800;

/** Words of questions that every guide has. */
const saysNothing = /^(?:an?|and|are|can|do|does|for|how|i|in|is|it|my|of|on|or|the|to|what|with)$/i;

/** The guides in a folder of Markdown, as the docs site is made of them. They are read once somebody searches. */
export class Guides {
  readonly #folder: string;
  readonly #origin: string;
  #index: Promise<Index> | undefined;

  readonly useCase = handle('mcp.SearchDocs', async ({ q }) => ({ passages: await this.search(q ?? '') })) as UseCase;
  /** The tool, which this process runs itself. */
  readonly tool: PreparedTool = servedBy(allPrepared.get('search_docs') as PreparedTool, async ({ q }) =>
    JSON.stringify({ passages: await this.search(q as string) }),
  );

  /** `origin` is the platform's public address. */
  constructor(folder: string, origin: string) {
    this.#folder = folder;
    this.#origin = origin;
  }

  /** The passages that have the words, the best match first. */
  async search(query: string): Promise<DocsPassage[]> {
    this.#index ??= this.#read().catch((error: unknown) => {
      this.#index = undefined; // the next search reads them again
      throw error;
    });
    const index = await this.#index;
    return index
      .search(query.slice(0, maxDocsQuery))
      .slice(0, maxFound)
      .map((found) => passageOf(found));
  }

  async #read(): Promise<Index> {
    const index = new MiniSearch<Section>({
      fields: ['title', 'section', 'text'],
      storeFields: ['title', 'section', 'url', 'text'],
      // The names of settings, tools and errors are words.
      tokenize: (text) => text.split(/[^\p{L}\p{N}_]+/u),
      // One or many of something is the same word.
      processTerm: (term) => (term === '' || saysNothing.test(term) ? null : term.toLowerCase().replace(/(?<=\w{3})s$/, '')),
      searchOptions: {
        boost: { title: 2, section: 3 },
        prefix: (term) => term.length > 3,
        fuzzy: (term) => (term.length > 5 ? 0.2 : false),
      },
    });
    for (const name of globSync('*.md', { cwd: this.#folder }).sort()) {
      const address = `${this.#origin}/docs${name === 'index.md' ? '' : `/${name.slice(0, -'.md'.length)}`}`;
      const text = (await readFile(path.join(this.#folder, name), 'utf8')).replaceAll('https://webkiln.example', this.#origin);
      for (const section of sectionsOf(text, address)) index.add({ ...section, id: index.documentCount });
    }
    return index;
  }
}

/** The sections of a guide, which begins with its title. What looks like a heading in code is none. */
function sectionsOf(markdown: string, address: string): DocsPassage[] {
  const [first = '', ...lines] = markdown.split('\n');
  const title = first.replace(/^# /, '');
  const sections: (DocsPassage & { lines: string[] })[] = [{ title, section: null, url: address, text: '', lines: [] }];
  let isCode = false;
  for (const line of lines) {
    if (line.startsWith('```')) isCode = !isCode;
    const [, heading] = (!isCode && /^#{2,4} (.+)/.exec(line)) || [];
    if (heading === undefined) sections.at(-1)?.lines.push(line);
    else sections.push({ title, section: heading.replaceAll('`', ''), url: `${address}#${anchorOf(heading)}`, text: '', lines: [] });
  }
  return sections.map(({ lines: own, ...section }) => ({ ...section, text: own.join('\n').trim() })).filter(({ text }) => text !== '');
}

/** The id of a heading in the page, as the docs site makes it. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');

/** What is shown of a section: of a long one the lines in which most of the words stand. */
function passageOf({ title, section, url, text, match }: SearchResult): DocsPassage {
  if (text.length <= maxText) return { title, section, url, text };
  const words = Object.keys(match);
  const lower = text.toLowerCase();
  let [from, most] = [0, -1];
  for (let start = 0; start < text.length; start = text.indexOf('\n', start) + 1 || text.length) {
    const part = lower.slice(start, start + maxText);
    const count = words.filter((word) => part.includes(word)).length;
    if (count > most) [from, most] = [start, count];
  }
  const end = from + maxText;
  return { title, section, url, text: `${from > 0 ? '…\n' : ''}${text.slice(from, end).toWellFormed()}${end < text.length ? '…' : ''}` };
}
