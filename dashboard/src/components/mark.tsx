import mark from '../mark.svg';

export function Mark({ size = 28 }: { size?: number }) {
  return <img src={mark} width={size} height={size} alt="" />;
}
