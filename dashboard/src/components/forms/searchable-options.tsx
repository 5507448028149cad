import { Autocomplete, Input, SearchField, useFilter } from 'react-aria-components';
import { texts } from '../../texts.ts';
import { type ListProps, Options } from './select.tsx';

/** The `list` of a `Select` with many options: a search field above them. Only pages that use it load its code. */
export function SearchableOptions({ options }: ListProps) {
  const { contains } = useFilter({ sensitivity: 'base' });
  return (
    <Autocomplete filter={contains}>
      <SearchField className="option-search" aria-label={texts.actions.search} autoFocus>
        <Input className="input" placeholder={texts.actions.search} />
      </SearchField>
      <Options options={options} />
    </Autocomplete>
  );
}
