import type { SitePage, SiteSection } from '../site.ts';
import { askedLocale, namedLocale } from '../understand/locale-of.ts';
import { sectionIn } from '../understand/section-in.ts';
import { plain } from '../understand/text.ts';
import { type Change, type EditRequest, has, type Intent, pageIn, saysPage, sectionName, valueAfter, withPage } from './request.ts';

/** "Translate to French". Texts that the user wrote stay as they are. */
export const translate: Intent = (request) => {
  const named = askedLocale(request.sentence);
  const locale = named ?? (has(request, 'translate') ? namedLocale(request.sentence) : undefined);
  return locale === undefined ? undefined : { site: { ...request.site, locale }, message: 'translated' };
};

const nameSubject =
  /(?<!\p{L})(?:(?:the |our |its )?(?:business |company |site |shop )?name|we(?:['’]re| are)(?: now)? called|wir heißen(?: jetzt| nun)?|nous nous appelons|(?:ahora )?nos llamamos|call (?:it|us|the site|the business)|rename (?:it|us|the site|the business|the company)?|der name|unser name|namen?|nenne?(?: uns| die seite| das geschäft| den laden)?|le nom|notre nom|nom|renomme(?: le site)?|appelle(?:-nous| le site)?|el nombre|nuestro nombre|nombre|renombra(?: el sitio)?|llama(?:lo)?(?: al sitio)?|llámalo|llámanos)(?=\s|:|$)/iu;

/** "The name is Chez Ana", "call it Chez Ana". */
export const rename: Intent = (request) => {
  const { sentence, site } = request;
  const at = sentence.match(nameSubject);
  if (
    at?.index === undefined ||
    saysPage({ ...request, plain: plain(sentence.replace(nameSubject, ' ')) }) ||
    sectionIn(sentence.slice(0, at.index)) !== undefined
  )
    return undefined;
  const rest = sentence.slice(at.index + at[0].length).trim();
  const isCall = /^(?:call|we|wir|nous|nos|ahora|nenn|appelle|llam|llám|rename|renomm|renombr)/iu.test(at[0]);
  const value = (valueAfter(sentence, nameSubject) ?? (isCall ? rest : undefined))
    ?.replace(/^(?:to|zu|en|in|a)\s+/iu, '')
    .replace(/[.!]$/, '');
  if (value === undefined || value === '') return undefined;
  return {
    site: { ...site, name: value.slice(0, 80), isNameProvisional: false },
    message: 'renamed',
    values: { value: value.slice(0, 80) },
  };
};

const titleSubject =
  /(?<![\p{L}-])(?:title|headline|main heading|heading|überschrift|ueberschrift|titel|schlagzeile|titre|título|titulo|encabezado)(?!\p{L})(?![\s-]*(?:page|seite))/iu;
const subtitleSubject =
  /(?<!\p{L})(?:sub-?title|tagline|subheading|lead|untertitel|unterzeile|sous-titre|accroche|subtítulo|subtitulo|entradilla)(?!\p{L})/iu;
const textSubject = /(?<!\p{L})(?:text|texts|paragraph|wording|absatz|texte|paragraphe|texto|párrafo)(?!\p{L})/iu;

/**
 * The section that a sentence names, on the page that it names or on the first that has one; without a name, the
 * home page's first.
 */
function sectionOf(request: EditRequest, named: string): { page: SitePage; section: SiteSection } | undefined {
  const kind = sectionIn(named);
  const wished = pageIn({ ...request, sentence: named, plain: plain(named) });
  const pages = wished === undefined ? request.site.pages : [wished];
  for (const page of pages) {
    const section = page.sections.find((candidate) => (kind === undefined ? candidate === page.sections[0] : candidate.kind === kind));
    if (section !== undefined) return { page, section };
  }
  return undefined;
}

/** Says that there is no such section, and how to bring it back or add it. */
function missingSection(request: EditRequest, named: string): Change | undefined {
  const kind = sectionIn(named);
  const isRemoved = request.site.removed.some(({ section }) => section.kind === kind);
  return kind && { message: isRemoved ? 'removedBefore' : 'notThere', values: { section: sectionName(request, kind) } };
}

function changeText(request: EditRequest, subject: RegExp, field: 'heading' | 'text', maxLength: number): ReturnType<Intent> {
  const { sentence, site } = request;
  if (!subject.test(sentence)) return undefined;
  const value = valueAfter(sentence, subject)?.slice(0, maxLength);
  const named = value === undefined ? sentence : sentence.slice(0, sentence.lastIndexOf(value.slice(0, 20)));
  // "of the team to …": the text starts after the section.
  const found = value === undefined ? undefined : sectionOf(request, named);
  if (value === undefined) return undefined;
  if (found === undefined) return missingSection(request, named);
  const { page, section } = found;
  const sections = page.sections.map((other) => (other === section ? { ...other, [field]: value } : other));
  return {
    site: withPage(site, { ...page, sections }),
    message: field === 'heading' ? 'titleChanged' : 'textChanged',
    values: { value: value.slice(0, 80) },
  };
}

/** "Change the title to …", "change the heading of the team section to …". */
export const title: Intent = (request) => changeText(request, titleSubject, 'heading', 200);
/** "Change the subtitle to …". */
export const subtitle: Intent = (request) => changeText(request, subtitleSubject, 'text', 2000);
/** "Change the text of the about section to …". */
export const text: Intent = (request) => (has(request, 'change') ? changeText(request, textSubject, 'text', 2000) : undefined);
