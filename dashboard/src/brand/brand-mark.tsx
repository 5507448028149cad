interface Props {
  readonly name: string;
  readonly logo: string | null;
}

/** An organization beside its name: its logo, else its initial. */
export function BrandMark({ name, logo }: Props) {
  if (logo !== null) return <img className="brand-logo" src={logo} alt="" />;
  return (
    <span className="monogram" aria-hidden>
      {name.trim().charAt(0).toUpperCase()}
    </span>
  );
}
