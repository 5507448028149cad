import type { Site } from '../site.ts';
import type { ThemeName } from '../themes/theme.ts';
import { plain, wordPattern } from './text.ts';

const themeWords: Readonly<Record<ThemeName, string>> = {
  editorial: 'editorial magazine* newspaper zeitung* redaktionell* classic* klassisch* classique* clasic* journal revista',
  swiss:
    'swiss grid minimal* schweizer* raster* suisse suizo suiza reduziert* schlicht* epure epuree sobrio sobria clean aufgeraumt* modern moderner moderne moderno moderna',
  craft:
    'craft warm* cosy cozy rustic* gemutlich* handgemacht* rustikal* chaleureu* artisanal* calid* acogedor* rustico rustica hecho_a_mano',
  poster: 'poster bold* loud plakat* plakativ* mutig* krafti* affiche audacieu* percutant* cartel atrevid* llamativ* audaz',
  quiet: 'quiet luxur* elegan* refined edel* luxurios* vornehm* luxe raffine* lujo* refinad* exclusiv* noble* sophisticated',
  technical: 'technical* tech geeky engineering technisch* technique* tecnic* blueprint futuristic*',
  playful: 'playful* fun colou?rful cheerful verspielt* bunt* frohlich* ludique* colore* joyeu* divertid* colorid* alegre*',
  night: 'nightly neon moody nachtlich* nocturne nocturn* noche night',
  clear:
    'clear trustworthy serious friendly klar* serios* vertrauenswurdig* freundlich* clair claire serieu* rassurant* claro clara serio seria confiable',
  botanical:
    'botanical* natural nature organic earthy naturlich* natur botanisch* erdig* naturel* vegetal* botaniqu* natural* botanic* organico',
};
const themePatterns = Object.entries(themeWords).map(([name, list]) => ({
  name: name as ThemeName,
  pattern: wordPattern(list.replace('colou?rful', 'colorful colourful')),
}));

/** The theme that a text asks for. */
export function themeIn(text: string): ThemeName | undefined {
  const searched = plain(text);
  return themePatterns.find(({ pattern }) => searched.search(pattern) >= 0)?.name;
}

const fontWords: Readonly<Record<NonNullable<Site['font']>, string>> = {
  sans: 'sans sans-serif sans_serif serifenlos* grotesk* sans_empattement* sin_serifa* palo_seco helvetica arial',
  mono: 'mono monospace* typewriter schreibmaschine* monospac* machine_a_ecrire dicktengleich* maquina_de_escribir',
  rounded: 'rounded round rounder rund* arrondi* redondead* redonda',
  condensed: 'condensed narrow schmal* condense* etroite* estrech* condensad*',
  serif: 'serif serifs serife* serifen* empattement* serifa* con_serifa garamond georgia times',
};
const fontPatterns = Object.entries(fontWords).map(([name, list]) => ({
  name: name as NonNullable<Site['font']>,
  pattern: wordPattern(list),
}));

/** The kind of font that a text asks for. */
export function fontIn(text: string): Site['font'] {
  const searched = plain(text);
  return fontPatterns.find(({ pattern }) => searched.search(pattern) >= 0)?.name;
}

const dark = wordPattern(
  'dark dark_mode darker dunkel dunkle* dunkles dunkler sombre fonce foncee oscuro oscura nachtmodus mode_nuit mode_sombre modo_oscuro modo_noche',
);
const light = wordPattern(
  'light light_mode lighter bright brighter hell helle* heller clair claire claro clara tagmodus luminoso luminosa mode_clair modo_claro',
);
const automatic = wordPattern('automatic auto system both automatisch* automatique* automatico beide les_deux ambos');

/** The scheme that a text asks for: a dark or a light page, or one that follows the visitor's screen. */
export function schemeIn(text: string): Site['scheme'] | undefined {
  const searched = plain(text);
  if (searched.search(automatic) >= 0) return 'auto';
  if (searched.search(dark) >= 0) return 'dark';
  return searched.search(light) >= 0 ? 'light' : undefined;
}

const shorter = wordPattern(
  'short shorter brief concise less_text kurz* kurzer knapp* weniger_text court* plus_court* bref* concis* moins_de_texte corto corta cort* mas_corto breve menos_texto conciso',
);
const longer = wordPattern(
  'long longer more_text detailed in_detail lang langer lange* ausfuhrlich* mehr_text long* plus_long* detaille* plus_de_texte largo* larga* mas_texto detallado',
);

/** The length of texts that a text asks for. */
export function lengthIn(text: string): 'short' | 'long' | undefined {
  const searched = plain(text);
  if (searched.search(shorter) >= 0) return 'short';
  return searched.search(longer) >= 0 ? 'long' : undefined;
}

/** Colors as a designer would choose them, by their words in English, German, French and Spanish. */
const colorWords: readonly (readonly [hex: string, words: string])[] = [
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
const patterns = colorWords.map(([hex, words]) => ({ hex, pattern: wordPattern(words) }));

/** The first color that a text names, as a word or as #rgb or #rrggbb, and how the text says it. */
export function colorIn(text: string): { readonly hex: string; readonly said: string } | undefined {
  const hex = text.match(/#(?:[0-9a-f]{6}|[0-9a-f]{3})(?![0-9a-f])/i)?.[0].toLowerCase();
  if (hex !== undefined) return { hex: hex.length === 7 ? hex : hex.replace(/[0-9a-f]/g, '$&$&'), said: hex };
  const searched = plain(text);
  const found = patterns
    .map(({ hex: value, pattern }) => ({ value, at: searched.search(pattern), length: searched.match(pattern)?.[0]?.length ?? 0 }))
    .filter(({ at }) => at >= 0)
    .toSorted((one, two) => one.at - two.at || two.length - one.length)[0];
  if (found === undefined) return undefined;
  const isAligned = searched.length === text.length;
  return { hex: found.value, said: (isAligned ? text : searched).slice(found.at, found.at + found.length).toLowerCase() };
}
