import { styleText } from 'node:util';
import type { Demo } from './demo.ts';

/** The text that is printed after a start: where everything is and how to begin, with a hint about this machine. */
export function welcome({ origin, base_url, member, api_key, site_url, embed }: Demo, dataFolder: string, hint?: string): string {
  const rows = {
    Webkiln: origin,
    API: `${base_url}, described at ${base_url}/docs`,
    'Sign-in': `${member.email}, password ${member.password}`,
    'API key': api_key,
    ...(site_url && { 'A live site': site_url }),
    'The builder': `${embed.allowed_origin}, in the page of an agency`,
    'First request': `curl -H 'Authorization: Bearer ${api_key}' ${base_url}/projects`,
    More: `${dataFolder}: demo.json, run.json, mail, logs`,
  };
  const lines = Object.entries(rows).map(([name, text]) => `  ${styleText('bold', name.padEnd(15))}${text}`);
  const hints = hint === undefined ? '' : `  ${hint}\n\n`;
  return `\n${lines.join('\n')}\n\n${hints}  Ctrl-C stops everything.\n`;
}
