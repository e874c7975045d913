const RETRY_MS = 1000;

/** Detects reads that fail because of a damaged database. Repeats the first such read until that error is gone. */
export class DamageWatch {
  /** Called with a warning for operators when a read reveals damage, and with undefined once the damage is gone. */
  onChange: (damage: string | undefined) => void = () => {};
  readonly #isDamage: (error: unknown) => boolean;
  #damage: string | undefined;

  constructor(isDamage: (error: unknown) => boolean) {
    this.#isDamage = isDamage;
  }

  /** Returns the warning for operators, or undefined if no damage is known. */
  get damage(): string | undefined {
    return this.#damage;
  }

  takeError(error: unknown, read: () => Promise<unknown>): void {
    if (this.#damage !== undefined || !this.#isDamage(error)) return;
    const cause = (error as Error).message;
    this.#change(
      `Reads of the database fail (${cause}). Run \`lectern doctor\`, or restore a backup with \`lectern restore\`.`,
    );
    this.#repeat(read);
  }

  #repeat(read: () => Promise<unknown>): void {
    const retry = async (): Promise<void> => {
      try {
        await read();
      } catch (error) {
        if (this.#isDamage(error)) return this.#repeat(read);
      }
      this.#change(undefined);
    };
    setTimeout(() => void retry(), RETRY_MS).unref();
  }

  #change(damage: string | undefined): void {
    this.#damage = damage;
    this.onChange(damage);
  }
}
