import { night, poster, technical } from './bold.ts';
import { clear, editorial, quiet, swiss } from './classic.ts';
import type { Direction } from './direction.ts';
import type { DirectionName } from './names.ts';
import { botanical, craft, playful } from './warm.ts';

export const directions: Readonly<Record<DirectionName, Direction>> = {
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
