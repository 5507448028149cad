import { isColor } from '../brand/colors.ts';
import { Field } from '../components/forms/field.tsx';
import { texts } from '../texts.ts';

const t = texts.organization;

interface Props {
  /** As typed; empty for none. */
  readonly accent: string;
  readonly onChange: (accent: string) => void;
}

const defaultColor = '#ad401d';

/** The accent color, typed or picked. */
export function AccentField({ accent, onChange }: Props) {
  return (
    <div className="accent-field">
      <Field
        label={t.accent}
        name="accent_color"
        value={accent}
        onChange={onChange}
        placeholder="#1a2b3c"
        maxLength={7}
        hint={t.accentHint}
        autoComplete="off"
      />
      <input
        type="color"
        className="color-well"
        aria-label={t.pickAccent}
        value={isColor(accent) ? accent : defaultColor}
        onChange={(event) => onChange(event.target.value)}
      />
    </div>
  );
}
