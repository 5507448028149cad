/**
 * The fields that `update_mask` names, as a change: proto3 has no null, so a named field that is absent is null. Lists are as they are.
 * The contract's validation at the gateway is what makes them fit `Fields`: which of them may be null cannot be seen here.
 */
export function maskedFields<Fields extends object>(request: { readonly update_mask: readonly string[] }): Partial<Fields> {
  const named = request.update_mask.filter((name) => name !== 'update_mask');
  return Object.fromEntries(
    named.map((name) => [name, Object.hasOwn(request, name) ? request[name as keyof object] : null]),
  ) as Partial<Fields>;
}
