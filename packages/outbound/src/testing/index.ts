export { forbiddenUrls } from './forbidden-urls.ts';
export { forbiddenZone } from './forbidden-zone.ts';
export { Listener } from './listener.ts';
export { NameServer } from './name-server.ts';
