const format = new Intl.NumberFormat('en');

/** A number with its name; a dash until it is known. */
export function Figure({ label, value }: { label: string; value: number | undefined }) {
  return (
    <div className="figure">
      <dt>{label}</dt>
      <dd>{value === undefined ? '–' : format.format(value)}</dd>
    </div>
  );
}
