import type { Transport } from './transport.ts';

/** The base of a group of operations, such as `webkiln.clients`. */
export class Resource {
  protected readonly transport: Transport;

  constructor(transport: Transport) {
    this.transport = transport;
  }
}

/** The path of a file, with each of its segments encoded. */
export const filePath = (path: string): string => path.split('/').map(encodeURIComponent).join('/');
