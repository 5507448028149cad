/** Methods outside the public API whose reply shows a secret. API operations set `showsSecret` in the contract. */
export const internalMethodsWithSecret: readonly string[] = ['identity.CreateKey', 'identity.RotateKey', 'identity.GetMailConsent'];
