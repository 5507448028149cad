import type { SiteFacts } from '../site.ts';

const email = /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,4}/u;
const link = /https?:\/\/[^\s<>"'“”«»]{3,400}/g;
const phone = /(?<![\d.,/-])\+?\(?\d[\d\s()./-]{6,20}\d(?![\d-])/g;
const clock = /\d{1,2}(?:[:.h]\d{2})?\s*(?:am|pm|uhr|h)?\s*(?:–|-|—|to|bis|until|à|a|hasta)\s*\d{1,2}/iu;
const closed = /closed|geschlossen|ruhetag|fermé|cerrado/iu;
const hours =
  /(?:opening hours|opening times|business hours|hours|open|geöffnet|offen|öffnungszeiten|ouverte?|horaires(?: d['’]ouverture)?|abiert[oa]|horarios?(?: de apertura)?)(?:\s+(?:are|is|sind|sont|son|est|ist|es))?\s*:?\s*([^\n]{3,300})/iu;
const address =
  /(?:address|adresse|anschrift|dirección|direccion)(?:\s+(?:is|ist|est|es|lautet|to|in|zu|auf|à|en|a))?\s*:?\s+([^\n;]{5,120}?)(?=$|[\n;]|\.\s|\.$|,\s*(?:phone|tel|open|email|hours))/iu;
const street =
  /\b(\d{1,4}\s?[a-z]?,?\s+(?:rue|avenue|av\.|boulevard|bd|place|quai|chemin|impasse|calle)\s[\p{L}'’ -]{2,40}|\d{1,4}\s(?:\p{Lu}[\p{L}'’-]+\s){1,3}(?:street|st\.?|road|rd\.?|lane|avenue|square)|\p{Lu}[\p{L}-]*(?:straße|strasse|str\.|gasse|platz|weg|allee)\s\d{1,4}[a-z]?|(?:calle|avenida|plaza|paseo)\s[\p{L}'’ ]{2,40}?,?\s\d{1,4})(?!\p{L})/iu;

/** "Onion soup 7.50 €" as a label with a price. */
export function pricedLine(line: string): { label: string; price?: string } | undefined {
  const text = line
    .trim()
    .replace(/[.,;]+$/, '')
    .slice(0, 200);
  const match = text.match(
    /^(.{1,150}?)\s*[:–—-]?\s*((?:[€$£]|CHF|EUR)\s?\d{1,5}(?:[.,]\d{1,2})?|(?<!\d)\d{1,5}(?:[.,]\d{1,2})?\s?(?:€|EUR|euros?|CHF|\$|£)?)$/iu,
  );
  if (match?.[1] !== undefined && match[2] !== undefined && /\p{L}/u.test(match[1]))
    return { label: match[1].trim(), price: match[2].trim() };
  return /\p{L}/u.test(text) ? { label: text } : undefined;
}

const pricedLines = (text: string, maxLines: number) =>
  text
    .split(/[;\n]|,(?!\d)/)
    .flatMap((line) => pricedLine(line) ?? [])
    .slice(0, maxLines);

const menu = /(?:menu|speisekarte|karte|carte|carta|menú)\s*:\s*([^\n]{3,1500})/iu;
const prices = /(?:price list|prices|preise|preisliste|prix|tarifs|precios|tarifas)\s*:\s*([^\n]{3,1500})/iu;
const people = /(?:team|people|mitarbeiter|équipe|equipe|equipo)\s*:\s*([^\n]{3,600})/iu;

/** "Ana Ruiz, baker" or "Ana Ruiz (baker)" as a person. */
export function personLine(line: string): { name: string; role?: string } | undefined {
  const match = line
    .trim()
    .replace(/[.;]+$/, '')
    .match(/^([^(,–—:]{2,80}?)\s*(?:[(,–—:]\s*([^)]{2,80})\)?)?$/u);
  if (match?.[1] === undefined) return undefined;
  return { name: match[1].trim(), ...(match[2] === undefined ? {} : { role: match[2].trim() }) };
}

/** Opening hours as lines; only if the text names times. */
export function hoursIn(text: string): string[] {
  const found = text.match(hours)?.[1]?.split(/(?<=\d\s?(?:h|uhr)?)\.\s|\.$/iu)[0];
  if (found === undefined || !clock.test(found)) return [];
  return found
    .split(/[;,]|\s(?:and|und|et|y)\s(?=\p{L}+\s)/u)
    .map((line) => line.trim().slice(0, 80))
    .filter((line) => clock.test(line) || closed.test(line))
    .slice(0, 14);
}

export function phoneIn(text: string): string | undefined {
  const isPhone = (digits: string) => digits.length >= 8 && digits.length <= 15;
  return text
    .replace(link, ' ')
    .match(phone)
    ?.map((found) => found.trim())
    .find((found) => isPhone(found.replace(/\D/g, '')));
}

export const emailIn = (text: string): string | undefined => text.match(email)?.[0];
export const addressIn = (text: string): string | undefined => (text.match(street)?.[1] ?? text.match(address)?.[1])?.trim();
export const linksIn = (text: string): string[] =>
  (text.match(link) ?? [])
    .map((found) => found.replace(/[).,;!?]+$/, ''))
    .filter((found) => URL.canParse(found))
    .slice(0, 20);

/** The facts that a prompt states. What it does not state stays empty: nothing is made up. */
export function factsIn(text: string): SiteFacts {
  return {
    phone: phoneIn(text),
    email: emailIn(text),
    address: addressIn(text),
    hours: hoursIn(text),
    prices: pricedLines(text.match(prices)?.[1] ?? '', 60),
    menu: pricedLines(text.match(menu)?.[1] ?? '', 60),
    people: (text.match(people)?.[1] ?? '')
      .split(/[;\n]|,(?![^(]*\))/)
      .flatMap((line) => (line.trim() === '' ? [] : (personLine(line) ?? [])))
      .slice(0, 30),
    quotes: [],
    dates: [],
    links: linksIn(text),
  };
}
