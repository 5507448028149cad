import { Download } from 'lucide-react';
import { Button } from 'react-aria-components';
import { ProblemNotice } from '../components/notice.tsx';
import { useAct } from '../components/use-act.ts';
import { texts } from '../texts.ts';

interface Props {
  readonly filename: string;
  /** Asks for the table; its text. */
  readonly load: () => Promise<string>;
}

/** Saves a table that the API answers as text/csv. */
export function CsvButton({ filename, load }: Props) {
  const save = useAct('csv', async () => {
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
        {texts.analytics.csv}
      </Button>
    </>
  );
}
