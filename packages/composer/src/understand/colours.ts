import { plain, wordPattern } from './text.ts';

/** Colours as a designer would choose them, by their words in English, German, French and Spanish. */
const colourWords: readonly (readonly [hex: string, words: string])[] = [
  ['#1f3a68', 'navy navy_blue dark_blue dunkelblau* marineblau* bleu_marine bleu_fonce azul_marino azul_oscuro'],
  ['#1e4d3a', 'dark_green forest_green dunkelgrun* tannengrun* vert_fonce vert_sapin verde_oscuro verde_botella'],
  ['#7a1f2b', 'dark_red burgundy wine_red bordeaux maroon dunkelrot* weinrot* rouge_fonce granate burdeos rojo_oscuro'],
  ['#5b8fd6', 'light_blue sky_blue hellblau* himmelblau* bleu_clair bleu_ciel azul_claro celeste'],
  ['#7fb069', 'light_green hellgrun* vert_clair verde_claro mint minze menta'],
  ['#2563c9', 'blue blau blaue* bleu bleue bleus azul azules'],
  ['#2f7d4f', 'green grun grune* vert verte verts verde verdes sage salbei'],
  ['#c8322b', 'red rot rote* rouge rouges rojo roja rojos'],
  ['#d98a00', 'yellow gelb gelbe* jaune jaunes amarillo amarilla mustard senf* moutarde mostaza'],
  ['#d9641e', 'orange oranges orangefarben* naranja'],
  ['#7a3fb0', 'purple violet violett lila lilac violette morado morada violeta'],
  ['#c8437d', 'pink rosa rose magenta'],
  ['#7a4b2a', 'brown braun braune* marron brun brune cafe_oscuro marron'],
  ['#1a7f8c', 'teal turquoise petrol turkis* tuerkis turquesa'],
  ['#9a7a2f', 'gold golden dore doree dorado dorada'],
  ['#b4532f', 'terracotta terrakotta terracota rust rostrot* rouille'],
  ['#f4ead8', 'cream beige creme cremefarben* crema ivory elfenbein'],
  ['#6b7280', 'grey gray grau graue* gris grises'],
  ['#15151a', 'black schwarz schwarze* noir noire negro negra'],
  ['#ffffff', 'white weiss weisse* blanc blanche blanco blanca'],
];
const patterns = colourWords.map(([hex, words]) => ({ hex, pattern: wordPattern(words) }));

/** The colour that a text names, as a word or as #rgb or #rrggbb; the first if there are several. */
export function colourIn(text: string): string | undefined {
  const hex = text.match(/#(?:[0-9a-f]{6}|[0-9a-f]{3})(?![0-9a-f])/i)?.[0].toLowerCase();
  if (hex !== undefined) return hex.length === 7 ? hex : hex.replace(/[0-9a-f]/g, '$&$&');
  const searched = plain(text);
  const found = patterns
    .map(({ hex: value, pattern }) => ({ value, at: searched.search(pattern), length: searched.match(pattern)?.[0]?.length ?? 0 }))
    .filter(({ at }) => at >= 0);
  return found.toSorted((one, two) => one.at - two.at || two.length - one.length)[0]?.value;
}
