import type { DirectionName } from '../directions/names.ts';
import type { Site } from '../site.ts';
import { plain, wordPattern } from './text.ts';

const directionWords: Readonly<Record<DirectionName, string>> = {
  editorial: 'editorial magazine* newspaper zeitung* redaktionell* classic* klassisch* classique* clasic* journal revista',
  swiss: 'swiss grid minimal* schweizer* raster* suisse suizo suiza reduziert* schlicht* epure epuree sobrio sobria clean aufgeraumt*',
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
const directionPatterns = Object.entries(directionWords).map(([name, list]) => ({
  name: name as DirectionName,
  pattern: wordPattern(list.replace('colou?rful', 'colorful colourful')),
}));

/** The direction that a text asks for. */
export function directionIn(text: string): DirectionName | undefined {
  const searched = plain(text);
  return directionPatterns.find(({ pattern }) => searched.search(pattern) >= 0)?.name;
}

const fontWords: Readonly<Record<NonNullable<Site['font']>, string>> = {
  sans: 'sans sans-serif sans_serif serifenlos* grotesk* sans_empattement* sin_serifa* palo_seco helvetica arial',
  mono: 'mono monospace* typewriter schreibmaschine* monospac* machine_a_ecrire dicktengleich* maquina_de_escribir',
  rounded: 'rounded round rund* arrondi* redondead* redonda',
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

/** Whether a text asks for a dark or a light page, or one that follows the visitor's screen. */
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
