import { kinds } from '../kinds.ts';
import { randomFrom } from '../random.ts';
import type { Site } from '../site.ts';
import { mix } from '../themes/color.ts';
import { type Palette, palettesOf } from '../themes/palette.ts';
import { themes } from '../themes/themes.ts';
import { familyMotifs } from './family-motifs.ts';
import { type ImageName, imagePath, imageSizes } from './image-names.ts';
import { motifs } from './motifs.ts';
import { scenes } from './scenes.ts';
import { place, svgFile } from './svg.ts';

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
