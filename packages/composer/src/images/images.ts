import { type Family, kinds } from '../kinds.ts';
import { randomFrom } from '../random.ts';
import type { Site } from '../site.ts';
import { mix } from '../themes/color.ts';
import { type Palette, palettesOf } from '../themes/palette.ts';
import { themes } from '../themes/themes.ts';
import { type ImageName, imagePath, imageSizes } from './image-names.ts';
import { motifs } from './motifs.ts';
import { scenes } from './scenes.ts';
import { place, svgFile } from './svg.ts';

type Drawing = readonly string[];

/** Further drawings that all kinds of a family share, in the notation of motifs.ts. */
const familyMotifs: Readonly<Record<Family, readonly [Drawing, Drawing, Drawing]>> = {
  food: [
    [
      'b r 48 30 4 64 2',
      'a M50 30c-10-6-12-16-8-26 8 6 12 14 8 26zM50 30c10-6 12-16 8-26-8 6-12 14-8 26z',
      'd M50 48c-12 0-20-6-22-18 12 0 20 6 22 18zM50 48c12 0 20-6 22-18-12 0-20 6-22 18z',
      'a M50 66c-12 0-20-6-22-18 12 0 20 6 22 18zM50 66c12 0 20-6 22-18-12 0-20 6-22 18z',
    ],
    [
      'd o 50 56 36',
      'a M14 56h72c0 20-14 34-36 34S14 76 14 56z',
      'b r 10 52 80 6 3',
      'b M38 40c-6-8 6-12 0-22h4c6 10-6 14 0 22zM56 40c-6-8 6-12 0-22h4c6 10-6 14 0 22z',
    ],
    [
      'd M34 92h32c6 0 8-4 8-10V42c0-8-8-10-8-18V10H34v14c0 8-8 10-8 18v40c0 6 2 10 8 10z',
      'b r 32 6 36 8 2',
      'a r 30 50 40 26 2',
      'c r 38 58 24 4 1',
      'c r 42 66 16 3 1',
    ],
  ],
  stay: [
    ['b r 8 30 6 58 2', 'a M14 56h78v20H14z', 'c r 20 44 26 14 6', 'b r 86 56 6 32 2', 'd M50 56V46h36c4 0 6 4 6 10z'],
    ['d o 50 44 34', 'a o 66 30 12', 'b M4 86l28-46 16 24 12-16 36 38z', 'c M32 40l8 13-8 5-7-7z'],
    ['a o 34 34 20', 'p o 34 34 8', 'b M46 44l6-6 38 38v14H78v-8h-8v-8h-8v-8z', 'd o 24 78 10'],
  ],
  shop: [
    ['d M16 34h68l6 58H10z', 'a M16 34h68l2 18H14z', 'b M34 42V26a16 16 0 0132 0v16h-5V26a11 11 0 00-22 0v16z'],
    ['b M10 40h80v52H10z', 'a M8 16h84l4 24H4z', 'c r 20 52 26 26 1', 'd r 56 52 22 40 1', 'c M27 16h14v24H24zM59 16h14l3 24H60z'],
    [
      'd r 16 42 68 50 3',
      'a r 10 30 80 16 3',
      'b r 45 30 10 62 0',
      'b M50 30C30 30 22 20 28 12s18 2 22 18zM50 30c20 0 28-10 22-18s-18 2-22 18z',
    ],
  ],
  body: [
    ['d M32 92h36l-4-50H36z', 'a r 36 22 28 20 3', 'b r 42 8 16 14 3', 'c r 40 56 20 20 2'],
    ['a o 50 50 30', 'd M50 20v60a30 30 0 010-60z', 'b r 47 2 6 12 3', 'b r 47 86 6 12 3', 'b r 2 47 12 6 3', 'b r 86 47 12 6 3'],
    [
      'd M10 72c20-12 28 12 42 0s26 10 38 0v20H10z',
      'a M24 66c0-10 12-14 26-14s26 4 26 14z',
      'b M34 52c0-9 8-12 16-12s16 3 16 12z',
      'd M42 40c0-6 4-9 8-9s8 3 8 9z',
    ],
  ],
  health: [
    ['d o 50 50 42', 'a M40 20h20v20h20v20H60v20H40V60H20V40h20z'],
    [
      'a M50 88C24 68 10 54 10 36c0-14 10-22 20-22 9 0 16 5 20 12 4-7 11-12 20-12 10 0 20 8 20 22 0 18-14 32-40 52z',
      'c M8 50h22l8-14 12 28 8-14h34v5H61L50 76 38 47l-5 8H8z',
    ],
    [
      'd r 14 16 72 74 6',
      'b r 14 16 72 18 6',
      'a r 28 6 8 20 3',
      'a r 64 6 8 20 3',
      'c r 26 46 14 12 2',
      'a r 46 46 14 12 2',
      'c r 66 46 10 12 2',
      'c r 26 66 14 12 2',
      'c r 46 66 14 12 2',
    ],
  ],
  trade: [
    ['a M62 10l14 14-8 8 12 12 8-8 4 4-20 20-4-4 0-6-12-12-34 46-14-14 46-34-4-4z', 'b M22 70l10 10-8 10-12-12z'],
    ['d r 14 40 72 48 4', 'a r 8 34 84 14 4', 'b M34 34V22c0-4 3-6 6-6h20c3 0 6 2 6 6v12h-6V22H40v12z', 'c r 44 48 12 14 2'],
    [
      'd M12 46L50 12l38 34v44H12z',
      'b M4 48L50 6l46 42-4 4-42-38L8 52z',
      'a M58 40a16 16 0 00-21 21L22 76l8 8 15-15a16 16 0 0021-21l-9 9-8-8z',
    ],
  ],
  office: [
    ['d r 18 8 58 84 3', 'c r 28 20 38 5 1', 'c r 28 32 38 5 1', 'c r 28 44 26 5 1', 'a M88 40l8 8-34 36-12 4 4-12z', 'b M50 88l4-12 8 8z'],
    ['d M8 88V26h40l8 10h36v52z', 'a r 8 46 84 42 3', 'b r 20 60 34 6 2', 'b r 20 72 22 5 2'],
    ['a M10 14h56v40H34L20 68V54H10z', 'b M44 62h30V40h16v34H82v14L68 74H44z', 'c o 26 34 4', 'c o 38 34 4', 'c o 50 34 4'],
  ],
  studio: [
    ['d r 10 12 80 64 2', 'c r 18 20 64 48 0', 'a M18 68l22-30 14 18 8-10 20 22z', 'b o 66 32 7', 'b M30 76h6l-8 18h-6zM64 76h6l8 18h-6z'],
    ['d M10 90L90 90 10 20z', 'p M24 76h26L24 54z', 'a M78 8l12 6-30 60-14 12 2-18z', 'b M46 86l1-10 7 4z'],
    ['b o 50 50 40', 'a M50 10l20 35H30zM90 50L72 84 52 50z', 'd M50 90L28 56h42zM10 50l20-34 20 34z', 'p o 50 50 12'],
  ],
  product: [
    ['d r 12 12 76 76 8', 'a r 24 52 12 26 2', 'b r 44 38 12 40 2', 'a r 64 24 12 54 2'],
    ['b M22 22l28 28M78 22L50 50M50 50v30', 'a o 22 22 14', 'd o 78 22 14', 'b o 50 50 12', 'a o 50 84 12'],
    ['a M50 8l14 8 2 14 14 4 6 16-6 16-14 4-2 14-14 8-14-8-2-14-14-4-6-16 6-16 14-4 2-14z', 'p o 50 50 16', 'b o 50 50 8'],
  ],
  group: [
    ['a M50 88C24 68 10 54 10 36c0-14 10-22 20-22 9 0 16 5 20 12 4-7 11-12 20-12 10 0 20 8 20 22 0 18-14 32-40 52z', 'c o 32 34 8'],
    ['b r 48 44 5 50 2', 'a o 50 34 26', 'd o 28 46 16', 'd o 72 46 16', 'b r 16 90 68 4 2'],
    [
      'd M6 26l14 20L34 26l14 20 14-20 14 20 18-20v6L76 54 62 34 48 54 34 34 20 54 6 32z',
      'a M12 46l16 0-8 22zM40 46h16l-8 22zM68 46h16l-8 22z',
      'b r 2 20 96 4 2',
    ],
  ],
};

