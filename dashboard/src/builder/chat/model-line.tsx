import { lazy, Suspense } from 'react';
import type { ChatModels } from '../queries.ts';
import { texts } from '../texts.ts';

const t = texts.chat;
const Select = lazy(async () => ({ default: (await import('../../components/forms/select.tsx')).Select }));

interface Props {
  readonly models: ChatModels;
  readonly model: string | undefined;
  readonly onModel: (id: string) => void;
  readonly balance: number | null;
}

/** Which model works on the next message, and what is left to pay it with. Nothing where the composer builds. */
export function ModelLine({ models, model, onModel, balance }: Props) {
  const allowed = models.models.filter(({ is_allowed }) => is_allowed);
  if (allowed.length === 0) return null;
  return (
    <div className="model-line small">
      {allowed.length === 1 ? null : (
        // As high as what comes: buttons must not move while they are pressed.
        <Suspense fallback={<span className="select-button" />}>
          <Select
            label={t.model}
            labelHidden
            options={allowed.map(({ id, name }) => ({ id, label: name }))}
            value={model ?? models.default_model ?? ''}
            onChange={onModel}
          />
        </Suspense>
      )}
      {balance === null ? null : (
        <span className="soft" role="status">
          {t.balance({ count: balance })}
        </span>
      )}
    </div>
  );
}
