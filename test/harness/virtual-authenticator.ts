import type { BrowserContext, CDPSession, Page } from 'playwright-core';

interface Window {
  readonly context: BrowserContext;
  readonly page: Page;
}

/** Adds a virtual authenticator to the browser window that approves every request. */
export async function addDevice({ context, page }: Window): Promise<{ cdp: CDPSession; authenticatorId: string }> {
  const cdp = await context.newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { cdp, authenticatorId };
}
