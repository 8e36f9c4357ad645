// The environment of a command in the sandbox: without secrets, and without the addresses of services outside.

type Env = Readonly<Record<string, string>>;

/** Names of variables that hold secrets. `PAT` only as a word of its own, because of PATH. */
const SECRET_NAME =
  /KEY|TOKEN|SECRET|PASS|CREDENTIAL|AUTH|COOKIE|PRIVATE|SIGNATURE|WEBHOOK|CONNECTION_?STRING|CONNSTR|(^|_)(PAT|PWD|PW|PIN|DSN|CERT|JWT|SAS|SALT|SK)(_|$)/i;
/** Names that match, but hold no secret, and that programs need. */
const HARMLESS_NAMES = new Set([
  'PWD',
  'OLDPWD',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'GIT_AUTHOR_NAME',
  'GIT_AUTHOR_EMAIL',
  'GIT_AUTHOR_DATE',
]);
/** Addresses of agents, desktops and services, and variables that make them start programs. */
const SERVICE_NAME =
  /^(DBUS_|GPG_|XDG_RUNTIME_DIR$|XDG_SESSION|SSH_|DOCKER_|CONTAINER_|CONTAINERD_|PODMAN_|BUILDKIT_|KUBE|DISPLAY$|WAYLAND_|XAUTHORITY$|ICEAUTHORITY$|SESSION_MANAGER$|TMUX|STY$|WINDOWID$|VSCODE_|CURSOR_|ZED_|JUPYTER_|GNOME_|KDE_|GIT_ASKPASS$|SUDO_|INVOCATION_ID$|NOTIFY_SOCKET$|LISTEN_|JOURNAL_STREAM$|KRB5|AWS_|AZURE_|GOOGLE_|GCLOUD_|CLOUDSDK_|VAULT_|OP_|BW_)/i;
/** A URL with a password or a token, such as that of a database or a package registry, or a list with a password. */
const VALUE_WITH_PASSWORD = /:\/\/(?:[^\s/@:]*:[^\s/@]+|[^\s/@:]{16,})@|(?:password|pwd|accountkey|sharedaccesskey)=/i;
/** Prefixes of well-known kinds of keys. */
const KEY_VALUE =
  /^(sk-|[srp]k_(?:live|test)_|whsec_|ghp_|gho_|ghu_|ghs_|github_pat_|gl[a-z]{2,6}-|xox[a-z]-|xapp-|dckr_pat_|shp[a-z]{2}_|AGE-SECRET-KEY-|SG\.|AKIA|ASIA|AIza|ya29\.|eyJ[\w-]+\.eyJ|npm_|pypi-|hf_|-----BEGIN )/;

export function buildSandboxEnv(env: Env, temporaryDirectory: string): Record<string, string> {
  const kept = Object.entries(env).filter(([name, value]) => !isWithheld(name, value));
  const temporary = Object.fromEntries(
    ['TMPDIR', 'TMP', 'TEMP'].filter((name) => name in env).map((name) => [name, temporaryDirectory]),
  );
  return { ...Object.fromEntries(kept), ...temporary, PARLEY_SANDBOX: '1' };
}

function isWithheld(name: string, value: string): boolean {
  if (VALUE_WITH_PASSWORD.test(value) || KEY_VALUE.test(value)) return true;
  if (HARMLESS_NAMES.has(name)) return false;
  return SECRET_NAME.test(name) || SERVICE_NAME.test(name);
}
