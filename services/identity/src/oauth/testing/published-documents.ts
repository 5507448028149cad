import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { generate } from 'selfsigned';

/** A server of agents on this machine, over https, with their metadata documents and keys. */
export function usePublishedDocuments() {
  /** By their path; a missing one answers 404. */
  const documents = new Map<string, object>();
  let server: Server;
  let requests = 0;
  let settings: Record<string, string> = {};
  beforeAll(async () => {
    const { private: key, cert } = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
      keyType: 'ec',
      extensions: [
        { name: 'basicConstraints', cA: true },
        { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
      ],
    });
    const file = path.join(mkdtempSync(path.join(tmpdir(), 'webkiln-certificate-')), 'cert.pem');
    writeFileSync(file, cert);
    server = createServer({ key, cert }, ({ url = '' }, response) => {
      requests += 1;
      const document = documents.get(url);
      if (document === undefined) response.writeHead(404).end();
      else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    settings = { NODE_EXTRA_CA_CERTS: file, OUTBOUND_PORT: String((server.address() as AddressInfo).port) };
  });
  afterAll(() => void server.close());

  return {
    documents,
    /** The settings by which a replica trusts the server. */
    settings: () => settings,
    host: () => `127.0.0.1:${settings.OUTBOUND_PORT}`,
    /** How many requests it has answered. */
    requests: () => requests,
    /** A path that has no document yet, and its address. */
    newPlace() {
      const at = `/${crypto.randomUUID()}.json`;
      return { at, url: `https://127.0.0.1:${settings.OUTBOUND_PORT}${at}` };
    },
  };
}
