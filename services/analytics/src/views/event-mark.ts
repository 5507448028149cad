import { hash } from 'node:crypto';

/** 8 bytes. */
const characters = 11;

/** The mark of one event of a site: 11 base64url characters, "" for an event that has no id. */
export const eventMark = (site: string, id: string): string =>
  id === '' ? '' : hash('sha256', `${site}\0${id}`, 'base64url').slice(0, characters);
