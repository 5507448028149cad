import { useMutation, useQueryClient } from '@tanstack/react-query';

/** A mutation that invalidates the queries of `area` afterwards. */
export function useAction<Input = void, Output = unknown>(area: string, act: (input: Input) => Promise<Output>) {
  const queryClient = useQueryClient();
  return useMutation({ mutationFn: act, onSettled: () => queryClient.invalidateQueries({ queryKey: [area] }) });
}
