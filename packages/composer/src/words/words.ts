import type { KindName } from '../kinds/names.ts';
import type { SectionName } from '../sections/names.ts';

export type Pair = readonly [title: string, text: string];

/** What a site of one kind says in one language. Nothing here may be a fact that only the business knows. */
export interface KindWords {
  /** The word for the business, as in "Bakery in Lyon". */
  readonly noun: string;
  /** A name that the site has until its owner says the real one. */
  readonly name: string;
  readonly heads: readonly [string, string, ...string[]];
  readonly leads: readonly [string, string, ...string[]];
  /** The name of the page of offers, and its heading. */
  readonly offersLabel: string;
  readonly offersHead: string;
  readonly offers: readonly Pair[];
  readonly about: Pair;
  readonly action: string;
  /** What the drawings show. */
  readonly image: string;
}

/**
 * What a kind of section says. `{name}`, `{place}` and `{noun}` are replaced; `[du|Sie]` is chosen by how the kind
 * addresses visitors.
 * `names` are the words by which users ask for the section.
 */
export interface SectionWords {
  readonly names: string;
  readonly heading: string;
  readonly text: string;
  readonly items?: readonly Pair[];
  readonly action?: string;
  /** Asks the owner for what is missing; visitors never see it. */
  readonly placeholder?: string;
}

export interface InterfaceWords {
  readonly home: string;
  readonly about: string;
  readonly contact: string;
  readonly imprint: string;
  readonly privacy: string;
  readonly skip: string;
  readonly mainNavigation: string;
  readonly footerNavigation: string;
  readonly yourName: string;
  readonly yourEmail: string;
  readonly yourMessage: string;
  readonly wishedDate: string;
  readonly leaveEmpty: string;
  readonly send: string;
  readonly subscribe: string;
  readonly backHome: string;
  readonly phone: string;
  readonly email: string;
  readonly address: string;
  readonly hours: string;
  readonly showOnMap: string;
  readonly more: string;
  /** "Bakery in Lyon" */
  readonly nounIn: string;
  /** Asks the owner for the name. */
  readonly namePlaceholder: string;
}

export interface LocaleWords {
  readonly kinds: Readonly<Record<KindName, KindWords>>;
  readonly sections: Readonly<Record<SectionName, SectionWords>>;
  readonly interface: InterfaceWords;
  /** Kinds that address visitors informally (du, tú). */
  readonly informalKinds: ReadonlySet<KindName>;
  /** The working name of a business of which only the place is known. */
  nameIn(noun: string, name: string, place: string): string;
}
