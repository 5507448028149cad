import { useState } from 'react';
import { Button, FileTrigger } from 'react-aria-components';
import { texts } from '../texts.ts';

const t = texts.organization;
const types = ['image/png', 'image/jpeg', 'image/webp'];
const maxBytes = 256 * 1024;

interface Props {
  /** The URL of the logo; a data: URL for a file just chosen. */
  readonly logo: string | null;
  readonly onChange: (logo: string | null) => void;
  /** The API's message about the logo. */
  readonly error: string | undefined;
}

/** Chooses, shows and removes the logo. */
export function LogoField({ logo, onChange, error }: Props) {
  const [localProblem, setLocalProblem] = useState<string>();

  function choose(file: File | undefined) {
    if (file === undefined) return;
    const problem = types.includes(file.type) ? (file.size > maxBytes ? t.logoTooLarge : undefined) : t.logoNoPicture;
    setLocalProblem(problem);
    if (problem !== undefined) return;
    const reader = new FileReader();
    reader.onload = () => onChange(String(reader.result));
    reader.readAsDataURL(file);
  }

  const problem = localProblem ?? error;
  return (
    <div className="field">
      <span className="label">{t.logo}</span>
      <div className="logo-field">
        {logo === null ? null : <img className="logo-shown" src={logo} alt={t.logoShown} />}
        <FileTrigger acceptedFileTypes={types} onSelect={(files) => choose(files?.[0])}>
          <Button className="button">{logo === null ? t.chooseLogo : t.replaceLogo}</Button>
        </FileTrigger>
        {logo === null ? null : (
          <Button className="button quiet" onPress={() => onChange(null)}>
            {t.removeLogo}
          </Button>
        )}
      </div>
      <span className="hint">{t.logoHint}</span>
      {problem === undefined ? null : (
        <span className="field-error" role="alert">
          {problem}
        </span>
      )}
    </div>
  );
}
