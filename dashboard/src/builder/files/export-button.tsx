import { useMutation } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { Button } from 'react-aria-components';
import { Problem } from '../../api/problem.ts';
import { saveZip } from '../../history/history-queries.ts';
import { texts } from '../texts.ts';

export function ExportButton({ projectId }: { projectId: string }) {
  const { mutate, isPending, error } = useMutation({ mutationFn: () => saveZip(projectId) });
  return (
    <>
      {error === null ? null : (
        <span className="small" role="alert">
          {Problem.of(error).message}
        </span>
      )}
      <Button className="button compact" isPending={isPending} onPress={() => mutate()}>
        <Download size={14} aria-hidden />
        {texts.files.export}
      </Button>
    </>
  );
}
