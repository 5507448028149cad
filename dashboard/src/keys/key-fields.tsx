import { CheckboxGroup, FieldError, Label } from 'react-aria-components';
import type { Key } from '../api/records.ts';
import { Checkbox } from '../components/forms/checkbox.tsx';
import { Field } from '../components/forms/field.tsx';
import type { FormValues } from '../components/forms/form-values.ts';
import { texts } from '../texts.ts';

const t = texts.keys;

/** The fields of a key that can be changed; of a new one without `current`. */
export function KeyFields({ current }: { current?: Key }) {
  return (
    <>
      <Field label={t.name} name="name" hint={t.nameHint} defaultValue={current?.name ?? ''} maxLength={200} isRequired autoFocus />
      <CheckboxGroup className="field" name="permissions" defaultValue={current?.permissions ?? ['read']} isRequired>
        <Label className="label">{t.permissions}</Label>
        <Checkbox value="read">
          {t.read} <span className="soft">– {t.readHint}</span>
        </Checkbox>
        <Checkbox value="write">
          {t.write} <span className="soft">– {t.writeHint}</span>
        </Checkbox>
        <FieldError className="field-error">{t.choosePermission}</FieldError>
      </CheckboxGroup>
      <Field
        label={t.networks}
        name="allowed_networks"
        hint={t.networksHint}
        placeholder={t.networksExample}
        defaultValue={current?.allowed_networks.join('\n') ?? ''}
        lines="many"
      />
      <Field
        label={t.rateLimit}
        name="rate_limit"
        hint={t.rateLimitHint}
        defaultValue={current?.rate_limit?.toString() ?? ''}
        inputMode="numeric"
        pattern="[0-9]*"
      />
    </>
  );
}

export const keyBody = (values: FormValues) => ({
  name: values.text('name'),
  permissions: values.all('permissions') as Key['permissions'],
  allowed_networks: values
    .text('allowed_networks')
    .split(/[\s,]+/)
    .filter(Boolean),
  rate_limit: values.text('rate_limit') === '' ? null : values.number('rate_limit'),
});
