import { textsOf } from '@webkiln/texts/texts-of';

/** The language of this page. Each language is a build of its own, which has the texts of that language alone. */
export const language = document.documentElement.lang;

/** The texts of an area, whose file the build replaces by the one of its language. */
export const inLanguage = <T>(json: object): T => textsOf<T>(language, json);

/** Shows another language from now on, in this browser. */
export function changeLanguage(wanted: string): void {
  const choice = `webkiln_language=${wanted}`;
  // Then another tab changed it, and this one keeps what is being typed; or the platform has no such language.
  if (document.cookie.includes(choice)) return;
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not there in all browsers.
  document.cookie = `${choice}; Path=/; Max-Age=31536000; SameSite=Lax`;
  // Browsers that refuse cookies would come back in the same language.
  if (document.cookie.includes(choice)) location.reload();
}
