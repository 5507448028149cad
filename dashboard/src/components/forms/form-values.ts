/** The option of a `Choice` that stands for none. */
export const nothing = 'none';

/** What a form was filled in with. */
export class FilledForm {
  readonly #data: FormData;

  constructor(form: HTMLFormElement) {
    this.#data = new FormData(form);
  }

  text(name: string): string {
    return String(this.#data.get(name) ?? '').trim();
  }

  /** As it was typed: spaces of a password count. */
  exact(name: string): string {
    return String(this.#data.get(name) ?? '');
  }

  /** Null where nothing was filled in. */
  optional(name: string): string | null {
    return this.text(name) || null;
  }

  /** Of a `Choice` that offers to choose nothing. */
  choice(name: string): string | null {
    const chosen = this.text(name);
    return chosen === nothing ? null : chosen;
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
