import { languageOf } from '../languages.ts';
import { contextOf, listLayoutOf } from '../render/context.ts';
import { heroLayoutOf } from '../sections/opening-sections.ts';
import { colorIn, fontIn, lengthIn, schemeIn, themeIn } from '../understand/look.ts';
import { sectionIn } from '../understand/section-in.ts';
import { wordPattern } from '../understand/text.ts';
import { has, type Intent, mentions, pageIn, withPage } from './request.ts';

const headerWords = wordPattern(
  'header head top_bar navigation nav menu_bar kopf* kopfzeile kopfbereich navigation* menuleiste en-tete entete barre_de_navigation navigation cabecera encabezado barra',
);
const backgroundWords = wordPattern('background page_colou* hintergrund* fond arriere-plan fondo');
/** Parts that take their color from the others. */
const uncoloured = wordPattern(
  'footer text texts writing font fonts letters fusszeile footer schrift texte pied_de_page textes pie_de_pagina texto textos letra letras',
);
const fontWords = wordPattern('font fonts typeface typography type lettering schrift* typo* police* caractere* fuente* letra* tipografia*');

/** "Make the header green", "use a cream background", "make it blue". */
export const color: Intent = (request) => {
  const value = colorIn(request.sentence);
  if (
    value === undefined ||
    (!has(request, 'change') && !/colou?r|farb|couleur|color|#/.test(request.plain) && request.plain.split(' ').length > 4)
  )
    return undefined;
  const { site } = request;
  const other = request.plain.match(uncoloured)?.[0];
  if (other !== undefined) return { message: 'colorPart', values: { value: other } };
  const isHeader = mentions(request, headerWords);
  const part = isHeader ? 'header' : mentions(request, backgroundWords) ? 'background' : 'accent';
  return { site: { ...site, colours: { ...site.colours, [part]: value.hex } }, message: `${part}Color`, values: { value: value.said } };
};

/** "Make it dark", "light mode", "follow the system". */
export const scheme: Intent = ({ site, sentence }) => {
  const found = schemeIn(sentence);
  return found && { site: { ...site, scheme: found }, message: `${found}Scheme` };
};

/** "Use a serif font". */
export const font: Intent = (request) => {
  const found = fontIn(request.sentence);
  if (found === undefined || (!mentions(request, fontWords) && !/serif|mono|empattement/.test(request.plain))) return undefined;
  return { site: { ...request.site, font: found }, message: 'font', values: { value: languageOf(request.locale).looks.fonts[found] } };
};

/** "Make it more elegant". A new theme brings its own fonts and colors, unless the user chose some. */
export const direction: Intent = ({ site, sentence, locale }) => {
  const found = themeIn(sentence);
  const values = found && { value: languageOf(locale).looks.directions[found] };
  return found && { site: { ...site, direction: found }, message: 'direction', values };
};

/** "Shorter texts". */
export const length: Intent = ({ site, sentence }) => {
  const found = lengthIn(sentence);
  return found && { site: { ...site, length: found }, message: `${found}Texts` };
};

const layoutWords = wordPattern(
  'layout arrange* arrangement display_differently anordnung* anders darstellung disposition mise_en_page disposicion distribucion diseno',
);
const heroes = ['split', 'stack', 'centre', 'overlap'] as const;
const lists = ['cards', 'rows', 'numbered', 'columns', 'tiles', 'checks'] as const;
const after = <Name>(names: readonly Name[], name: unknown): Name | undefined => names[(names.indexOf(name as Name) + 1) % names.length];

/** "Another layout for the services", "a different layout for the hero". */
export const layout: Intent = (request) => {
  if (!mentions(request, layoutWords)) return undefined;
  const { site } = request;
  const kind = sectionIn(request.sentence) ?? 'hero';
  const page = pageIn(request) ?? site.pages.find(({ sections }) => sections.some((section) => section.kind === kind));
  const section = page?.sections.find((candidate) => candidate.kind === kind);
  if (page === undefined || section === undefined) return undefined;
  const context = contextOf(site, page);
  const next =
    kind === 'hero'
      ? after(heroes, heroLayoutOf(context, section))
      : kind === 'gallery'
        ? after(['grid', 'mosaic', 'strip'], section.layout ?? 'grid')
        : after(lists, listLayoutOf(context, section));
  const sections = page.sections.map((other) => (other === section && next !== undefined ? { ...other, layout: next } : other));
  return { site: withPage(site, { ...page, sections }), message: 'layout', values: { section: kind } };
};
