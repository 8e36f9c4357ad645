// Reads the account of a Google credentials file. Errors do not quote the contents of the file.
import {
  array,
  type InferOutput,
  literal,
  looseObject,
  nonEmpty,
  optional,
  pipe,
  safeParse,
  string,
  variant,
} from 'valibot';
import { ProviderFault } from '../../../http/provider-fault.ts';

const nonEmptyString = pipe(string(), nonEmpty());

/** Written by `gcloud auth application-default login`. */
const userSchema = looseObject({
  type: literal('authorized_user'),
  client_id: nonEmptyString,
  client_secret: nonEmptyString,
  refresh_token: nonEmptyString,
  token_uri: optional(nonEmptyString),
  quota_project_id: optional(nonEmptyString),
});
const serviceSchema = looseObject({
  type: literal('service_account'),
  client_email: nonEmptyString,
  private_key: nonEmptyString,
  private_key_id: optional(nonEmptyString),
  token_uri: optional(nonEmptyString),
  project_id: optional(nonEmptyString),
});
/** Workload or workforce identity: a token of another identity provider is exchanged. */
const externalSchema = looseObject({
  type: literal('external_account'),
  audience: nonEmptyString,
  subject_token_type: nonEmptyString,
  token_url: nonEmptyString,
  credential_source: looseObject({}),
  service_account_impersonation_url: optional(nonEmptyString),
  quota_project_id: optional(nonEmptyString),
  workforce_pool_user_project: optional(nonEmptyString),
});
const externalUserSchema = looseObject({
  type: literal('external_account_authorized_user'),
  audience: nonEmptyString,
  client_id: nonEmptyString,
  client_secret: nonEmptyString,
  refresh_token: nonEmptyString,
  token_url: nonEmptyString,
  token_info_url: optional(nonEmptyString),
  quota_project_id: optional(nonEmptyString),
});
/** Written by `gcloud auth application-default login --impersonate-service-account`. */
const impersonatedSchema = looseObject({
  type: literal('impersonated_service_account'),
  service_account_impersonation_url: nonEmptyString,
  delegates: optional(array(string())),
  source_credentials: variant('type', [userSchema, serviceSchema, externalSchema, externalUserSchema]),
  quota_project_id: optional(nonEmptyString),
});
const accountSchema = variant('type', [
  userSchema,
  serviceSchema,
  externalSchema,
  externalUserSchema,
  impersonatedSchema,
]);
export type GoogleAccount = InferOutput<typeof accountSchema>;

const TYPES = accountSchema.options.map(({ entries }) => entries.type.literal);
const ALTERNATIVES_HINT =
  'set the key of google-vertex in auth.json to "!gcloud auth print-access-token", or set GOOGLE_CLOUD_API_KEY';

/** `origin` begins the sentences about the file: "GOOGLE_APPLICATION_CREDENTIALS names …". */
export function parseGoogleAccount(content: string | undefined, origin: string): GoogleAccount {
  if (content === undefined) throw createVertexAuthFault(`${origin}, which does not exist`);
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    throw createVertexAuthFault(`${origin}, which is not JSON`);
  }
  const result = safeParse(accountSchema, value);
  if (!result.success) {
    const type = (value as { type?: unknown } | null)?.type;
    const missingField = result.issues[0]?.path?.map(({ key }) => String(key)).join('.');
    throw createVertexAuthFault(
      TYPES.some((supported) => supported === type)
        ? `${origin}, where ${missingField} is missing`
        : `${origin}, an account of an unsupported type (${String(type)})`,
    );
  }
  // google-auth-library would start a program that does not end together with this process.
  const external =
    result.output.type === 'impersonated_service_account' ? result.output.source_credentials : result.output;
  if (external.type === 'external_account' && 'executable' in external.credential_source)
    throw createVertexAuthFault(`${origin}, where credential_source names an executable, which is not supported`);
  return result.output;
}

/** The project in which requests are counted, if the file names one. */
export function getAccountProject(account: GoogleAccount): string | undefined {
  if (account.type === 'service_account') return account.project_id;
  const workforceProject = account.type === 'external_account' ? account.workforce_pool_user_project : undefined;
  return account.quota_project_id ?? workforceProject;
}

export function createVertexAuthFault(reason: string): ProviderFault {
  return new ProviderFault(
    { kind: 'auth' },
    `Cannot authenticate with Google Vertex AI: ${reason}. Fix this, or ${ALTERNATIVES_HINT}`,
  );
}
