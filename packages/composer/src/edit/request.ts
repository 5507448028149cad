import type { ListedPicture } from '@webkiln/contract';
import type { Reply } from '../language-schema.ts';
import { languageOf } from '../languages.ts';
import { pageTitleOf } from '../render/page-names.ts';
import type { SectionName } from '../sections/section-names.ts';
import type { Site, SitePage } from '../site.ts';
import { plain, wordPattern } from '../understand/text.ts';

const verbs = {
  add:
    'add adds insert include create new give_me erganz* fug* einfug* hinzufug* hinzu neue* erstell* ajout* inser* inclu* cree creer nouvel* nouveau anad* agreg* insert* incluy* incluir crea crear nueva nuevo pon ' +
    'want need like have einbau* mochte* brauch* will wollen hatte* veux voudrais voudrions aimerais besoin souhait* quiero queremos necesit* quisiera gustaria',
  remove:
    "remove delete drop hide off take_out get_rid_of without don't_show don't_want don't_need do_not_show no_more no_longer nicht_mehr kein keine keinen ne_veux_pas no_quiero entfern* losch* streich* weg raus ausblend* ohne supprim* enlev* retir* efface* cache* sans quit* elimin* borr* suprim* ocult* sin",
  restore:
    'bring_back restore put_back undo_removal hol* zuruck* wiederherstell* wieder stelle remets remettre retabl* restaur* ramene* recuper* devuelv* trae vuelve',
  move: 'move put place shift bring verschieb* beweg* setz* deplac* mets mettre place* mueve mover pon coloca*',
  change:
    'change set make turn replace use rename call switch write want like have bring give would mochte* will wollen hatte* veux voudrais voudrions aimerais quiero queremos quisiera gib ander* benenn* mach* setz* ersetz* nenn* verwend* nimm benutz* schreib* stell* chang* mets mettre modifi* remplac* renomm* utilis* passe* rend* ecri* cambi* pon* haz* hacer reempla* usa* renombr* llam* escrib*',
  translate: 'translate translation ubersetz* tradui* traduc* traducir switch_to',
} as const;
const patterns = Object.fromEntries(Object.entries(verbs).map(([name, list]) => [name, wordPattern(list)]));
export type Verb = keyof typeof verbs;

/** What an edit starts from: the sentence, as it is and without accents, and the site. */
export interface EditRequest {
  readonly site: Site;
  readonly sentence: string;
  readonly plain: string;
  readonly locale: string;
  /** The pictures of the library that the message is about. */
  readonly pictures: readonly ListedPicture[];
}

/**
 * What an intent does: the site after it, and a message that says so; without a site, a message that says why not.
 */
export type Change =
  | { readonly site?: Site; readonly message: Reply; readonly values?: Readonly<Record<string, string>> }
  /** Nothing can be done, and this is why. */
  | { readonly reason: string };

/** Recognises one kind of wish; undefined if the sentence wishes something else. */
export type Intent = (request: EditRequest) => Change | undefined;

export const has = (request: Pick<EditRequest, 'plain'>, verb: Verb): boolean => request.plain.search(patterns[verb] ?? /$^/) >= 0;
export const mentions = (request: EditRequest, list: RegExp): boolean => request.plain.search(list) >= 0;

/**
 * The new text that a sentence gives: in quotation marks, after a colon, or after "to" and the like behind the
 * subject.
 */
export function valueAfter(sentence: string, subject: RegExp): string | undefined {
  const at = sentence.match(subject);
  const rest = at?.index === undefined ? sentence : sentence.slice(at.index + at[0].length);
  const quotedLast = rest.match(
    /(?::|\s(?:to|into|auf|zu|in|en|par|a|por|as|als|comme|como|is|ist|est|es))\s*["“”„«»]\s*([^"“”„«»]+?)\s*["“”„«»]/iu,
  )?.[1];
  const quoted = rest.match(/["“”„«»]\s*([^"“”„«»]+?)\s*["“”„«»]/u)?.[1];
  const introduced = rest.match(
    /(?:\s*:\s*|\s(?:to|into|auf|zu|in|en|par|à|a|por|as|als|comme|como|is|ist|est|es|lautet|should be|sei)\s+)(.+)$/isu,
  )?.[1];
  const value = (quotedLast ?? quoted ?? introduced)
    ?.trim()
    .replace(/^["“”„«»]+|["“”„«»]+$/gu, '')
    .trim();
  return value === undefined || value === '' ? undefined : value;
}

const pageWords = wordPattern('page pages seite seiten unterseite unterseiten pagina paginas');
const namedPages: readonly (readonly [id: string, words: RegExp])[] = [
  ['home', wordPattern('home home_page homepage start_page startseite hauptseite accueil inicio principal')],
  ['about', wordPattern('about about_us uber_uns a_propos qui_sommes-nous nosotros sobre_nosotros')],
  ['contact', wordPattern('contact kontakt kontaktseite contacto')],
  ['offers', wordPattern('services service_page offers menu_page leistungen leistungsseite angebot prestations offre servicios oferta')],
];

export const saysPage = (request: EditRequest): boolean =>
  request.plain.search(pageWords) >= 0 || /(?:start|kontakt|leistungs|haupt)seite/u.test(request.plain);

interface NamedPage {
  readonly page: SitePage;
  readonly at: number;
  readonly end: number;
  /** The sentence calls it a page: "the about page", not "about" alone. */
  readonly isPage: boolean;
}

/**
 * The listed pages that a sentence names, by title or by what every site has, in its order; those that it calls pages
 * ("the about page") first.
 */
export function pagesIn({ site, plain: searched }: Pick<EditRequest, 'site' | 'plain'>): NamedPage[] {
  const found = site.pages.flatMap((page) => {
    if (!page.isListed) return [];
    const title = page.id === 'home' ? '' : plain(pageTitleOf(site, page)).replace(/[.*+?^$()[\]{}|\\]/g, '\\$&');
    const common = namedPages.find(([id]) => id === page.id)?.[1].source;
    const names = [...(title === '' ? [] : [`(?<!\\p{L})${title}(?!\\p{L})`]), ...(common === undefined ? [] : [common])].join('|');
    if (names === '') return [];
    const asPage = new RegExp(
      `(?:${names})["“”„«»]?\\s+(?:${pageWords.source})|(?:${pageWords.source})["“”„«»\\s]+(?:de\\s|la\\s|of\\s)?(?:${names})`,
      'u',
    );
    const called = searched.match(asPage);
    const match = called ?? searched.match(new RegExp(names, 'u'));
    return match?.index === undefined ? [] : [{ page, at: match.index, end: match.index + match[0].length, isPage: called !== null }];
  });
  return found.toSorted((one, two) => Number(two.isPage) - Number(one.isPage) || one.at - two.at);
}

/** The page that a sentence names. */
export const pageIn = (request: EditRequest): SitePage | undefined =>
  saysPage(request) || /homepage|startseite/.test(request.plain) ? pagesIn(request)[0]?.page : undefined;

/** What users call a kind of section, in the language of the reply. */
export const sectionName = ({ locale }: EditRequest, kind: SectionName): string =>
  (languageOf(locale).sections[kind].names.split(',')[0] ?? kind).trim();

/** The site with one page replaced. */
export const withPage = (site: Site, page: SitePage): Site => ({
  ...site,
  pages: site.pages.map((other) => (other.id === page.id ? page : other)),
});
