import { useMutation, useQueryClient } from '@tanstack/react-query';

/** Something that a button does at once; what it changes is read again. */
export function useAct<Input = void, Output = unknown>(area: string, act: (input: Input) => Promise<Output>) {
  const queries = useQueryClient();
  return useMutation({ mutationFn: act, onSettled: () => queries.invalidateQueries({ queryKey: [area] }) });
}
