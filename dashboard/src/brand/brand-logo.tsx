import { useState } from 'react';

interface Props {
  readonly name: string;
  readonly logo: string | null;
}

/** An organization beside its name: its logo, else its initial. */
export function BrandMark({ name, logo }: Props) {
  const [gone, setGone] = useState<string | null>(null);
  // A logo that was remembered may have been replaced since.
  if (logo !== null && logo !== gone) return <img className="brand-logo" src={logo} alt="" onError={() => setGone(logo)} />;
  return (
    <span className="monogram" aria-hidden>
      {name.trim().charAt(0).toUpperCase()}
    </span>
  );
}
