import type { ListedPicture } from '@webkiln/contract';
import type { PictureSlot } from '../images/image-names.ts';
import type { SectionName } from '../sections/section-names.ts';
import { maxGalleryPictures, type Site } from '../site.ts';
import { sectionIn } from '../understand/section-in.ts';
import { plain, wordPattern } from '../understand/text.ts';
import { withSection } from './edit-sections.ts';
import { type Change, type EditRequest, has, type Intent, mentions, sectionName } from './request.ts';

const pictureWords = wordPattern(
  'photo photos photograph photographs picture pictures image images pic pics foto fotos bild bilder bildes imagen imagenes fotografia fotografias',
);
const logoWords = wordPattern('logo logos logotype* logotipo* emblem* embleme* favicon* firmenzeichen signet');
/** What is attached may be called no more than this. */
const thisWords = wordPattern('this these it that attached dies dies* hier ceci cela cette ces esto este esta estos estas');
const topWords = wordPattern(
  'top at_the_top header banner cover background oben kopf* titelbild* aufmacher* hintergrund* haut en_haut entete en-tete couverture fond arriba cabecera portada fondo',
);
const quoted = /["“”„«»][^"“”„«»]*["“”„«»]/gu;

/** Where a picture goes that a message attaches. */
type Place = PictureSlot | 'gallery';

/** The place of each section that shows an image. */
const places: Partial<Record<SectionName, Place>> = {
  ...{ hero: 'hero', pagehead: 'hero', about: 'about', contact: 'about', booking: 'about', visit: 'about' },
  ...{ story: 'gallery-1', offers: 'gallery-1', gallery: 'gallery' },
};
/** The section that a reply names for a place. */
const sections: Partial<Record<Place, SectionName>> = { hero: 'hero', about: 'about', 'gallery-1': 'story', gallery: 'gallery' };

/** "Use this photo in the hero", "this is our logo", "remove the photo". */
export const picture: Intent = (request) => {
  const { pictures, sentence } = request;
  const words = { plain: plain(sentence.replace(quoted, ' ')) };
  const asked = { ...request, ...words };
  const [saysLogo, saysPicture] = [mentions(asked, logoWords), mentions(asked, pictureWords)];
  // A gallery is called "photos", too.
  const named = sectionIn(words.plain.replace(pictureWords, ' '));
  const target = saysLogo ? 'logo' : mentions(asked, topWords) ? 'hero' : named && places[named];
  if (has(asked, 'remove')) return saysLogo || saysPicture ? removed(request, target) : undefined;
  if (pictures.length === 0 || !(saysLogo || saysPicture || (target !== undefined && mentions(asked, thisWords)))) return undefined;
  return placed(request, target ?? usualPlace(request));
};

/** The owner does not say where: one picture is the logo if it is called so, else at the top; several are a gallery. */
function usualPlace({ pictures, plain: searched }: Pick<EditRequest, 'pictures' | 'plain'>): Place {
  if (pictures.length > 1) return 'gallery';
  return pictures.some(({ name }) => /\blogo\b/.test(name)) || searched.search(logoWords) >= 0 ? 'logo' : 'hero';
}

/** What is done about pictures of a message that says nothing of them. */
export const unmentioned = (request: EditRequest): Change => placed(request, usualPlace(request));

/** A click on an image of the preview sends its path: the picture takes its place. Undefined if no image has it. */
export function replaced(request: EditRequest, path: string): Change | undefined {
  const { site, pictures } = request;
  const [first] = pictures;
  if (first === undefined) return undefined;
  const drawing = /^\/?images\/(hero|about|gallery-[1-4]|icon)\.svg$/.exec(path)?.[1];
  if (drawing !== undefined) return placed(request, drawing === 'icon' ? 'logo' : (drawing as PictureSlot));
  const shows = ({ files }: ListedPicture) => files.some((file) => file.path === path.replace(/^\//, ''));
  const slots = Object.entries(site.pictures).filter(([, shown]) => shows(shown));
  if (slots.length === 0 && !site.gallery.some(shows)) return undefined;
  const next = {
    ...site,
    pictures: { ...site.pictures, ...Object.fromEntries(slots.map(([slot]) => [slot, first])) },
    gallery: site.gallery.map((shown) => (shows(shown) ? first : shown)),
  };
  return { site: next, ...said(request, (slots[0]?.[0] as PictureSlot | undefined) ?? 'gallery') };
}

function placed(request: EditRequest, place: Place): Change {
  const { site, pictures } = request;
  const [first] = pictures;
  if (first === undefined) return { message: 'notUnderstood' };
  if (place !== 'gallery') return { site: { ...site, pictures: { ...site.pictures, [place]: first } }, ...said(request, place) };
  const ids = new Set(pictures.map(({ id }) => id));
  const gallery = [...site.gallery.filter(({ id }) => !ids.has(id)), ...pictures].slice(-maxGalleryPictures);
  const hasGallery = site.pages.some((page) => page.sections.some(({ kind }) => kind === 'gallery'));
  const next = { ...site, gallery };
  return { site: hasGallery ? next : withSection(next, 'gallery'), ...said(request, place) };
}

function said(request: EditRequest, place: Place): Pick<Extract<Change, { message: unknown }>, 'message' | 'values'> {
  const value = request.pictures.map(({ name }) => name).join(', ');
  if (place === 'logo') return { message: 'logoSet', values: { value } };
  return { message: 'pictureSet', values: { value, section: sectionName(request, sections[place] ?? 'gallery') } };
}

/** The drawing comes back. Undefined if there is no such picture: the sentence wishes something else. */
function removed({ site, locale, sentence, plain: searched, pictures }: EditRequest, target: Place | undefined): Change | undefined {
  const place = target ?? (site.pictures.hero === undefined ? undefined : 'hero');
  if (place === undefined || (place === 'gallery' ? site.gallery.length === 0 : site.pictures[place] === undefined)) return undefined;
  const { [place as PictureSlot]: _, ...others } = site.pictures;
  const next = place === 'gallery' ? { ...site, gallery: [] } : { ...site, pictures: others };
  if (place === 'logo') return { site: next, message: 'logoRemoved' };
  const request = { site, locale, sentence, plain: searched, pictures };
  return { site: next, message: 'pictureRemoved', values: { section: sectionName(request, sections[place] ?? 'gallery') } };
}

/** The site with its pictures as the library has them now: described anew, and without those that were deleted. */
export function withLibrary(site: Site, library: readonly ListedPicture[]): Site {
  const known = new Map(library.map((each) => [each.id, each]));
  const current = (shown: ListedPicture) => known.get(shown.id) ?? [];
  const slots = Object.entries(site.pictures).flatMap(([slot, shown]) => [current(shown)].flat().map((each) => [slot, each]));
  return { ...site, pictures: Object.fromEntries(slots), gallery: site.gallery.flatMap(current) };
}
