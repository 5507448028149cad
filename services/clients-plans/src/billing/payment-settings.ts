import {
  AppError,
  type ChangeablePaymentSettings,
  changedFields,
  inputFields,
  type PaymentSettings,
  updatePaymentSettings,
} from '@webkiln/contract';
import { auditEvent, Change, type RaisedEvent } from '@webkiln/messages';
import { handle, maskedFields } from '@webkiln/rpc';
import { saveChange, saveWithRetry } from '@webkiln/store';
import { BillingAccountModel, defaultSettings, storedAccount } from './billing-store.ts';
import { openAccount } from './change-billing.ts';
import type { Payments } from './payments/apply-payment.ts';
import { cardState, connectStripe, disconnectStripe } from './payments/stripe-account.ts';
import { isCurrency } from './rules/money.ts';
import { isTimeZone } from './rules/period.ts';

const fields = inputFields(updatePaymentSettings);

function assertValid({ currency, time_zone, retry_days }: Partial<ChangeablePaymentSettings>): void {
  const problem = (path: string, message: string) => new AppError('validation_failed', [{ path, message }]);
  if (currency !== undefined && !isCurrency(currency)) throw problem('currency', 'must be a currency of ISO 4217, such as EUR');
  if (time_zone !== undefined && !isTimeZone(time_zone)) throw problem('time_zone', 'must be a time zone such as Europe/Berlin');
  if (retry_days?.some((day, at) => day <= (retry_days[at - 1] ?? -1))) throw problem('retry_days', 'must be in ascending order');
}

const currencyEvent = (currency: string, revision: number): RaisedEvent => ({
  type: 'internal.billing.currency',
  data: { currency, revision },
});

/** How an organization charges its clients, and whether they may pay by card. */
export function paymentSettingsUseCases(payments: Payments) {
  async function shown(org_id: string): Promise<{ payment_settings: PaymentSettings }> {
    const settings = (await storedAccount({ org_id })) ?? defaultSettings;
    const changeable = Object.fromEntries(fields.map((name) => [name, settings[name]])) as unknown as ChangeablePaymentSettings;
    return { payment_settings: { ...changeable, card_payments: await cardState(payments, org_id, settings.currency) } };
  }

  /** Cards that are taken stay possible. */
  function assertTaken(currency: string): void {
    const message = payments.provider?.refusalOf(currency);
    if (message !== undefined)
      throw new AppError('validation_failed', [{ path: 'currency', message: `is not possible with cards: ${message}` }]);
  }

  return [
    handle('billing.GetPaymentSettings', (_request, caller) => shown(caller.principal.org_id)),

    handle('billing.UpdatePaymentSettings', async (request, caller) => {
      const wanted = maskedFields(request) as Partial<ChangeablePaymentSettings>;
      assertValid(wanted);
      const { org_id } = caller.principal;
      await openAccount(org_id);
      await saveWithRetry(caller, async () => {
        const current = await storedAccount({ org_id });
        if (current === null) throw new AppError('organization_suspended');
        const changed = changedFields(current, wanted, fields);
        if (changed === null) return;
        if (changed.currency !== undefined && current.invoices > 0) throw new AppError('currency_fixed');
        if (changed.currency !== undefined && current.stripe_account !== null) assertTaken(changed.currency);
        const act = auditEvent(caller, 'payment_settings.changed', { kind: 'organization', id: org_id, name: null });
        const events = changed.currency === undefined ? [act] : [act, currencyEvent(changed.currency, current.revision + 1)];
        await saveChange(BillingAccountModel, caller, current, new Change(changed, events));
      });
      return shown(org_id);
    }),

    handle('billing.ConnectStripe', async (_request, caller) => ({ url: await connectStripe(payments, caller) })),

    handle('billing.DisconnectStripe', async (_request, caller) => {
      await disconnectStripe(caller);
      return shown(caller.principal.org_id);
    }),
  ];
}
