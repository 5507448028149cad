import { consume, consumerOf } from '@webkiln/events';
import { setCurrency } from '../organizations/organization-store.ts';

/** Shows the currency in which an organization charges. Events may arrive in any order: the later revision wins. */
export const onCurrencyChanged = () =>
  consume({
    ...consumerOf('identity-currency'),
    concurrency: 1,
    atLeastOnceHandler: ({ org_id, data: { currency, revision } }) => setCurrency(org_id, currency, revision),
  });
