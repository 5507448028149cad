import { type KindName, kindNames } from '../../kinds/names.ts';
import type { LocaleWords } from '../words.ts';
import { bodyAndHealth } from './body-and-health.ts';
import { deskAndClub } from './desk-and-club.ts';
import { foodAndStay } from './food-and-stay.ts';
import { interfaceWords } from './interface.ts';
import { sections } from './sections.ts';
import { trades } from './trades.ts';

/** These kinds say usted; all others say tú. */
const formalKinds: ReadonlySet<KindName> = new Set(['lawyer', 'tax']);

export const es: LocaleWords = {
  kinds: { ...foodAndStay, ...bodyAndHealth, ...trades, ...deskAndClub },
  sections,
  interface: interfaceWords,
  informalKinds: new Set(kindNames.filter((kind) => !formalKinds.has(kind))),
  nameIn: (_noun, name) => name,
};
