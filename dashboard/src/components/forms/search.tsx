import { Input, SearchField } from 'react-aria-components';

/** A search input that filters a list. */
export function Search({ label, value, onChange }: { label: string; value: string; onChange: (text: string) => void }) {
  return (
    <SearchField className="search" aria-label={label} value={value} onChange={onChange}>
      <Input className="input" placeholder={label} />
    </SearchField>
  );
}
