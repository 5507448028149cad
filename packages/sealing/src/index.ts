export { Keyring } from './keyring.ts';
export { openUnder, organizationKey, organizationKeys, seal } from './seal.ts';
export { type OutcomeSealer, sealedOutcomes } from './sealed-outcomes.ts';
export { type Signer, signer, splitSigned } from './signer.ts';
