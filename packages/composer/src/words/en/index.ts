import type { LocaleWords } from '../words.ts';
import { bodyAndHealth } from './body-and-health.ts';
import { deskAndClub } from './desk-and-club.ts';
import { foodAndStay } from './food-and-stay.ts';
import { interfaceWords } from './interface.ts';
import { sections } from './sections.ts';
import { trades } from './trades.ts';

export const en: LocaleWords = {
  kinds: { ...foodAndStay, ...bodyAndHealth, ...trades, ...deskAndClub },
  sections,
  interface: interfaceWords,
  informalKinds: new Set(),
  nameIn: (noun, _name, place) => `${place} ${noun.replace(/ \w/g, (letter) => letter.toUpperCase())}`,
};
