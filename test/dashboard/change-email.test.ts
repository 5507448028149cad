import type { Browser } from 'playwright-core';
import { eventually } from '../harness/agency.ts';
import { openBrowser } from '../harness/browser.ts';
import { mailedLink, mailsTo } from '../harness/mails.ts';
import { owner, Person, verifyLink } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { Tab } from './testing/tab.ts';

const platform = sharedPlatform();
const origin = platform.origins[0] ?? '';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

test('changing the email takes the password and a link to each address; the page says what comes next', async () => {
  const ada = await owner();
  const newEmail = `new+${ada.email}`;
  const signUpLink = await mailedLink(platform, ada.email, verifyLink);
  await using tab = await Tab.open(browser, origin);
  const { page } = tab;
  await tab.signInAs(ada, origin);
  await tab.goTo('/account');
  const card = page.getByRole('region', { name: 'Email' });
  await card.getByLabel('New email').fill(newEmail);
  await card.getByLabel('Your password').fill('wrong password');
  await card.getByRole('button', { name: 'Change email' }).click();
  await card.getByText('Invalid password').waitFor();
  await card.getByLabel('Your password').fill(ada.password);
  await card.getByRole('button', { name: 'Change email' }).click();
  await card.getByText(`We sent a link to ${ada.email}.`).waitFor();

  const first = await mailedLink(platform, ada.email, verifyLink, signUpLink);
  await page.goto(first);
  await card.getByText(`Almost done: follow the link that we sent to ${newEmail}.`).waitFor();
  await page.goto(await mailedLink(platform, newEmail, verifyLink));
  await card.getByText(`You sign in as ${newEmail} from now on.`).waitFor();
  await page.goto(first);
  await card.getByText('This link is used or has run out.').waitFor();
  expect(tab.browserErrors).toEqual([]);
});

test('a link to an address that another account took meanwhile says so', async () => {
  const [ada, bob] = await Promise.all([owner(), owner()]);
  const newEmail = `new+${ada.email}`;
  const callbackURL = `/account?${new URLSearchParams({ new_email: newEmail })}`;
  for (const person of [ada, bob]) {
    const signUpLink = await mailedLink(platform, person.email, verifyLink);
    (await person.auth('/change-email', { newEmail, password: person.password, callbackURL })).expect(200);
    (await person.auth(await mailedLink(platform, person.email, verifyLink, signUpLink))).expect(302);
  }
  const [adas = '', bobs = ''] = await eventually(async () => {
    const links = mailsTo(platform, newEmail).flatMap((mail) => verifyLink.exec(mail)?.[0] ?? []);
    if (links.length < 2) throw new Error('not both mails are there');
    return links;
  });
  (await new Person().auth(adas)).expect(302);
  await using tab = await Tab.open(browser, origin);
  // Either account may win the race; the other one sees the message.
  const loser = (await ada.api.get('/account/session')).body.account.email === newEmail ? bob : ada;
  await tab.signInAs(loser, origin);
  await tab.page.goto(bobs);
  await tab.page.getByText(`${newEmail} belongs to another account by now.`).waitFor();
  await tab.page.getByText(loser.email).first().waitFor();
});
