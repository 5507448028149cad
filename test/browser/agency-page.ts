import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A page of an agency on an origin of its own, which shows what `address` says in a frame and keeps what it hears. */
export async function agencyPage(host = '127.0.0.1') {
  let address = '';
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(`<!doctype html><html lang="en"><title>Agency</title><h1>Agency</h1>
      <iframe title="Builder" style="width:100%;height:760px" src="${address}"></iframe>
      <script>heard = []; addEventListener('message', ({ origin, data }) => heard.push({ origin, ...data }))</script></html>`);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    origin: `http://${host}:${(server.address() as AddressInfo).port}`,
    show(url: string) {
      address = url;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}
