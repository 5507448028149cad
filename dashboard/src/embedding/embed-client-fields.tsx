import type { Schemas } from '../api/client.ts';
import { Field } from '../components/field.tsx';
import type { FilledForm } from '../components/filled-form.ts';
import { texts } from '../texts.ts';

const own = texts.embedding;

export function EmbedClientFields({ client }: { client?: Schemas['EmbedClient'] }) {
  return (
    <>
      <Field
        label={own.name}
        name="name"
        hint={own.nameHint}
        defaultValue={client?.name ?? ''}
        maxLength={200}
        isRequired
        autoFocus={client === undefined}
      />
      <Field
        label={own.origins}
        name="allowed_origins"
        hint={own.originsHint}
        placeholder="https://app.example.com"
        defaultValue={client?.allowed_origins.join('\n') ?? ''}
        lines="many"
        isRequired
      />
    </>
  );
}

export const filledIn = (filled: FilledForm) => ({
  name: filled.text('name'),
  allowed_origins: filled.text('allowed_origins').split(/[\s,]+/),
});
