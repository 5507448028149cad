/** Methods outside the public API whose reply shows a secret. API operations set `showsSecret` in the contract. */
export const operatorMethodsWithSecret: readonly string[] = ['identity.CreateKey', 'identity.RotateKey'];
