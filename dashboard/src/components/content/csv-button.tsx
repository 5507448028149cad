import { Download } from 'lucide-react';
import { Button } from 'react-aria-components';
import { useAction } from '../../api/use-action.ts';
import { texts } from '../../texts.ts';
import { ProblemNotice } from '../feedback/problem-notice.tsx';

interface Props {
  readonly filename: string;
  /** Fetches the CSV text. */
  readonly load: () => Promise<string>;
}

/** Downloads a CSV export. */
export function CsvButton({ filename, load }: Props) {
  const save = useAction('csv', async () => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([await load()], { type: 'text/csv' }));
    link.download = filename;
    link.click();
    URL.revokeObjectURL(link.href);
  });
  return (
    <>
      <ProblemNotice error={save.error} />
      <Button className="button" onPress={() => save.mutate()} isPending={save.isPending}>
        <Download size={15} aria-hidden />
        {texts.actions.csv}
      </Button>
    </>
  );
}
