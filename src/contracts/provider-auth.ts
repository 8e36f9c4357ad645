// The credentials of providers: which are present, saving API keys, and signing in.

export interface ProviderStatus {
  readonly id: string;
  readonly name: string;
  readonly method: 'device_code' | 'api_key';
  readonly envVariable?: string | undefined;
  readonly ready: boolean;
}

/** Data of the device authorization flow (RFC 8628). */
export interface DeviceLogin {
  readonly userCode: string;
  readonly verificationUri: string;
  readonly deviceCode: string;
  /** Polling interval in seconds. */
  readonly interval: number;
}

/** A provider that the user can sign in to without a key. */
export interface SignInProvider {
  readonly id: string;
  readonly name: string;
  /** Completes "Sign in with". */
  readonly account: string;
  /** Whether it has credentials, from any source. */
  readonly ready: boolean;
}

/** How the user takes part in a sign-in. */
export interface SignInPrompts {
  /** Asks the user to open the URL, and to enter the code there. */
  showUrl(url: string, userCode?: string): void;
  /** Reads a line that the user pastes. Absent if the user cannot be asked. `undefined` without an answer. */
  readonly readLine?: ((question: string, signal: AbortSignal) => Promise<string | undefined>) | undefined;
}

export interface ProviderAuth {
  /** Checks all credential sources: flags, files and variables. Sends no request. */
  getStatus(): Promise<readonly ProviderStatus[]>;
  listSignIns(): Promise<readonly SignInProvider[]>;
  /** Resolves when the credentials are stored. Cancels an earlier sign-in with the same provider that is in progress. */
  signIn(provider: string, prompts: SignInPrompts): Promise<void>;
  /** Returns whether a sign-in with the provider was in progress. */
  cancelSignIn(provider: string): Promise<boolean>;
  /** Removes the stored credentials of the providers that have a sign-in. Returns their ids. Other keys are not changed. */
  signOut(): Promise<readonly string[]>;
  saveKey(provider: string, key: string): Promise<void>;
  /** With GitHub Copilot, for hosts that poll themselves. */
  startDeviceLogin(): Promise<DeviceLogin>;
  /** Resolves when the user has approved and the credentials are stored. */
  waitForDeviceLogin(login: Pick<DeviceLogin, 'deviceCode' | 'interval'>): Promise<void>;
  /** Cancels pending logins because the host has closed. */
  cancelPending(): void;
}
