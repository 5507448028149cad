import { randomUUID } from 'node:crypto';
import { useForms } from '../../testing/running-forms.ts';
import { storedSubmissions } from '../../testing/sent-forms.ts';
import { newSite, type TestSite } from '../../testing/test-sites.ts';
import { acceptSubmission, createPseudonymizer, paced, type SentForm } from './accept-submission.ts';

useForms();

test('of a flood of forms to one organization few are stored a second and few wait; those to others are stored at once', async () => {
  const [flooded, other] = [newSite(), newSite()];
  const options = { pseudonymize: createPseudonymizer('secret'), maxPerSiteHour: 1000 };
  const accept = paced((sent: SentForm) => acceptSubmission(options, sent), 500);
  const send = ({ org_id, project_id }: TestSite) => {
    const fields = [{ name: 'message', values: [randomUUID()] }];
    const controls = { next: undefined, trapped: false };
    return accept({ org_id, project_id, isOfJoined: false, form: 'contact', page: '/', fields, controls, address: randomUUID() });
  };
  const flood = Promise.allSettled(Array.from({ length: 200 }, () => send(flooded)));
  await send(other);
  expect(await storedSubmissions(other)).toHaveLength(1);
  const refused = (await flood).filter(({ status }) => status === 'rejected');
  // 20 are stored at once, and 10 a second for half a second.
  expect(refused.length).toBeGreaterThan(150);
  for (const outcome of refused) expect(outcome).toMatchObject({ reason: { reason: 'overloaded' } });
  expect(await storedSubmissions(flooded)).toHaveLength(200 - refused.length);
});
