import { useMutation } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { Button } from 'react-aria-components';
import { Problem } from '../../api/problem.ts';
import { send } from '../requests.ts';
import { texts } from '../texts.ts';

/** Saves the files as a zip. It is fetched first: a link could not carry the embed token. */
async function download(projectId: string): Promise<void> {
  const url = URL.createObjectURL(await (await send(`/projects/${projectId}/export`)).blob());
  const link = document.createElement('a');
  link.href = url;
  link.download = 'site.zip';
  link.click();
  URL.revokeObjectURL(url);
}

export function ExportButton({ projectId }: { projectId: string }) {
  const { mutate, isPending, error } = useMutation({ mutationFn: () => download(projectId) });
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
