import { ActionForm } from '../forms/action-form.tsx';
import { DialogButton } from './dialog-button.tsx';

interface Props {
  readonly label: string;
  readonly title: string;
  readonly text: string;
  readonly action: () => Promise<unknown>;
  readonly variant?: string;
}

/** A button that asks for confirmation before an action that cannot be undone. */
export function ConfirmButton({ label, title, text, action, variant = 'compact quiet' }: Props) {
  return (
    <DialogButton label={label} variant={variant} title={title} text={text}>
      {(close) => (
        <ActionForm action={() => action().then(close)} submit={label} variant="danger" onCancel={close}>
          {null}
        </ActionForm>
      )}
    </DialogButton>
  );
}
