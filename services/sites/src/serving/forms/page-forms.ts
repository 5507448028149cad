import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import { fileOf } from '../../resolutions/answer.ts';
import type { PublishedFile, Site } from '../../resolutions/site.ts';

/** A form as a page has it for Netlify: `<form data-netlify="true" netlify-honeypot="bot-field">`. */
interface PageForm {
  readonly name: string;
  /** The address that it posts to, as the page names it; empty for the page itself. */
  readonly action: string;
  readonly honeypot: string;
}

/** The form that a page's visitor sent. */
export interface FoundForm {
  readonly name: string;
  /** The field that people leave empty. */
  readonly honeypot: string;
  /** True if it posts to another page than its own, which is shown then. */
  readonly leadsTo: boolean;
}

/** Reads the content of a file. */
export type ReadFile = (file: PublishedFile) => Promise<Buffer>;

/** Netlify's documentation calls it so. */
const usualHoneypot = 'bot-field';
/** The form of pages that scripts make is declared in the start page, or in this one, which Netlify reads. */
const declaringPages = ['/', '/__forms.html'];
const maxPageBytes = 512 * 1024;
const origin = 'https://site.invalid';

/**
 * Finds the form that was posted to `path`: the one with this name, else the only one of the page that posts there.
 * `page` is the page that sent it; undefined if the browser did not say.
 */
export async function findForm(
  read: ReadFile,
  site: Site,
  { name, path, page }: { readonly name: string | undefined; readonly path: string; readonly page: string | undefined },
): Promise<FoundForm | undefined> {
  const hasPage = fileOf(site, path) !== undefined;
  const pages = [...new Set([page ?? path, path, ...(name === undefined ? [] : declaringPages)])];
  for (const each of pages) {
    const declared = (await formsOf(read, site, each)).filter((form) => name === undefined || form.name === name);
    const sent = declared.filter(({ action }) => samePage(targetOf(action, each), path));
    const [form] = sent.length > 0 ? sent : name === undefined ? [] : declared;
    if (form !== undefined && (name !== undefined || sent.length === 1)) {
      return { name: form.name, honeypot: form.honeypot, leadsTo: !samePage(each, path) && hasPage };
    }
  }
  if (name === undefined) return undefined;
  return { name, honeypot: usualHoneypot, leadsTo: !samePage(page ?? '/', path) && hasPage };
}

const targetOf = (action: string, page: string) => URL.parse(action, `${origin}${page}`)?.pathname ?? page;

/** True if two paths are addresses of one page: "/docs", "/docs.html", "/docs/" and "/docs/index.html". */
const samePage = (one: string, other: string) => plain(one) === plain(other);
const plain = (path: string) =>
  path
    .replace(/\.html$/, '')
    .replace(/\/index$/, '')
    .replace(/\/$/, '');

/** Read once: a file never changes. */
const known = new WeakMap<PublishedFile, readonly PageForm[]>();

async function formsOf(read: ReadFile, site: Site, path: string): Promise<readonly PageForm[]> {
  const file = fileOf(site, path);
  if (file === undefined || !file.isPage || file.representation('').maxBytes > maxPageBytes) return [];
  const forms = known.get(file) ?? formsIn((await read(file)).toString());
  known.set(file, forms);
  return forms;
}

/** The forms for Netlify in a page. */
function formsIn(html: string): readonly PageForm[] {
  if (!/netlify/i.test(html)) return [];
  const forms: PageForm[] = [];
  const waiting: DefaultTreeAdapterTypes.Node[] = [parse(html)];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if ('childNodes' in node) waiting.push(...node.childNodes);
    if ('tagName' in node && node.tagName === 'form') forms.push(...formOf(node));
  }
  return forms;
}

function formOf({ attrs }: DefaultTreeAdapterTypes.Element): PageForm[] {
  const of = new Map(attrs.map(({ name, value }) => [name, value]));
  const isNetlify = (of.get('data-netlify') ?? of.get('netlify') ?? 'false').toLowerCase() !== 'false';
  const name = of.get('name') ?? '';
  if (!isNetlify || name === '') return [];
  const honeypot = of.get('netlify-honeypot') || of.get('data-netlify-honeypot') || usualHoneypot;
  return [{ name, action: of.get('action') ?? '', honeypot }];
}
