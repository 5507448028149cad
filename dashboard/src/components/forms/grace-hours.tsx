import { texts } from '../../texts.ts';
import { Select } from './select.tsx';

const options = Object.entries(texts.graces).map(([id, label]) => ({ id, label }));

/** Selects how long a replaced secret stays valid, as the field `grace_hours`. */
export const GraceHours = ({ label }: { label: string }) => <Select label={label} name="grace_hours" options={options} initial="24" />;