const pale = ({ accent, bg }: Palette) => mix(bg, accent, 0.34);

/**
 * Draws the images of a site and its icon: its kind's motif in its theme's style and colors. Equal sites get
 * equal images.
 */
export function drawImages(site: Site): Map<string, string> {
  const { base, dark } = palettesOf(site);
  const motif = motifs[site.kind];
  const draw = scenes[themes[site.direction].images];
  const [second, third, fourth] = familyMotifs[kinds[site.kind].family];
  const drawings: Readonly<Record<ImageName, readonly string[]>> = {
    hero: motif,
    about: second,
    'gallery-1': third,
    'gallery-2': motif,
    'gallery-3': fourth,
    'gallery-4': second,
  };
  const names = Object.keys(imageSizes) as ImageName[];
  const drawn = names.map((name): [string, string] => {
    const [width, height] = imageSizes[name];
    const body = draw({ width, height, motif: drawings[name], random: randomFrom(`${site.seed}:${name}`) });
    return [imagePath(name), svgFile([width, height], body, base, dark, pale)];
  });
  const icon = `<rect class="d" width="64" height="64" rx="14"/>${place(motif, { x: 32, y: 32, size: 48 })}`;
  return new Map([...drawn, [imagePath('icon'), svgFile([64, 64], icon, base, dark, pale)]]);
}
