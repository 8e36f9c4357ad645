// Provider logins for dialects with a single session. Dialects with many sessions use SessionPool.auth.

export interface LoginProvider {
  readonly id: string;
  readonly name: string;
  /** Whether the provider supports login. */
  readonly available: boolean;
  readonly authenticated: boolean;
}

export interface ProviderLogins {
  listProviders(): Promise<readonly LoginProvider[]>;
  /** Shows the user the login instructions. Resolves when the user has approved and the credentials are stored. */
  login(providerId: string): Promise<void>;
  /** Cancels pending logins because the host has closed. */
  cancelPending(): void;
}
