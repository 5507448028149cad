import * as z from 'zod';
import { kindNames } from './kinds.ts';
import { sectionNames } from './sections/section-names.ts';
import { fontNames, themeNames } from './themes/theme.ts';

const text = z.string();
/** Words by which something is recognised, as `wordPattern` reads them: without accents, in lower case. */
const patternWords = z.string().regex(/^\S/);
const pair = z.tuple([text, text]).readonly();
const pairs = z.array(pair).min(1).readonly();

/** What a site of one kind says. Nothing here may be a fact that only the business knows. */
const KindWords = z.strictObject({
  /** The word for the business, as in "Bakery in Lyon". */
  noun: text,
  /** A name that the site has until its owner says the real one. */
  name: text,
  heads: z.tuple([text, text], text).readonly(),
  leads: z.tuple([text, text], text).readonly(),
  /** The name of the page of offers, and its heading. */
  offersLabel: text,
  offersHead: text,
  offers: pairs,
  about: pair,
  action: text,
  /** What the drawings show. */
  image: text,
});

/**
 * What a kind of section says. `{name}`, `{place}` and `{noun}` are replaced; `[du|Sie]` is chosen by how the kind
 * addresses visitors.
 */
const SectionWords = z.strictObject({
  /** The words by which users ask for the section, with commas between them. */
  names: text,
  heading: text,
  text,
  items: pairs.optional(),
  action: text.optional(),
  /** Asks the owner for what is missing; visitors never see it. The beginning of a wish, and what follows its colon. */
  placeholder: text.optional(),
});

const InterfaceWords = z.strictObject({
  ...{ home: text, about: text, contact: text, imprint: text, privacy: text },
  ...{ skip: text, mainNavigation: text, footerNavigation: text },
  ...{ yourName: text, yourEmail: text, yourMessage: text, wishedDate: text, leaveEmpty: text, send: text, subscribe: text },
  ...{ backHome: text, phone: text, email: text, address: text, hours: text, showOnMap: text, more: text },
  /** "Bakery in Lyon" */
  nounIn: text,
  /** Asks the owner for the name. */
  namePlaceholder: text,
});

/** What no composed site can have: asked for, it is named as not done. */
export const impossible = ['calendar', 'shop', 'payment', 'chat', 'video', 'photo', 'accounts'] as const;

/** How a message is read that holds several wishes. */
const WishWords = z.strictObject({
  /** Words between two wishes. */
  joints: patternWords,
  /** "with": what follows is a wish of its own if it says how something looks. */
  withs: patternWords,
  /** Words that a wish begins with. */
  starts: patternWords,
  /** Words that may stand before those, and say nothing. */
  openers: patternWords,
  /** Words that are no wish, alone or together. */
  politeness: patternWords,
  /** What a fact or a text is called at the beginning of a wish. */
  subjects: patternWords,
  /** Words that turn a wish about the look into its opposite. */
  negations: patternWords,
  /** Words for the page or section of the wish before. */
  pronouns: patternWords,
  /** "For the header, use green": words by which a part says where the next one applies. */
  places: patternWords,
  /** Words with commas between them, and what is said about them. */
  cannot: z.record(z.enum(impossible), z.strictObject({ names: text, reply: text })),
});

/** How a prompt says what kind of business it is about, in its own words. */
const BusinessWords = z.strictObject({
  /** Words before what the business is called: "for", "we are". */
  before: patternWords,
  articles: patternWords,
  /** Words by which a prompt asks for a site. */
  requests: patternWords,
  site: patternWords,
  /** Words by which a prompt goes on. */
  ends: patternWords,
  /** Words before what the business offers. */
  offers: patternWords,
});

/** How days and times are read and written. */
const TimeWords = z.strictObject({
  /** Monday first. A word of two letters counts beside a time or another day alone. */
  days: z.array(patternWords).length(7),
  names: z.array(text).length(7),
  everyDay: text,
  closed: text,
  /** A time, of `{hour}` and `{minute}`. */
  clock: text,
  daily: patternWords,
  weekdays: patternWords,
  weekend: patternWords,
  shut: patternWords,
  /** Words that say that a text is about opening hours. */
  subject: patternWords,
});

const replies = [
  ...(['translated', 'renamed', 'titleChanged', 'textChanged', 'factAdded', 'font', 'direction', 'layout'] as const),
  ...(['headerColor', 'backgroundColor', 'accentColor', 'darkScheme', 'lightScheme', 'autoScheme', 'shortTexts', 'longTexts'] as const),
  ...(['sectionAdded', 'sectionAddedHidden', 'sectionRemoved', 'sectionRestored', 'sectionMoved'] as const),
  ...(['pageAdded', 'pageRemoved', 'pageRenamed', 'removedBefore', 'pageRemovedBefore', 'alreadyThere', 'notThere'] as const),
  ...(['neverRemoved', 'pageFull', 'tooManyPages', 'pageStays', 'keptByHand', 'blockedByHand', 'notUnderstood'] as const),
  ...([
    'notDone',
    'oneAtATime',
    'colorPart',
    'tooManyWishes',
    'pageMoved',
    'sectionMovedHidden',
    'ready',
    'onlyYouKnow',
    'pictureSet',
    'pictureRemoved',
    'logoSet',
    'logoRemoved',
    'languages',
    'introduction',
    'foreign',
  ] as const),
] as const;
export type Reply = (typeof replies)[number];

/** A language: everything that the composer says in it, and by what it recognises it. */
export const Language = z.strictObject({
  /** A text that fits several languages equally is taken for the one with the lowest rank. */
  rank: z.int(),
  recognition: z.strictObject({
    /** Short words, and words of wishes, that only this language has. */
    frequentWords: patternWords,
    /** A regular expression of letters that only this language has. */
    letters: text.optional(),
    /** "in French", in every language. */
    requests: patternWords,
    /** "French", in every language. */
    names: patternWords,
  }),
  /** A narrow no-break space before ? ! ; : and », and after «. */
  hasNarrowSpaces: z.boolean().optional(),
  /** Kinds that address visitors informally (du, tú). */
  informalKinds: z.array(z.enum(kindNames)),
  /** The working name of a business of which only the place is known, of `{noun}`, `{Noun}`, `{name}` and `{place}`. */
  provisionalName: text,
  /** Paths of the pages. They stay when a site is translated, so that links from elsewhere keep working. */
  slugs: z.strictObject({ offers: text, about: text, contact: text, imprint: text, privacy: text }),
  wishes: WishWords,
  business: BusinessWords,
  time: TimeWords,
  /** What replies call fonts and directions. */
  looks: z.strictObject({ fonts: z.record(z.enum(fontNames), text), directions: z.record(z.enum(themeNames), text) }),
  interface: InterfaceWords,
  sections: z.record(z.enum(sectionNames), SectionWords),
  kinds: z.record(z.enum(kindNames), KindWords),
  /** What an edit answers, with values in braces. */
  replies: z.record(z.enum(replies), text),
  /** Sentences that the composer understands. */
  suggestions: z.array(text).min(3),
});
export type Language = z.infer<typeof Language>;
export type Pair = z.infer<typeof pair>;
export type KindWords = z.infer<typeof KindWords>;
export type SectionWords = z.infer<typeof SectionWords>;
export type InterfaceWords = z.infer<typeof InterfaceWords>;
