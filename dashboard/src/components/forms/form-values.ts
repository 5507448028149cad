/** The id of the `Select` option that means none. */
export const noneOption = 'none';

/** The submitted values of a form. */
export class FormValues {
  readonly #data: FormData;

  constructor(form: HTMLFormElement) {
    this.#data = new FormData(form);
  }

  text(name: string): string {
    return String(this.#data.get(name) ?? '').trim();
  }

  /** Not trimmed: spaces in a password count. */
  exact(name: string): string {
    return String(this.#data.get(name) ?? '');
  }

  /** Null if empty. */
  optional(name: string): string | null {
    return this.text(name) || null;
  }

  /** The selected id of a `Select` that offers `noneOption`, which becomes null. */
  choice(name: string): string | null {
    const chosen = this.text(name);
    return chosen === noneOption ? null : chosen;
  }

  number(name: string): number {
    return Number(this.text(name).replace(',', '.'));
  }

  isOn(name: string): boolean {
    return this.#data.get(name) !== null;
  }

  all(name: string): string[] {
    return this.#data.getAll(name).map(String);
  }
}
