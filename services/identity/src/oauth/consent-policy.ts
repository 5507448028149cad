import { interactionPolicy } from 'oidc-provider';

/** Whether to ask is decided on our page, which remembers consents; the library's session is as long as a request. */
export function consentPolicy() {
  const consent = new interactionPolicy.Prompt(
    { name: 'consent', requestable: true },
    new interactionPolicy.Check(
      'undecided',
      'the person has not decided yet',
      'interaction_required',
      ({ oidc }) => oidc.result?.consent === undefined,
    ),
  );
  const prompts = interactionPolicy.base();
  prompts.clear();
  prompts.add(consent);
  return prompts;
}
