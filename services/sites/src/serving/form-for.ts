import type { IncomingMessage } from 'node:http';
import { acceptedEncoding } from '@webkiln/runtime/representations';
import type { Representation } from '../resolutions/representation.ts';
import type { PublishedFile } from '../resolutions/site.ts';

/** The form of a file to answer a request with. */
export const formFor = ({ headers }: IncomingMessage, file: PublishedFile): Representation =>
  file.as(acceptedEncoding(headers['accept-encoding'] as string | undefined, file.encodings));
