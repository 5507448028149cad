import { api, readJson } from '../api/client.ts';
import { useAction } from '../api/use-action.ts';
import { ProblemNotice } from '../components/feedback/problem-notice.tsx';
import { Select } from '../components/forms/select.tsx';
import { changeLanguage, language } from '../texts/language.ts';
import { texts } from '../texts.ts';

/** The languages that there are, each by its own name. */
export const languageOptions = Object.entries(texts.languages).map(([id, label]) => ({ id: id as keyof typeof texts.languages, label }));

/** Stores the language with the account and shows it at once. */
export function ChooseLanguage() {
  const choose = useAction('session', async (chosen: keyof typeof texts.languages) => {
    await readJson(api.PATCH('/account/profile', { body: { language: chosen } }));
    changeLanguage(chosen);
  });
  return (
    <>
      <Select
        label={texts.account.language}
        labelHidden
        options={languageOptions}
        value={choose.variables ?? language}
        onChange={(chosen) => choose.mutate(chosen as keyof typeof texts.languages)}
        hint={texts.account.languageText}
        isDisabled={choose.isPending}
      />
      <ProblemNotice error={choose.error} />
    </>
  );
}
