import type { SiteFacts } from '../site.ts';
import { hoursText, openingsIn } from './hours.ts';

const email = /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,4}/u;
const link = /https?:\/\/[^\s<>"'“”«»]{3,400}/g;
const phone = /(?<![\d.,/-])\+?\(?\d[\d\s()./-]{6,20}\d(?![\d-])/g;
const address =
  /(?:address|adresse|anschrift|dirección|direccion)(?:\s+(?:is|ist|est|es|lautet|to|in|zu|auf|à|en|a))?\s*:?\s+([^\n;]{5,120}?)(?=$|[\n;]|\.\s|\.$|,\s*(?:phone|tel|open|email|hours))/iu;
const street =
  /\b(\d{1,4}\s?[a-z]?,?\s+(?:rue|avenue|av\.|boulevard|bd|place|quai|chemin|impasse|calle)\s[\p{L}'’ -]{2,40}|\d{1,4}\s(?:\p{Lu}[\p{L}'’-]+\s){1,3}(?:street|st\.?|road|rd\.?|lane|avenue|square)|\p{Lu}[\p{L}-]*(?:straße|strasse|str\.|gasse|platz|weg|allee)\s\d{1,4}[a-z]?|(?:calle|avenida|plaza|paseo)\s[\p{L}'’ ]{2,40}?,?\s\d{1,4})(?!\p{L})/iu;

/** "Onion soup 7.50 €" as a label with a price. */
export function pricedLine(line: string): { label: string; price?: string } | undefined {
  const text = line
    .trim()
    .replace(/[\s.,;!?–—-]+$/u, '')
    .slice(0, 200);
  const match = text.match(
    /^(.{1,150}?)\s*[:–—-]?\s*((?:[€$£]|CHF|EUR)\s?\d{1,5}(?:[.,]\d{1,2})?|(?<!\d)\d{1,5}(?:[.,]\d{1,2})?\s?(?:€|EUR|euros?|CHF|\$|£)?)$/iu,
  );
  if (match?.[1] !== undefined && match[2] !== undefined && /\p{L}/u.test(match[1]))
    return { label: match[1].trim(), price: match[2].trim() };
  return /\p{L}/u.test(text) ? { label: text } : undefined;
}

/** Where a list ends: at the next sentence. */
const sentenceEnd = /\.\s+(?=\p{Lu})/u;
const betweenLines = /[;\n]|,(?!\d)|\s(?:and|und|et|y)\s(?=[^,;\n]{1,60}\d\s*(?:€|£|\$|chf|euros?)?[\s.]*$)/iu;

/**
 * The lines of a list with prices, as it follows its subject: "menu: espresso 2.50, cake 3". Without a colon or dash
 * before it, each line needs its price, and a single one its currency.
 */
export function pricedLines(text: string, maxLines = 60): { label: string; price?: string }[] {
  // "Prices on the home page: cut 38": the list is behind the colon.
  const listed = text.replace(/^[^\d,:\n]{0,100}(?=:\s)/u, '');
  const isIntroduced = /^\s*[:–—-]/u.test(listed);
  const lines = listed
    .replace(/^[\s:–—-]+/u, '')
    .split(sentenceEnd)[0]
    ?.split(betweenLines)
    .flatMap((line) => pricedLine(line) ?? [])
    .slice(0, maxLines);
  if (lines === undefined || isIntroduced) return lines ?? [];
  const arePriced = lines.every(({ price }) => price !== undefined && (lines.length > 1 || /[^\d.,]/.test(price)));
  return arePriced ? lines : [];
}

const menu = /(?<!\p{L})(?:menu|speisekarte|karte|carte|carta|menú)(?!\p{L})([^\n]{3,1500}(?:\n[^\n:]{1,200}\d[^\n:]{0,4}){0,60})/iu;
const prices =
  /(?<!\p{L})(?:price list|prices|preise|preisliste|prix|tarifs|precios|tarifas)(?!\p{L})([^\n]{3,1500}(?:\n[^\n:]{1,200}\d[^\n:]{0,4}){0,60})/iu;
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

/** "Ana Ruiz, baker, Tom Lee (barista)": what begins with a small letter is what the person before it does. */
export function peopleIn(text: string): { name: string; role?: string }[] {
  const found: { name: string; role?: string }[] = [];
  const parts = text.split(sentenceEnd)[0]?.split(/[;\n]|,(?![^(]*\))|\s(?:and|und|et|y)\s(?=\p{Lu})/u) ?? [];
  for (const part of parts.map((each) => each.trim()).filter((each) => each !== '')) {
    const last = found.at(-1);
    if (last !== undefined && last.role === undefined && /^\p{Ll}/u.test(part)) last.role = part.replace(/[.;]+$/, '').slice(0, 80);
    else found.push(...[personLine(part) ?? []].flat());
  }
  return found.filter(({ name }) => /^\p{Lu}/u.test(name)).slice(0, 30);
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
/** A street with its number. */
export const streetIn = (text: string): string | undefined => {
  const at = text.match(street);
  return at?.index === undefined
    ? undefined
    : text
        .slice(at.index)
        .replace(/[.!?\s]+$/u, '')
        .slice(0, 200);
};

/** The address that a text states: what follows the word for it, with town and code, or a street with its number. */
export function addressIn(text: string): string | undefined {
  const [named, found] = [text.match(address)?.[1]?.trim(), text.match(street)?.[1]?.trim()];
  return found === undefined || named?.includes(found) === true ? named : found;
}
export const linksIn = (text: string): string[] =>
  (text.match(link) ?? [])
    .map((found) => found.replace(/[).,;!?]+$/, ''))
    .filter((found) => URL.canParse(found))
    .slice(0, 20);

/** The facts that a prompt states. What it does not state stays empty: nothing is made up. */
export function factsIn(text: string, locale: string): SiteFacts {
  return {
    phone: phoneIn(text),
    email: emailIn(text),
    address: addressIn(text),
    hours: hoursText(openingsIn(text), locale),
    prices: pricedLines(text.match(prices)?.[1] ?? ''),
    menu: pricedLines(text.match(menu)?.[1] ?? ''),
    people: peopleIn(text.match(people)?.[1] ?? ''),
    quotes: [],
    dates: [],
    links: linksIn(text),
  };
}
