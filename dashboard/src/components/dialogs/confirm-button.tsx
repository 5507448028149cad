import { ActionForm } from './action-form.tsx';
import { DialogButton } from './dialog-button.tsx';

interface Props {
  readonly label: string;
  readonly title: string;
  readonly text: string;
  readonly action: () => Promise<unknown>;
  readonly look?: string;
}

/** A button for what cannot be taken back: it asks first. */
export function ConfirmButton({ label, title, text, action, look = 'compact quiet' }: Props) {
  return (
    <DialogButton label={label} look={look} title={title} text={text}>
      {(close) => (
        <ActionForm action={() => action().then(close)} submit={label} look="danger" onCancel={close}>
          {null}
        </ActionForm>
      )}
    </DialogButton>
  );
}
