import { invitationMail } from './invitation-mail.ts';

const from = { name: 'Kiln & Co', address: 'hello@kiln.example' };
const invited = { client_id: 'c1', email: 'ada@example.com', name: 'Ada', invitation: 2 };
const link = 'https://kiln.example/activate?token=abc&x=1';
const date = new Date('2026-01-01T00:00:00Z');

test('the mail carries the activation link in its text and in its HTML', () => {
  const mail = invitationMail(invited, link, from, date);
  expect(mail.text).toContain(`\n${link}\n`);
  expect(mail.html).toContain('href="https://kiln.example/activate?token=abc&amp;x=1"');
});

test('what an agency typed cannot become markup', () => {
  const { html } = invitationMail({ ...invited, name: `<img src=x onerror="alert('1')">` }, link, from, date);
  expect(html).toContain('Hello &lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;,');
  expect(html).not.toContain('<img');
  expect(html).toContain('Kiln &amp; Co');
});

test('a repeat of the mail has the same Message-ID, the next invitation another', () => {
  const idOf = (invitation: number) => invitationMail({ ...invited, invitation }, link, from, date).messageId;
  expect(idOf(2)).toBe('<invitation.c1.2@kiln.example>');
  expect(idOf(3)).not.toBe(idOf(2));
});

test('a client without a name is greeted without one', () => {
  expect(invitationMail({ ...invited, name: null }, link, from, date).text).toMatch(/^Hello,\n/);
});
