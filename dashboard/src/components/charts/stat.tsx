const format = new Intl.NumberFormat('en');

/** A labelled number; a dash until it is loaded. */
export function Stat({ label, value }: { label: string; value: number | undefined }) {
  return (
    <div className="stat">
      <dt>{label}</dt>
      <dd>{value === undefined ? '–' : format.format(value)}</dd>
    </div>
  );
}
