import { type Locale, locales } from '../locale.ts';
import { plain, wordPattern } from './text.ts';

/** Frequent short words, and words of wishes, that only one of the languages has. */
const frequent: Readonly<Record<Locale, string>> = {
  en: 'bakery lawyer dentist plumber electrician carpenter gardener winery florist bookshop gym photographer architect accountant vet hairdresser the a an for with and build make create website site my our of called named want need please add change remove',
  de: 'backerei friseur anwalt kanzlei zahnarzt praxis klempner elektriker tischlerei gartner werkstatt weingut blumenladen buchhandlung fitnessstudio fotograf architekt verein steuerberater tierarzt gasthaus der die das ein eine einen einer fur mit und baue bau erstelle mach mache webseite website meine meinen unser unsere im ich brauche mochte bitte seite heisst namens ubersetze fuge andere entferne loesche losche auf nach zu',
  fr: "boulangerie coiffeur salon cabinet avocat dentaire plombier electricien menuiserie paysagiste vigneron domaine fleuriste librairie photographe architecte comptable veterinaire le la les un une des pour avec et cree creer fais faire site mon ma mes notre dans a au aux du de je veux besoin s'il appele appelee nomme ajoute change supprime traduis sur page",
  es: 'panaderia peluqueria restaurante abogado abogada dentista clinica fontanero electricista carpinteria jardinero taller bodega floristeria libreria gimnasio fotografo arquitecto asociacion asesoria veterinaria el la los las un una para con y crea crear haz hazme construye sitio web pagina mi mis nuestro nuestra en del de quiero necesito por favor llamado llamada anade agrega cambia quita elimina traduce al pon',
};
const patterns = locales.map((locale) => ({ locale, pattern: wordPattern(frequent[locale]) }));
const letters: Readonly<Record<Locale, RegExp>> = { en: /$^/, de: /[äöüß]/giu, fr: /[èêëàâîïôûœç]|d['’]|l['’]/giu, es: /[ñ¿¡áíóú]/giu };

/** The language of a text; English if it cannot be told. */
export function localeOf(text: string): Locale {
  const searched = plain(text);
  const scores = patterns.map(({ locale, pattern }) => {
    const words = [...searched.matchAll(pattern)].length;
    return { locale, score: words + 0.7 * (text.match(letters[locale])?.length ?? 0) };
  });
  const best = scores.toSorted((one, two) => two.score - one.score)[0];
  return best === undefined || best.score === 0 ? 'en' : best.locale;
}

const asked: Readonly<Record<Locale, string>> = {
  en: 'in_english auf_englisch en_anglais en_ingles into_english al_ingles ins_englische to_english',
  de: 'in_german auf_deutsch en_allemand en_aleman into_german al_aleman ins_deutsche to_german',
  fr: 'in_french auf_franzosisch en_francais en_frances into_french al_frances ins_franzosische to_french',
  es: 'in_spanish auf_spanisch en_espagnol en_espanol into_spanish al_espanol ins_spanische to_spanish en_castellano',
};
const askedPatterns = locales.map((locale) => ({ locale, pattern: wordPattern(asked[locale]) }));

/** The language that a text asks for ("in French", "auf Deutsch"). */
export function askedLocale(text: string): Locale | undefined {
  const searched = plain(text);
  return askedPatterns.find(({ pattern }) => searched.search(pattern) >= 0)?.locale;
}
