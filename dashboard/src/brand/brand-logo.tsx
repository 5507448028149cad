import { useState } from 'react';

interface Props {
  readonly name: string;
  readonly logo: string | null;
}

/** The organization's logo, or its initial. */
export function BrandLogo({ name, logo }: Props) {
  const [failedLogo, setFailedLogo] = useState<string | null>(null);
  // A remembered logo may have been replaced since; then show the initial.
  if (logo !== null && logo !== failedLogo) return <img className="brand-logo" src={logo} alt="" onError={() => setFailedLogo(logo)} />;
  return (
    <span className="monogram" aria-hidden>
      {name.trim().charAt(0).toUpperCase()}
    </span>
  );
}
