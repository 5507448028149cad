import type { LocaleWords } from '../words.ts';
import { bodyAndHealth } from './body-and-health.ts';
import { deskAndClub } from './desk-and-club.ts';
import { foodAndStay } from './food-and-stay.ts';
import { interfaceWords } from './interface.ts';
import { sections } from './sections.ts';
import { trades } from './trades.ts';

export const fr: LocaleWords = {
  kinds: { ...foodAndStay, ...bodyAndHealth, ...trades, ...deskAndClub },
  sections,
  interface: interfaceWords,
  informalKinds: new Set(),
  nameIn: (_noun, name) => name,
};
