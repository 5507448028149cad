import { texts } from '../texts.ts';
import { Choice } from './choice.tsx';

const options = Object.entries(texts.graces).map(([id, label]) => ({ id, label }));

/** For how long what is replaced still works, as `grace_hours`. */
export const GraceHours = ({ label }: { label: string }) => <Choice label={label} name="grace_hours" options={options} initial="24" />;
