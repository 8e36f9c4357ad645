// Ground floor: signing in with providers, where there is one session. Dialects with many sessions have a desk for it.

export interface LoginProvider {
  readonly id: string;
  readonly name: string;
  /** Whether it can be signed in with at all. */
  readonly available: boolean;
  readonly authenticated: boolean;
}

export interface Logins {
  providers(): Promise<readonly LoginProvider[]>;
  /** Shows the person what to do. Resolves when they have agreed and the login is kept. */
  login(providerId: string): Promise<void>;
  /** The host is gone: nobody waits for a person any more. */
  giveUp(): void;
}
