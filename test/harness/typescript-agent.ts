import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type OAuthClientProvider, UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import type { OfficialAgent } from './official-agent.ts';

/** A desktop agent on the official TypeScript client. */
export class TypeScriptAgent implements OfficialAgent {
  readonly #url: URL;
  readonly #callbacks: Server;
  #client: Client | undefined;
  /** What it keeps. */
  #registered: OAuthClientInformationMixed | undefined;
  #tokens: OAuthTokens | undefined;
  #verifier = '';
  /** The page that it opened in the browser last. */
  #page: string | undefined;
  readonly #code = Promise.withResolvers<string>();

  private constructor(url: string, callbacks: Server) {
    this.#url = new URL(url);
    this.#callbacks = callbacks;
    callbacks.on('request', (request, response) => {
      const code = new URL(request.url ?? '/', this.#url).searchParams.get('code');
      response.setHeader('content-type', 'text/html').end('<title>Connected</title><h1>You can close this page</h1>');
      if (code !== null) this.#code.resolve(code);
    });
  }

  /** `url` is the address of the MCP server. */
  static async start(url: string): Promise<TypeScriptAgent> {
    const callbacks = createServer().listen(0, '127.0.0.1');
    await once(callbacks, 'listening');
    const agent = new TypeScriptAgent(url, callbacks);
    await agent.restart();
    return agent;
  }

  async listTools(): Promise<string[]> {
    return (await this.#connected().listTools()).tools.map(({ name }) => name);
  }

  async call(): Promise<string | undefined> {
    try {
      const { isError, content } = await this.#connected().callTool({ name: 'list_plans', arguments: {} });
      if (isError) throw new Error(JSON.stringify(content));
      return undefined;
    } catch (error) {
      if (error instanceof UnauthorizedError) return this.#page;
      throw error;
    }
  }

  async finishSignIn(): Promise<void> {
    await this.#transport().finishAuth(await this.#code.promise);
  }

  refreshToken(): string | undefined {
    return this.#tokens?.refresh_token;
  }

  async expire(): Promise<void> {
    this.#tokens = { ...this.#tokens, access_token: 'wko_expired', token_type: 'Bearer' };
  }

  async restart(): Promise<void> {
    await this.#client?.close();
    this.#client = new Client({ name: 'official-agent', version: '1.0.0' });
    await this.#client.connect(this.#transport());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client?.close();
    this.#callbacks.closeAllConnections();
    this.#callbacks.close();
  }

  #connected(): Client {
    if (this.#client === undefined) throw new Error('the agent was not started');
    return this.#client;
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
      clientInformation: () => this.#registered,
      saveClientInformation: (registered) => {
        this.#registered = registered;
      },
      tokens: () => this.#tokens,
      saveTokens: (tokens) => {
        this.#tokens = tokens;
      },
      // Without this the client would try a refused refresh token again and again.
      invalidateCredentials: (which) => {
        if (which === 'all' || which === 'tokens') this.#tokens = undefined;
        if (which === 'all' || which === 'client') this.#registered = undefined;
      },
      redirectToAuthorization: (page) => {
        this.#page = page.href;
      },
      saveCodeVerifier: (verifier) => {
        this.#verifier = verifier;
      },
      codeVerifier: () => this.#verifier,
    };
  }
}
