import { execFile } from 'node:child_process';
import type { webcrypto } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { WebkilnError } from '@webkiln/sdk';
import { interruption } from './interruption.ts';

const page = '/connect-command-line';
const timeoutMs = 10 * 60_000;
/** RFC 8017. The key arrives encrypted: the address that carries it stays in the history of the browser. */
const encryption = { name: 'RSA-OAEP', modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-256' };

/** Opens an address in the user's browser, where there is one. */
export function openBrowser(url: string): void {
  const [opener, ...words] = { darwin: ['open'], win32: ['explorer'] }[process.platform as string] ?? ['xdg-open'];
  execFile(opener as string, [...words, url], () => undefined);
}

/**
 * Has a person make a key for this machine on a page of the dashboard, which sends it to a port of this machine (as RFC
 * 8252 §7.3 has it for native apps). Throws when it takes longer than ten minutes.
 */
export async function keyFromBrowser(platform: string): Promise<string> {
  const pair = await crypto.subtle.generateKey(encryption, false, ['encrypt', 'decrypt']);
  const publicKey = await crypto.subtle.exportKey('spki', pair.publicKey);
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    const address = new URL(page, platform);
    const { port } = server.address() as AddressInfo;
    const asked = { port: String(port), public_key: Buffer.from(publicKey).toString('base64'), machine: hostname() };
    address.search = String(new URLSearchParams(asked));
    process.stderr.write(`Open this page, and check that it shows the code ${await codeOf(publicKey)}:\n  ${address}\n`);
    openBrowser(address.href);
    return await sentKey(server, pair.privateKey, platform);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

/** Eight digits by which a person sees that the page answers this command: the first 4 bytes of the key's SHA-256. */
async function codeOf(publicKey: ArrayBuffer): Promise<string> {
  const digest = Buffer.from(await crypto.subtle.digest('SHA-256', publicKey));
  return digest.toString('hex', 0, 4).toUpperCase().replace(/^.{4}/, '$&-');
}

/** The first key that only the page can have encrypted; other requests to the port are answered 400. */
async function sentKey(server: ReturnType<typeof createServer>, privateKey: webcrypto.CryptoKey, platform: string): Promise<string> {
  const signal = AbortSignal.any([interruption, AbortSignal.timeout(timeoutMs)]);
  for (;;) {
    const [request, response] = await nextRequest(server, signal);
    const sent = new URL(request.url ?? '/', 'http://127.0.0.1').searchParams.get('key') ?? '';
    try {
      const key = await crypto.subtle.decrypt(encryption, privateKey, Buffer.from(sent, 'base64'));
      response.writeHead(303, { location: `${platform}${page}?connected` }).end();
      await once(response, 'finish');
      return Buffer.from(key).toString();
    } catch {
      response.writeHead(400).end('This is not the key that "webkiln login" waits for.');
    }
  }
}

async function nextRequest(server: ReturnType<typeof createServer>, signal: AbortSignal): Promise<[IncomingMessage, ServerResponse]> {
  try {
    return (await once(server, 'request', { signal })) as [IncomingMessage, ServerResponse];
  } catch (error) {
    throw new WebkilnError('Nobody has connected the command line on the page within ten minutes.', { cause: error });
  }
}
