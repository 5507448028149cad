import { kindOf } from './kind-of.ts';

const maxNameLength = 60;
const quoted = /["“”„«»]\s*([^"“”„«»\n]{1,60}?)\s*["“”„«»]/u;
const introduced =
  /(?:\bcalled|\bnamed|\bnamens|\bheißt|\bheisst|\bgenannt|\bappelée?s?|\bs['’]appelle|\bnommée?s?|\bllamad[oa]s?|\bse llama|\bname is|\bname ist|\bname:|\bnombre es|\bnom est)\s+([^\n,.;:!?()]{1,60})/iu;
const afterFor =
  /(?:\bfor|\bfür|\bpour|\bpara)\s+((?:\p{Lu}[\p{L}\p{N}'’&.-]*)(?:\s+(?:&|de|du|des|la|le|los|und|and|et|y|von|van|\p{Lu}[\p{L}\p{N}'’&.-]*))+)/u;
/** A name ends where the sentence goes on with where, or with what. */
const goesOn = /\s+(?:in|at|near|bei|en|à|with|mit|avec|con|and|und|et|que|which|die|das|der|qui)\s.*$/iu;

const capital = /^\p{Lu}[\p{L}\p{N}'’&-]*$/u;

/**
 * "photographer Jane Doe" is Jane Doe, and "Bäckerei Schmidt" is Bäckerei Schmidt: names that follow the word for
 * the business.
 */
function nameBehindKind(prompt: string): string | undefined {
  const parts = prompt.split(/\s+/);
  for (const [at, part] of parts.entries()) {
    if (kindOf(part) === 'business') continue;
    const rest = parts.slice(at + 1).map((word) => word.replace(/[,.;:!?]+$/, ''));
    const length = rest.findIndex((word, index) => !capital.test(word) || /[,.;:!?]$/.test(parts[at + index] ?? ''));
    const name = rest.slice(0, length < 0 ? rest.length : length).join(' ');
    if (name !== '' && !/^(?:Website|Webseite|Site|Web|Homepage|Shop|Studio)\b/.test(name))
      return capital.test(part) ? `${part} ${name}` : name;
  }
  return undefined;
}

/** The name that a prompt gives the business. */
export function nameIn(prompt: string): string | undefined {
  const found =
    prompt.match(quoted)?.[1] ??
    prompt.match(introduced)?.[1]?.replace(goesOn, '') ??
    prompt.match(afterFor)?.[1] ??
    nameBehindKind(prompt);
  const name = found?.trim().slice(0, maxNameLength).trim();
  return name === undefined || name === '' ? undefined : name;
}

const part = "\\p{Lu}[\\p{L}'’-]+";
const capitalised = new RegExp(
  `(?<![\\p{L}])(?:in|at|near|around|bei|nahe|aus|à|en|près de|cerca de|from)\\s+((?:La |Le |Les |El |Los |Las |Den |The )?${part}(?:[ -](?:am|an der|im|ob der|sur|sous|de|del|la|les|lès|upon|on|${part}))*)`,
  'gu',
);
const lowered =
  /(?<!\p{L})(?:in|à|en|near|bei)\s+(\p{Ll}[\p{L}'’-]{2,30})\s*(?=$|[,.;!?\n]|\s(?:with|mit|avec|con|called|named|namens)\s)/gu;
/** What follows "in" without being a place: languages, manners, seasons. */
const notPlaces =
  /^(?:english|german|french|spanish|deutsch|englisch|französisch|spanisch|anglais|allemand|français|espagnol|inglés|alemán|francés|español|castellano|general|style|stil|color|colour|blue|green|red|black|white|dark|light|blau|grün|rot|schwarz|weiß|bleu|vert|rouge|noir|blanc|azul|verde|rojo|negro|blanco|town|city|detail|line|ligne|línea|html|the|der|die|das|my|our|your|frühling|sommer|herbst|winter|summer|spring|autumn)$/iu;

/** The town or region that a prompt names, with a capital. */
export function placeIn(prompt: string): string | undefined {
  const withoutNames = prompt.replace(new RegExp(quoted, 'gu'), ' ');
  const found = [...withoutNames.matchAll(capitalised), ...withoutNames.matchAll(lowered)].map(([, place = '']) =>
    place.trim().replace(/[ -](?:am|an der|im|sur|sous|de|del|la|les|on|upon)$/u, ''),
  );
  const place = found.find((candidate) => !notPlaces.test(candidate.split(' ')[0] ?? ''));
  return place === undefined ? undefined : `${place.charAt(0).toLocaleUpperCase()}${place.slice(1)}`.slice(0, maxNameLength);
}
