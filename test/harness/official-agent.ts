import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';

/**
 * A desktop agent on the official TypeScript client: it knows nothing but the address of the MCP server, and keeps what
 * it learns as a real one does, so that it can go on in a new process.
 */
export class OfficialAgent implements AsyncDisposable {
  readonly #url: URL;
  readonly #callbacks: Server;
  /** What it keeps. */
  registered: OAuthClientInformationMixed | undefined;
  tokens: OAuthTokens | undefined;
  #verifier = '';
  /** The page that it opened in the browser. */
  #page = Promise.withResolvers<URL>();
  #code = Promise.withResolvers<string>();

  private constructor(origin: string, callbacks: Server) {
    this.#url = new URL('/api/mcp', origin);
    this.#callbacks = callbacks;
    callbacks.on('request', (request, response) => {
      const code = new URL(request.url ?? '/', this.#url).searchParams.get('code');
      response.setHeader('content-type', 'text/html').end('<title>Connected</title><h1>You can close this page</h1>');
      if (code !== null) this.#code.resolve(code);
    });
  }

  static async start(origin: string): Promise<OfficialAgent> {
    const callbacks = createServer().listen(0, '127.0.0.1');
    await once(callbacks, 'listening');
    return new OfficialAgent(origin, callbacks);
  }

  /** The address that it opens in the person's browser, once the server has asked for a sign-in. */
  get page(): Promise<URL> {
    return this.#page.promise;
  }

  /** Connects; signs in if the server asks for it, which takes a person at `page`. */
  async connect(): Promise<Client> {
    const client = new Client({ name: 'official-agent', version: '1.0.0' });
    await client.connect(this.#transport());
    return client;
  }

  /** Waits for the person's consent, and exchanges the code. */
  async finishSignIn(): Promise<void> {
    await this.#transport().finishAuth(await this.#code.promise);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#callbacks.closeAllConnections();
    this.#callbacks.close();
  }

  #transport(): StreamableHTTPClientTransport {
    return new StreamableHTTPClientTransport(this.#url, { authProvider: this.#provider() });
  }

  #provider(): OAuthClientProvider {
    const { port } = this.#callbacks.address() as AddressInfo;
    const redirectUrl = `http://127.0.0.1:${port}/callback`;
    return {
      redirectUrl,
      clientMetadata: { client_name: 'Official agent', redirect_uris: [redirectUrl], token_endpoint_auth_method: 'none' },
      clientInformation: () => this.registered,
      saveClientInformation: (registered) => {
        this.registered = registered;
      },
      tokens: () => this.tokens,
      saveTokens: (tokens) => {
        this.tokens = tokens;
      },
      redirectToAuthorization: (page) => this.#page.resolve(page),
      saveCodeVerifier: (verifier) => {
        this.#verifier = verifier;
      },
      codeVerifier: () => this.#verifier,
    };
  }
}
