import type { IncomingMessage } from 'node:http';
import Negotiator from 'negotiator';

const [html, json] = ['text/html', 'application/json'];

/** Whether a program is to read the answer (RFC 9110 §12.5.1): it says so, or it sent JSON and takes anything. */
export function wantsJson({ headers }: IncomingMessage): boolean {
  const sentJson = headers['content-type']?.startsWith(json) ?? false;
  const [best] = new Negotiator({ headers: { accept: headers.accept ?? '*/*' } }).mediaTypes(sentJson ? [json, html] : [html, json]);
  return best === json;
}
