import { servicePrincipal } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { testCaller } from '@webkiln/store/testing';
import { invitationMail } from '../reactions/on-client-invited.ts';
import { loseOutcome } from '../testing/died-attempt.ts';
import { present, refusal } from '../testing/expectations.ts';
import { useIdentity } from '../testing/identity-process.ts';
import { newClient } from '../testing/records.ts';
import { activationPage, newOrganization, projectsTemplates, repeatable, tokens, useClientsPlans } from '../testing/running-service.ts';
import { published } from '../testing/test-stream.ts';
import { invitationTokens } from './invitation-use-cases.ts';

const identity = useIdentity();
const stream = useClientsPlans(identity.address);

describe('accept invitation', () => {
  const password = 'correct horse battery';

  /** Creates an invited client and returns it with the token of its mail. */
  async function invite(email = `${newOrganization()}@example.com`) {
    const org = newOrganization();
    const client_id = await newClient(org, { email });
    return { org, email, client_id, token: tokens.issue({ org_id: org, client_id, invitation: 1 }, new Date()) };
  }

  const look = (token: string) => call('clients.GetInvitation', { token }, activationPage());
  const accept = (token: string, secret = password) => call('clients.AcceptInvitation', { token, password: secret }, activationPage());
  const statusOf = async (org: string, client_id: string) =>
    present((await call('clients.GetClient', { client_id }, testCaller(org))).client).status;
  const setStatus = (org: string, client_id: string, status: string) =>
    call('clients.UpdateClient', { client_id, status, update_mask: ['status'] }, testCaller(org));
  const updatesOf = async (org: string) => (await published(stream, 'client.updated')).filter(({ org_id }) => org_id === org);

  test('an invited client that sets a password becomes active, and its account belongs to the user fixed at creation', async () => {
    const { org, email, client_id, token } = await invite();
    expect(await look(token)).toEqual({ email, has_account: false, accepted: false, org_id: org });
    expect(await accept(token)).toEqual({ email, org_id: org });
    expect(await look(token)).toEqual({ email, has_account: true, accepted: true, org_id: org });
    expect(await statusOf(org, client_id)).toBe('active');
    const { user_id } = await call('clients.GetSiteAllowance', { client_email: email }, projectsTemplates(org));
    expect(await identity.accountOf(user_id)).not.toBeNull();
  });

  test('activation is published once, however often the link is followed', async () => {
    const { org, token } = await invite();
    await accept(token);
    await Promise.all([accept(token), accept(token)]);
    expect((await updatesOf(org)).map(({ data }) => data.previous)).toEqual([{ status: 'invited' }]);
  });

  test('a retry completes an attempt that ended after creating the account', async () => {
    const { org, email, client_id, token } = await invite();
    const { user_id } = await call('clients.GetSiteAllowance', { client_email: email }, projectsTemplates(org));
    await call(
      'identity.ActivateUser',
      { user_id, email, password },
      testCaller(org, { principal: servicePrincipal('clients-plans', org) }),
    );
    expect(await look(token)).toEqual({ email, has_account: true, accepted: false, org_id: org });
    await accept(token);
    expect(await statusOf(org, client_id)).toBe('active');
  });

  test('an invitation to an address with an account is accepted only with its password, in every organization', async () => {
    const first = await invite();
    await accept(first.token);
    const second = await invite(first.email.toUpperCase());
    expect(await look(second.token)).toMatchObject({ has_account: true, accepted: false });
    await expect(accept(second.token, 'another password')).rejects.toEqual(refusal('validation_failed'));
    expect(await statusOf(second.org, second.client_id)).toBe('invited');
    await accept(second.token);
    expect(await statusOf(second.org, second.client_id)).toBe('active');
  });

  test('a password that is too short is refused and the client stays invited', async () => {
    const { org, client_id, token } = await invite();
    await expect(accept(token, 'short')).rejects.toEqual(refusal('validation_failed'));
    expect(await statusOf(org, client_id)).toBe('invited');
  });

  test('sending the invitation again invalidates the old link, and the new one works', async () => {
    const { org, client_id, token } = await invite();
    await call('clients.ResendInvitation', { client_id }, testCaller(org));
    await expect(look(token)).rejects.toEqual(refusal('invitation_not_found'));
    await expect(accept(token)).rejects.toEqual(refusal('invitation_not_found'));
    await accept(tokens.issue({ org_id: org, client_id, invitation: 2 }, new Date()));
    expect(await statusOf(org, client_id)).toBe('active');
  });

  test.each(['suspended', 'churned'])('the link of a client that is %s does not work', async (status) => {
    const { org, client_id, token } = await invite();
    await setStatus(org, client_id, status);
    await expect(look(token)).rejects.toEqual(refusal('invitation_not_found'));
    await expect(accept(token)).rejects.toEqual(refusal('invitation_not_found'));
    expect(await statusOf(org, client_id)).toBe(status);
  });

  test('a client made active by the agency still sets its password, by its first link or another one', async () => {
    for (const again of [false, true]) {
      const { org, email, client_id, token } = await invite();
      await setStatus(org, client_id, 'active');
      if (again) await call('clients.ResendInvitation', { client_id }, testCaller(org));
      const link = again ? tokens.issue({ org_id: org, client_id, invitation: 2 }, new Date()) : token;
      expect(await look(link)).toMatchObject({ has_account: false, accepted: false });
      expect(await accept(link)).toEqual({ email, org_id: org });
      expect(await look(link)).toMatchObject({ has_account: true, accepted: true });
    }
  });

  test('an activated client is not invited again', async () => {
    const { org, client_id, token } = await invite();
    await accept(token);
    await expect(call('clients.ResendInvitation', { client_id }, testCaller(org))).rejects.toEqual(refusal('invitation_not_pending'));
  });

  test('expired, forged and other organizations’ tokens all give invitation_not_found and activate nobody', async () => {
    const { org, client_id, token } = await invite();
    const eightDaysAgo = new Date(Date.now() - 8 * 24 * 3600_000);
    const refused = [
      tokens.issue({ org_id: org, client_id, invitation: 1 }, eightDaysAgo),
      tokens.issue({ org_id: newOrganization(), client_id, invitation: 1 }, new Date()),
      tokens.issue({ org_id: org, client_id: newOrganization(), invitation: 1 }, new Date()),
      token.slice(0, -1),
      '',
      'nonsense',
    ];
    for (const one of refused) {
      await expect(look(one)).rejects.toEqual(refusal('invitation_not_found'));
      await expect(accept(one)).rejects.toEqual(refusal('invitation_not_found'));
    }
    expect(await statusOf(org, client_id)).toBe('invited');
  });
});

