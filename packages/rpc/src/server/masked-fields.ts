/**
 * The fields that `update_mask` names. A named field that is absent becomes null, because proto3 has no null.
 * The type is not checked here: the contract's validation at the gateway decides which fields may be null.
 */
export function maskedFields<Fields extends object>(request: { readonly update_mask: readonly string[] }): Partial<Fields> {
  const named = request.update_mask.filter((name) => name !== 'update_mask');
  return Object.fromEntries(
    named.map((name) => [name, Object.hasOwn(request, name) ? request[name as keyof object] : null]),
  ) as Partial<Fields>;
}
