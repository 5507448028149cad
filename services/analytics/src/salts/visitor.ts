import { createHmac, hash, type KeyObject } from 'node:crypto';

/** 12 of the 32 bytes: no two of a site's visitors share them by chance. */
const visitorCharacters = 16;
/** 8 bytes. */
const eventCharacters = 11;

/** Who views a site on the day of the salt: what it is made of cannot be found from it once the salt is destroyed. 16 base64url characters. */
export const visitorId = (salt: KeyObject, site: string, address: string, agent: string): string =>
  createHmac('sha256', salt).update(`${site}\0${address}\0${agent}`).digest('base64url').slice(0, visitorCharacters);

/** The mark of one event of a site: 11 base64url characters, "" for an event that has no id. */
export const eventMark = (site: string, id: string): string =>
  id === '' ? '' : hash('sha256', `${site}\0${id}`, 'base64url').slice(0, eventCharacters);
