import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pkce, registerAgent } from '../harness/connected-agent.ts';
import { owner, type Person } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { newMember } from '../harness/team.ts';
import { totp } from '../harness/totp.ts';

/** A program on this computer that takes codes at `callback`. */
export async function agentServer() {
  const server = createServer((_request, response) => response.end('You can close this page.'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { callback: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`, close };
}

/**
 * Registers an agent that takes its code on this computer, at `callback`, with any port. Returns the link with which it
 * asks a person for access.
 */
export async function agentLink(clientName: string, callback = 'http://127.0.0.1:7777/callback') {
  const origin = sharedPlatform().origins[0] ?? '';
  const { verifier, challenge } = pkce();
  const client_id = await registerAgent(origin, clientName, 'http://127.0.0.1/callback');
  const request = {
    response_type: 'code',
    client_id,
    redirect_uri: callback,
    state: 's',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  };
  return { client_id, verifier, url: `${origin}/oauth/authorize?${new URLSearchParams(request)}` };
}

/** A developer with a second factor; `app` is the secret of the authenticator app. */
export async function personWithSecondFactor(): Promise<{ ada: Person; app: string }> {
  const ada = await newMember(await owner(), 'developer');
  const { totpURI } = (await ada.auth('/two-factor/enable', { password: ada.password })).expect(200).body;
  (await ada.auth('/two-factor/verify-totp', { code: totp(totpURI) })).expect(200);
  return { ada, app: totpURI };
}
