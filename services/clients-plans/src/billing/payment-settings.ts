import { AppError, changedFields, inputFields, type PaymentSettings, updatePaymentSettings } from '@webkiln/contract';
import { auditEvent, Change, type RaisedEvent } from '@webkiln/messages';
import { handle, maskedFields } from '@webkiln/rpc';
import { saveChange, saveWithRetry } from '@webkiln/store';
import { BillingAccountModel, defaultSettings, storedAccount } from './billing-store.ts';
import { openAccount } from './change-billing.ts';
import { isCurrency } from './money.ts';
import { isTimeZone } from './period.ts';

const fields = inputFields(updatePaymentSettings);

const shown = (settings: PaymentSettings) => Object.fromEntries(fields.map((name) => [name, settings[name]])) as unknown as PaymentSettings;

const getPaymentSettings = handle('billing.GetPaymentSettings', async (_request, caller) => {
  const { org_id } = caller.principal;
  return { payment_settings: shown((await storedAccount({ org_id })) ?? defaultSettings) };
});

function assertValid({ currency, time_zone, retry_days }: Partial<PaymentSettings>): void {
  const problem = (path: string, message: string) => new AppError('validation_failed', [{ path, message }]);
  if (currency !== undefined && !isCurrency(currency)) throw problem('currency', 'must be a currency of ISO 4217, such as EUR');
  if (time_zone !== undefined && !isTimeZone(time_zone)) throw problem('time_zone', 'must be a time zone such as Europe/Berlin');
  if (retry_days?.some((day, at) => day <= (retry_days[at - 1] ?? -1))) throw problem('retry_days', 'must be in ascending order');
}

const currencyEvent = (currency: string, revision: number): RaisedEvent => ({
  type: 'internal.billing.currency',
  data: { currency, revision },
});

const changePaymentSettings = handle('billing.UpdatePaymentSettings', async (request, caller) => {
  const wanted = maskedFields(request) as Partial<PaymentSettings>;
  assertValid(wanted);
  const { org_id } = caller.principal;
  await openAccount(org_id);
  return saveWithRetry(caller, async () => {
    const current = await storedAccount({ org_id });
    if (current === null) throw new AppError('organization_suspended');
    const changed = changedFields(current, wanted, fields);
    if (changed === null) return { payment_settings: shown(current) };
    if (changed.currency !== undefined && current.invoices > 0) throw new AppError('currency_fixed');
    const act = auditEvent(caller, 'payment_settings.changed', { kind: 'organization', id: org_id, name: null });
    const events = changed.currency === undefined ? [act] : [act, currencyEvent(changed.currency, current.revision + 1)];
    const saved = await saveChange(BillingAccountModel, caller, current, new Change(changed, events));
    return { payment_settings: shown(saved) };
  });
});

export const paymentSettingsUseCases = [getPaymentSettings, changePaymentSettings];
