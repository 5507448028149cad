import { invitationMail } from './invitation-mail.ts';

const brand = { name: 'Harbour & Co', sender_name: 'Ines of Harbour' };
const parts = { org_id: 'org', brand, from: { name: 'Webkiln', address: 'hello@kiln.example' }, origin: 'https://kiln.example' };
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