describe('resend invitation', () => {
  const resend = (org: string, client_id: string, key = newOrganization()) =>
    call('clients.ResendInvitation', { client_id }, testCaller(org, repeatable(key)));
  const invitationsOf = async (org: string) => {
    const events = await published(stream, 'internal.client.invited');
    return events.filter(({ org_id }) => org_id === org).map(({ data }) => data.invitation);
  };

  test('the response is the client with a new etag, and one more invitation is sent', async () => {
    const org = newOrganization();
    const client_id = await newClient(org, { email: 'ada@example.com' });
    expect(await resend(org, client_id)).toMatchObject({ client: { id: client_id, status: 'invited' }, etag: '"r2"' });
    expect(await invitationsOf(org)).toEqual([2]);
  });

  test('no public field changes, so client.updated is not raised', async () => {
    const org = newOrganization();
    await resend(org, await newClient(org, { email: 'ada@example.com' }));
    expect((await published(stream, 'client.updated')).filter(({ org_id }) => org_id === org)).toEqual([]);
  });

  test('concurrently requested invitations get consecutive numbers', async () => {
    const org = newOrganization();
    const client_id = await newClient(org, { email: 'ada@example.com' });
    await Promise.all([resend(org, client_id), resend(org, client_id), resend(org, client_id)]);
    expect(await invitationsOf(org)).toEqual([2, 3, 4]);
  });

  test('a retry after a crash sends nothing twice, and its link stays valid', async () => {
    const org = newOrganization();
    const key = newOrganization();
    const client_id = await newClient(org, { email: 'ada@example.com' });
    const first = await resend(org, client_id, key);
    await loseOutcome(key);
    expect(await resend(org, client_id, key)).toEqual(first);
    expect(await invitationsOf(org)).toEqual([2]);
  });

  test.each(['suspended', 'churned'])('a client that is %s is not invited again', async (status) => {
    const org = newOrganization();
    const client_id = await newClient(org, { email: 'ada@example.com' });
    await call('clients.UpdateClient', { client_id, status, update_mask: ['status'] }, testCaller(org));
    await expect(resend(org, client_id)).rejects.toEqual(refusal('invitation_not_pending'));
    expect(await invitationsOf(org)).toEqual([]);
  });

  test('another organization’s id, an unknown id and a malformed id all give client_not_found', async () => {
    const owner = newOrganization();
    const foreign = await newClient(owner, { email: 'ada@example.com' });
    for (const client_id of [foreign, newOrganization(), 'nonsense']) {
      await expect(resend(newOrganization(), client_id)).rejects.toEqual(refusal('client_not_found'));
    }
    expect(await invitationsOf(owner)).toEqual([]);
  });
});

