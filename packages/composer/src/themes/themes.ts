import { night, poster, technical } from './bold.ts';
import { clear, editorial, quiet, swiss } from './classic.ts';
import type { Theme, ThemeName } from './theme.ts';
import { botanical, craft, playful } from './warm.ts';

export const themes: Readonly<Record<ThemeName, Theme>> = {
  editorial,
  swiss,
  craft,
  poster,
  quiet,
  technical,
  playful,
  night,
  clear,
  botanical,
};
