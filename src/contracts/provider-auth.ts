// The credentials of providers: which are present, saving API keys, and logins with a device code.

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

export interface ProviderAuth {
  /** Checks all credential sources: flags, files and variables. Sends no request. */
  getStatus(): Promise<readonly ProviderStatus[]>;
  saveKey(provider: string, key: string): Promise<void>;
  startDeviceLogin(): Promise<DeviceLogin>;
  /** Resolves when the user has approved and the credentials are stored. */
  waitForDeviceLogin(login: Pick<DeviceLogin, 'deviceCode' | 'interval'>): Promise<void>;
  /** Cancels pending logins because the host has closed. */
  cancelPending(): void;
}
