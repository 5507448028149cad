const loopbackName = /^(?:(?:[a-z0-9-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** True for an origin on the machine of its visitor: no network is between. */
const isLoopback = (origin: string): boolean => loopbackName.test(new URL(origin).hostname);

const machineName = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** True for an http origin by a name of this machine itself. Names below `.localhost` are sites of customers. */
export function isOwnMachine(origin: string): boolean {
  const url = URL.parse(origin);
  return url !== null && url.protocol === 'http:' && machineName.test(url.hostname);
}

/** True for an origin at which others on the network can read what visitors send. Its pages must warn. */
export const isReadByOthers = (origin: string): boolean => origin.startsWith('http:') && !isLoopback(origin);

/** The style sheet that warns; the gateway serves it to the pages of all services. */
export const warningStylePath = '/assets/plain-http.css';

/** A style sheet of pages at this origin, with the warning if they need it. */
export const withWarning = (origin: string, style: string): string =>
  isReadByOthers(origin) ? `@import "${warningStylePath}";\n${style}` : style;
