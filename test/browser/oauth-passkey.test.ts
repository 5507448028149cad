import { BrowserUser, openBrowser } from '../harness/browser.ts';
import type { Person } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { addDevice } from '../harness/virtual-authenticator.ts';
import { agentLink, personWithSecondFactor } from './agent-link.ts';

jest.setTimeout(900_000);

const origin = sharedPlatform().origins[0] ?? '';
const button = { name: 'Sign in with a passkey' } as const;

let browser: Awaited<ReturnType<typeof openBrowser>>;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

/** Script for a page: makes a passkey for the signed-in account. */
const makePasskey = `(async () => {
  const post = async (path, body) => {
    const headers = { 'content-type': 'application/json' };
    return (await fetch('/api/auth/passkey/' + path, { method: 'POST', headers, body: JSON.stringify(body) })).json();
  };
  const { options } = await post('register-options', {});
  const credential = await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) });
  const { id, rawId, type, response } = credential.toJSON();
  const { clientDataJSON, attestationObject } = response;
  return (await post('register', { name: 'Laptop', response: { id, rawId, type, response: { clientDataJSON, attestationObject } } })).passkey.id;
})()`;

/** Makes a passkey of the person in a window, which is signed out then. Returns the id of the passkey. */
async function withPasskey(user: BrowserUser, { cookies }: Person, url: string): Promise<string> {
  const { hostname: domain } = new URL(origin);
  await addDevice(user);
  await user.page.goto(url);
  await user.context.addCookies([...cookies].map(([name, value]) => ({ name, value, domain, path: '/', secure: true, httpOnly: true })));
  const id = await user.page.evaluate<string>(makePasskey);
  await user.context.clearCookies();
  return id;
}

test('a person signs in with a passkey on the page of an agent, without a second factor', async () => {
  const { ada } = await personWithSecondFactor();
  const { url } = await agentLink('Desk agent');
  await using user = await BrowserUser.open(browser);
  await withPasskey(user, ada, url);
  await user.page.goto(url);
  await user.page.getByRole('button', button).click();
  await user.page.getByText(`Signed in as ${ada.email}`).waitFor();
  await user.page.getByRole('button', { name: 'Allow' }).waitFor();
  expect(user.problems).toEqual([]);
});

test('a passkey that opens no account is told beside the form, which still takes the password', async () => {
  const { ada } = await personWithSecondFactor();
  const { url } = await agentLink('Desk agent');
  await using user = await BrowserUser.open(browser);
  const id = await withPasskey(user, ada, url);
  (await ada.auth('/passkey/remove', { id })).expect(200);
  await user.page.goto(url);
  await user.page.getByRole('button', button).click();
  await user.page.getByRole('alert').getByText('This passkey opens no account here.').waitFor();
  await user.page.getByLabel('Email').fill(ada.email);
  await user.page.getByLabel('Password').fill(ada.password);
  await user.page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await user.page.getByRole('heading', { name: 'Enter your code' }).waitFor();
});

test('without script there is no button that would do nothing', async () => {
  const { url } = await agentLink('Desk agent');
  await using user = await BrowserUser.open(browser, { javaScriptEnabled: false });
  await user.page.goto(url);
  await user.page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
  expect(await user.page.getByRole('button', button).count()).toBe(0);
  expect(user.problems).toEqual([]);
});
