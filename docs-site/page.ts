/** One page of the site. Its Markdown is what people read as HTML and programs at the page's address + ".md". */
export interface Page {
  /** Below /docs, without a slash at its ends: "webhooks", "reference/createClient"; "" is the start page. */
  readonly path: string;
  readonly title: string;
  /** Its name in the menu, if that is shorter than the title. */
  readonly label?: string;
  /** One sentence, for search engines and llms.txt. */
  readonly description: string;
  /** Without the title. Links are addresses of the site. */
  readonly markdown: string;
}

/** A group of the menu, open or closed. */
export interface Group {
  readonly label: string;
  readonly isOpen?: boolean;
  readonly items: readonly (Page | Group)[];
}

export const base = '/docs';

export const addressOf = (path: string) => (path === '' ? base : `${base}/${path}`);

export const isGroup = (item: Page | Group): item is Group => 'items' in item;

export const pagesOf = (items: readonly (Page | Group)[]): Page[] =>
  items.flatMap((item) => (isGroup(item) ? pagesOf(item.items) : [item]));

/** Between these, a page shows one of several pieces of code. */
const choice = { begin: '<!-- choice -->', end: '<!-- end of choice -->' };

export const choiceOf = (pieces: readonly string[]) => [choice.begin, ...pieces, choice.end].join('\n\n');

/** The Markdown that becomes HTML: pieces to choose from are one element (`src/enhance.ts`). */
export const sourceOf = ({ markdown }: Page) => markdown.replaceAll(choice.begin, '<div class="choice">').replaceAll(choice.end, '</div>');

/** The page as Markdown, with its title. */
export const textOf = ({ title, markdown }: Page) => {
  const text = markdown.replaceAll(`${choice.begin}\n\n`, '').replaceAll(`${choice.end}\n\n`, '');
  return `# ${title}\n\n${text.trim()}\n`;
};

/** Where the Markdown of a page is, by its id in Starlight. */
export const markdownAddress = (id: string) => (id === '' || id === 'index' ? `${base}.md` : `${base}/${id}.md`);
