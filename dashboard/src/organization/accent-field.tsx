import { isColor } from '../brand/colors.ts';
import { Field } from '../components/field.tsx';
import { texts } from '../texts.ts';

const own = texts.organization;

interface Props {
  /** As it was typed; empty for none. */
  readonly accent: string;
  readonly onChange: (accent: string) => void;
}

const shownWhereNone = '#ad401d';

/** The accent colour, picked or typed. */
export function AccentField({ accent, onChange }: Props) {
  return (
    <div className="accent-field">
      <Field
        label={own.accent}
        name="accent_color"
        value={accent}
        onChange={onChange}
        placeholder="#1a2b3c"
        maxLength={7}
        hint={own.accentHint}
        autoComplete="off"
      />
      <input
        type="color"
        className="color-well"
        aria-label={own.pickAccent}
        value={isColor(accent) ? accent : shownWhereNone}
        onChange={(event) => onChange(event.target.value)}
      />
    </div>
  );
}
