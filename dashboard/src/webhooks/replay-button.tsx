import { useState } from 'react';
import { api, readJson } from '../api/client.ts';
import { CreateDialog } from '../components/dialogs/create-dialog.tsx';
import { Select } from '../components/forms/select.tsx';
import { texts } from '../texts.ts';

const t = texts.webhooks;
const hourMs = 3_600_000;
const spans = { hour: hourMs, day: 24 * hourMs, week: 7 * 24 * hourMs, month: 30 * 24 * hourMs } as const;
const options = Object.entries(t.replaySpans).map(([id, label]) => ({ id, label }));

/** Resends the failed and skipped deliveries of a period that ends now. */
export function ReplayButton({ webhookId }: { webhookId: string }) {
  const [queued, setQueued] = useState<number>();

  async function replay(span: keyof typeof spans) {
    const before = new Date();
    let after: string | null = new Date(before.getTime() - spans[span]).toISOString();
    let sum = 0;
    // The API queues long periods in parts.
    while (after !== null) {
      const body: { after: string; before: string } = { after, before: before.toISOString() };
      const part: { queued: number; next_after: string | null } = await readJson(
        api.POST('/webhooks/{webhookId}/replay', { params: { path: { webhookId } }, body }),
      );
      sum += part.queued;
      after = part.next_after;
    }
    setQueued(sum);
  }

  return (
    <div className="toolbar">
      {queued === undefined ? null : (
        <span className="soft small" role="status">
          {t.queued({ count: queued })}
        </span>
      )}
      <CreateDialog
        label={t.replay}
        variant="compact"
        text={t.replayText}
        area="webhooks"
        create={(values) => replay(values.text('span') as keyof typeof spans)}
      >
        <Select label={t.replayFrom} name="span" options={options} initial="day" />
      </CreateDialog>
    </div>
  );
}
