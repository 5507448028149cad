import { getCredits } from './get-credits.ts';
import { grantCredits } from './grant-credits.ts';

/** `signUpCredits`: what an organization begins with. */
export const creditUseCases = (signUpCredits: number) => [getCredits(signUpCredits), grantCredits(signUpCredits)];
