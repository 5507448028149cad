import type { Schemas } from '../api/client.ts';
import { formatBytes } from '../components/content/format-bytes.ts';
import { language } from '../texts/language.ts';
import { texts } from '../texts.ts';

const number = new Intl.NumberFormat(language);
const names: Readonly<Record<string, string | undefined>> = texts.limits.names;

/** The title of a limit, and the notation of its amounts. A limit without a text of its own has the API's words. */
export const amountOf = ({ name, unit }: Schemas['Limit']) => ({
  title: names[name] ?? `${unit.charAt(0).toUpperCase()}${unit.slice(1)}`,
  shown: unit.startsWith('bytes') ? formatBytes : number.format,
});
