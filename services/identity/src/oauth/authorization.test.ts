import { mcp, redirectUri, rest, tokensOf } from './testing/agent.ts';
import { origin } from './testing/browser.ts';
import { introspect, newPerson, useOauth } from './testing/use-oauth.ts';

const oauth = useOauth();

test('a registered agent gets tokens that act for the person in the organization, and refreshes them', async () => {
  const person = await newPerson('developer');
  const agent = oauth.agent();
  const registered = await agent.register();
  expect([registered.status, await registered.json()]).toEqual([
    201,
    expect.objectContaining({ client_name: 'Test agent', redirect_uris: [redirectUri], scope: 'mcp', token_endpoint_auth_method: 'none' }),
  ]);
  const page = await agent.openPage({ scope: 'openid mcp offline_access' });
  expect(page.html).toContain('Sign in');
  const consent = await agent.signIn(page, person.email, person.password);
  expect(consent.html).toContain('agent.example');
  const callback = await agent.allow(consent);
  expect(callback.origin + callback.pathname).toBe(redirectUri);
  expect([callback.searchParams.get('state'), callback.searchParams.get('iss')]).toEqual(['the state', origin]);
  const tokens = await tokensOf(await agent.exchange(callback.searchParams.get('code') ?? ''));
  expect(tokens).toMatchObject({
    token_type: 'Bearer',
    expires_in: 3600,
    scope: 'mcp',
    access_token: expect.stringMatching(/^wko_\w{49}$/),
  });
  const { org_id, account_id } = person;
  const verdict = { valid: true, org_id, account_id, role: 'developer', resource: mcp, agent_name: 'Test agent', agent_id: agent.clientId };
  expect(await introspect(tokens.access_token)).toMatchObject(verdict);
  const refreshed = await tokensOf(await agent.refresh(tokens.refresh_token));
  expect(refreshed.access_token).not.toBe(tokens.access_token);
  expect(await introspect(refreshed.access_token)).toMatchObject(verdict);
});

test('every step may be served by another replica, and restarts in between lose nothing', async () => {
  const person = await newPerson();
  const agent = oauth.agent(0);
  await agent.register();
  agent.port = oauth.port(1);
  const page = await agent.openPage();
  agent.port = oauth.port(0);
  const consent = await agent.signIn(page, person.email, person.password);
  agent.port = await oauth.restart(1);
  const submitted = await agent.submit(consent, { step: 'decide', decision: 'allow', membership: person.member_id });
  agent.port = await oauth.restart(0);
  const callback = await agent.follow(submitted);
  agent.port = oauth.port(1);
  const tokens = await tokensOf(await agent.exchange(callback.searchParams.get('code') ?? ''));
  agent.port = await oauth.restart(0);
  const refreshed = await tokensOf(await agent.refresh(tokens.refresh_token));
  expect(await introspect(refreshed.access_token)).toMatchObject({ valid: true, org_id: person.org_id });
});

test('tokens are for the MCP server unless the request names the API', async () => {
  const person = await newPerson();
  const agent = oauth.agent();
  const byDefault = await tokensOf(await agent.exchange(await agent.code(person.email, person.password, { resource: null })));
  expect((await introspect(byDefault.access_token)).resource).toBe(mcp);
  const forApi = await tokensOf(
    await agent.exchange(await agent.code(person.email, person.password, { resource: rest, prompt: 'consent' })),
  );
  expect((await introspect(forApi.access_token)).resource).toBe(rest);
});
