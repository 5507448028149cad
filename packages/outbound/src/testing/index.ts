export { forbiddenUrls } from './forbidden-urls.ts';
export { forbiddenZone, publicAddress } from './forbidden-zone.ts';
export { Listener } from './listener.ts';
export { NameServer } from './name-server.ts';
