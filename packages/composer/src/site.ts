import { ListedPicture } from '@webkiln/contract';
import * as z from 'zod';
import { pictureSlots } from './images/image-names.ts';
import { kindNames } from './kinds.ts';
import { locales } from './languages.ts';
import { sectionNames } from './sections/section-names.ts';
import { fontNames, themeNames } from './themes/theme.ts';

/** The file that holds the specification of a composed site. */
export const specificationPath = 'webkiln.json';

const maxSpecificationLength = 256 * 1024;
export const maxGalleryPictures = 24;
const Line = z.string().max(200);
const Text = z.string().max(2000);
const Color = z.string().regex(/^#[0-9a-f]{6}$/);
const Priced = z.strictObject({ label: Line, price: Line.optional() });

const Facts = z.strictObject({
  phone: Line.optional(),
  email: Line.optional(),
  address: Line.optional(),
  hours: z.array(Line).max(14),
  prices: z.array(Priced).max(60),
  menu: z.array(Priced).max(60),
  people: z.array(z.strictObject({ name: Line, role: Line.optional() })).max(30),
  quotes: z.array(z.strictObject({ text: Text, by: Line })).max(12),
  dates: z.array(Line).max(30),
  links: z.array(z.url({ protocol: /^https?$/ }).max(500)).max(20),
});

const Section = z.strictObject({
  kind: z.enum(sectionNames),
  layout: z.string().max(20).optional(),
  heading: Line.optional(),
  text: Text.optional(),
  items: z
    .array(z.strictObject({ title: Line, text: Text }))
    .max(12)
    .optional(),
});

const Page = z.strictObject({
  /** `home`, `offers` and so on; a page that the user added has its slug. */
  id: z.string().regex(/^[a-z0-9-]{1,40}$/),
  slug: z.string().regex(/^(?:[a-z0-9-]{1,60})?$/),
  title: Line.optional(),
  isListed: z.boolean(),
  sections: z.array(Section).max(30),
});

/** The specification of a site, from which all its files are rendered. */
export const Site = z.strictObject({
  version: z.literal(1),
  seed: z.string().max(200),
  kind: z.enum(kindNames),
  /** What the prompt calls a business of no known kind: "Tattoo studio". */
  noun: z.string().min(1).max(40).optional(),
  locale: z.enum(locales),
  name: z.string().min(1).max(80),
  /** True until the user says the name. */
  isNameProvisional: z.boolean(),
  place: z.string().max(60).optional(),
  /** The theme, as users call it. */
  direction: z.enum(themeNames),
  scheme: z.enum(['auto', 'light', 'dark']),
  font: z.enum(fontNames).optional(),
  colours: z.strictObject({ accent: Color.optional(), header: Color.optional(), background: Color.optional() }),
  length: z.enum(['short', 'normal', 'long']),
  facts: Facts,
  /** Pictures of the owner in place of drawings, and the logo. */
  pictures: z.partialRecord(z.enum(pictureSlots), ListedPicture).default({}),
  /** The pictures of the gallery; drawings if there are none. */
  gallery: z.array(ListedPicture).max(maxGalleryPictures).default([]),
  pages: z.array(Page).min(1).max(20),
  /** What edits removed, the latest last, so that it can be brought back. */
  removed: z.array(z.strictObject({ page: z.string().max(40), section: Section })).max(20),
  removedPages: z.array(Page).max(10),
  /** What only the user knows and has not said yet. Visitors never see these lines. */
  placeholders: z.array(Text).max(30),
  /** SHA-256 of each file as it was rendered; another hash means that somebody else changed it since. */
  hashes: z.record(z.string().max(200), z.string().max(64)),
});
export type Site = z.infer<typeof Site>;
export type SitePage = Site['pages'][number];
export type SiteSection = SitePage['sections'][number];
export type SiteFacts = Site['facts'];

/** Reads the specification of a composed site from its files; undefined if there is none or it is not valid. */
export function siteOf(files: ReadonlyMap<string, string | Uint8Array>): Site | undefined {
  const content = files.get(specificationPath);
  if (content === undefined || content.length > maxSpecificationLength) return undefined;
  try {
    const text = typeof content === 'string' ? content : new TextDecoder().decode(content);
    return Site.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
