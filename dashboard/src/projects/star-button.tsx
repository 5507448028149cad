import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Star } from 'lucide-react';
import { ToggleButton } from 'react-aria-components';
import { api, readJson } from '../api/client.ts';
import type { Project } from '../api/records.ts';
import { texts } from '../texts.ts';

/** Stars a project. The change shows at once and is reverted if the request fails. */
export function StarButton({ project }: { project: Project }) {
  const queryClient = useQueryClient();
  const { mutate, variables, isPending } = useMutation({
    mutationFn: (starred: boolean) =>
      readJson(api.PATCH('/projects/{projectId}', { params: { path: { projectId: project.id } }, body: { starred } })),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['projects'] }),
  });
  const starred = isPending ? variables : project.starred;
  return (
    <ToggleButton
      className="button quiet icon star above"
      isSelected={starred}
      onChange={mutate}
      aria-label={texts.projects.starProject({ name: project.name })}
    >
      <Star size={16} fill={starred ? 'currentColor' : 'none'} aria-hidden />
    </ToggleButton>
  );
}
