import { useState } from 'react';
import { Button, FileTrigger } from 'react-aria-components';
import { texts } from '../texts.ts';

const own = texts.organization;
const types = ['image/png', 'image/jpeg', 'image/webp'];
const mostBytes = 256 * 1024;

interface Props {
  /** Where the picture is that is shown; a data: address of one that was just chosen. */
  readonly logo: string | null;
  readonly onChange: (logo: string | null) => void;
  /** What the API says of it. */
  readonly error: string | undefined;
}

/** The logo: chosen from a file, shown, taken away. */
export function LogoField({ logo, onChange, error }: Props) {
  const [refusal, setRefusal] = useState<string>();

  function choose(file: File | undefined) {
    if (file === undefined) return;
    const wrong = types.includes(file.type) ? (file.size > mostBytes ? own.logoTooLarge : undefined) : own.logoNoPicture;
    setRefusal(wrong);
    if (wrong !== undefined) return;
    const reader = new FileReader();
    reader.onload = () => onChange(String(reader.result));
    reader.readAsDataURL(file);
  }

  const wrong = refusal ?? error;
  return (
    <div className="field">
      <span className="label">{own.logo}</span>
      <div className="logo-field">
        {logo === null ? null : <img className="logo-shown" src={logo} alt={own.logoShown} />}
        <FileTrigger acceptedFileTypes={types} onSelect={(files) => choose(files?.[0])}>
          <Button className="button">{logo === null ? own.chooseLogo : own.replaceLogo}</Button>
        </FileTrigger>
        {logo === null ? null : (
          <Button className="button quiet" onPress={() => onChange(null)}>
            {own.removeLogo}
          </Button>
        )}
      </div>
      <span className="hint">{own.logoHint}</span>
      {wrong === undefined ? null : (
        <span className="field-error" role="alert">
          {wrong}
        </span>
      )}
    </div>
  );
}