describe('invitation token', () => {
  const secret = 'a secret of at least thirty-two characters';
  const tokens = invitationTokens([secret]);
  const invitation = { org_id: '7c1f', client_id: '90ab', invitation: 3 };
  const issuedAt = new Date('2026-01-01T00:00:00Z');
  const token = tokens.issue(invitation, issuedAt);
  const notFound = expect.objectContaining({ code: 'invitation_not_found' });
  const day = 24 * 60 * 60 * 1000;
  const after = (ms: number) => new Date(issuedAt.getTime() + ms);

  test('a token contains its organization, client and invitation number', () => {
    expect(tokens.read(token, issuedAt)).toEqual(invitation);
  });

  test('a token has the form that mailed links have, so that each stays valid', () => {
    expect(token).toBe('WyI3YzFmIiwiOTBhYiIsMywxNzY3ODMwNDAwMDAwXQ.gHnuMNwbj3E76TQVivrXxme0o4RrhsYjS6XPozd4c3Y');
  });

  test('a token expires after seven days, to the millisecond', () => {
    expect(tokens.read(token, after(7 * day - 1))).toEqual(invitation);
    expect(() => tokens.read(token, after(7 * day))).toThrow(notFound);
  });

  test('a token with any one character changed, dropped or added is refused', () => {
    for (let at = 0; at < token.length; at += 1) {
      const other = token[at] === 'A' ? 'B' : 'A';
      for (const replacement of [other, '', `${token[at]}A`]) {
        const tampered = token.slice(0, at) + replacement + token.slice(at + 1);
        if (tampered !== token) expect(() => tokens.read(tampered, issuedAt)).toThrow(notFound);
      }
    }
  });

  test('a token signed with another secret is refused', () => {
    const forged = invitationTokens(['another secret of at least 32 characters']).issue(invitation, issuedAt);
    expect(() => tokens.read(forged, issuedAt)).toThrow(notFound);
  });

  test('a token is read while its secret is in the list, wherever it is, and refused after', () => {
    const fresh = 'a fresh secret of at least thirty-two characters';
    for (const secrets of [
      [secret, fresh],
      [fresh, secret],
    ] as const)
      expect(invitationTokens(secrets).read(token, issuedAt)).toEqual(invitation);
    const renewed = invitationTokens([fresh, secret]).issue(invitation, issuedAt);
    expect(invitationTokens([fresh]).read(renewed, issuedAt)).toEqual(invitation);
    expect(() => invitationTokens([fresh]).read(token, issuedAt)).toThrow(notFound);
  });

  test.each(['', '.', '..', 'nonsense', `${token}.`, `${token} `, '\0', '{"$ne":1}', 'ä'.repeat(5000)])(
    'a malformed token is refused: %p',
    (text) => {
      expect(() => tokens.read(text, issuedAt)).toThrow(notFound);
    },
  );
});

describe('invitation mail', () => {
  const brand = { name: 'Harbour & Co', sender_name: 'Ines of Harbour' };
  const from = { name: 'Webkiln', address: 'hello@kiln.example' };
  const parts = { org_id: 'org', brand, language: 'en' as const, from, origin: 'https://kiln.example' };
  const invited = { client_id: 'c1', email: 'ada@example.com', name: 'Ada', invitation: 2 };
  const date = new Date('2026-01-01T00:00:00Z');

  test('the mail contains the activation link in its text and its HTML', () => {
    const mail = invitationMail(invited, 'a.b', parts, date);
    expect(mail.text).toContain('\nhttps://kiln.example/activate?token=a.b\n');
    expect(mail.html).toContain('href="https://kiln.example/activate?token=a.b"');
  });

  test('the mail has the agency’s name in subject and text, and its chosen sender name', () => {
    const mail = invitationMail(invited, 'a.b', parts, date);
    expect(mail).toMatchObject({
      subject: 'Harbour & Co has invited you',
      from: { name: 'Ines of Harbour', address: 'hello@kiln.example' },
      text: expect.stringContaining('Harbour & Co has invited you to an account'),
    });
    expect(mail.text).not.toContain('Webkiln');
  });

  test('a repeated mail has the same Message-ID; the next invitation has another', () => {
    const idOf = (invitation: number) => invitationMail({ ...invited, invitation }, 'a.b', parts, date).messageId;
    expect(idOf(2)).toBe('<invitation.c1.2@kiln.example>');
    expect(idOf(3)).not.toBe(idOf(2));
  });

  test('no name of an agency or a client becomes a link or a second line', () => {
    const hostile = { ...parts, brand: { name: 'evil.example\r\nBcc: x', sender_name: 'evil.example' } };
    const { subject, text, html, from } = invitationMail({ ...invited, name: 'https://evil.example' }, 'a.b', hostile, date);
    expect([subject, text, html, from.name].join(' ')).not.toMatch(/evil\.example|https:\/\/evil/);
    expect(subject).not.toMatch(/[\r\n]/);
  });

  test('a client without a name is greeted without one', () => {
    expect(invitationMail({ ...invited, name: null }, 'a.b', parts, date).text).toMatch(/^Hello,\n/);
  });
});
