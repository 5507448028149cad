import { signUpCredits } from './config.ts';
import { modelsConfig } from './providers/provider-config.ts';
import { scriptedProviders } from './testing/turn-of.ts';

const MODEL_PROVIDERS = modelsConfig.MODEL_PROVIDERS.parse(scriptedProviders('http://127.0.0.1:1/v1'));

test('where a model is configured, nobody begins with credits that the operator has not given on purpose', () => {
  expect(signUpCredits({ SIGN_UP_CREDITS: undefined, MODEL_PROVIDERS })).toBe(0);
  expect(signUpCredits({ SIGN_UP_CREDITS: 7, MODEL_PROVIDERS })).toBe(7);
  expect(signUpCredits({ SIGN_UP_CREDITS: undefined, MODEL_PROVIDERS: [] })).toBe(100);
});
