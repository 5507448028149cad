export { Keyring } from './keyring.ts';
export { open, organizationKey, seal } from './seal.ts';
export { type OutcomeSealer, sealedOutcomes } from './sealed-outcomes.ts';
