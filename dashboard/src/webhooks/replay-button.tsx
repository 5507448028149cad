import { useState } from 'react';
import { answer, api } from '../api/client.ts';
import { Choice } from '../components/choice.tsx';
import { CreateDialog } from '../components/create-dialog.tsx';
import { texts } from '../texts.ts';

const own = texts.webhooks;
const hourMs = 3_600_000;
const spans = { hour: hourMs, day: 24 * hourMs, week: 7 * 24 * hourMs, month: 30 * 24 * hourMs } as const;
const options = Object.entries(own.replaySpans).map(([id, label]) => ({ id, label }));

/** Sends again what failed or was skipped in a span of time up to now. */
export function ReplayButton({ webhookId }: { webhookId: string }) {
  const [queued, setQueued] = useState<number>();

  async function replay(span: keyof typeof spans) {
    const before = new Date();
    let after: string | null = new Date(before.getTime() - spans[span]).toISOString();
    let sum = 0;
    // Long spans are queued a part at a time.
    while (after !== null) {
      const body: { after: string; before: string } = { after, before: before.toISOString() };
      const part: { queued: number; next_after: string | null } = await answer(
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
          {own.queued(queued)}
        </span>
      )}
      <CreateDialog
        label={own.replay}
        look="compact"
        text={own.replayText}
        area="webhooks"
        create={(filled) => replay(filled.text('span') as keyof typeof spans)}
      >
        <Choice label={own.replayFrom} name="span" options={options} initial="day" />
      </CreateDialog>
    </div>
  );
}
