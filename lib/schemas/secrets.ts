import { z } from 'zod'
import { limits } from '#lib/limits.ts'
import { maxDestinations, maxValueBytes, originOf, secretStatuses } from '#lib/rules/secrets.ts'
import { Actor, Id, PageInput, page, Revision, Time } from './common.ts'

export const SecretKind = z.enum(['value', 'api_key'])
export const SecretStatus = z.enum(secretStatuses)
export type SecretStatus = z.infer<typeof SecretStatus>

/** Any text: an unknown id is not found, like an id of another tenant. */
const AnyId = z.string().min(1).max(200)
const Name = z.string().trim().min(1).max(limits.secretName)
const Future = Time.refine((time) => Date.parse(time) > Date.now(), 'Must be in the future.')

/** `permissions` are scopes. Only those in the specification's mapping grant permissions; the others are stored unchanged. */
export const CreateApiKeyInput = z.strictObject({
  name: Name,
  permissions: z.array(z.string().min(1).max(limits.secretName)).max(50),
  expiresAt: Future.optional(),
})
export const ApiKey = z.object({
  id: Id,
  name: z.string(),
  permissions: z.array(z.string()),
  /** The permissions of the key in this API. */
  grants: z.array(z.string()),
})
export type ApiKey = z.infer<typeof ApiKey>
/** `key` is the whole key, shown once: a replay by Idempotency-Key leaves it out. */
export const CreateApiKeyOutput = z.object({
  apiKey: ApiKey,
  secretId: Id,
  key: z.string().optional(),
  expiresAt: Time.nullable(),
})

/** The only origins that a value is sent to, as bearer token of a tool server, model or agent. */
const Destinations = z
  .array(
    z
      .string()
      .max(limits.origin)
      .refine((text) => originOf(text) !== undefined, 'Must be an origin such as https://crm.example, without a path.')
      .overwrite((text) => originOf(text) ?? text),
  )
  .min(1)
  .max(maxDestinations)
  .overwrite((all) => [...new Set(all)])

/** A value without `destinations` can be named by any manifest, but is sent only to addresses that a person has approved. */
export const CreateSecretInput = z.strictObject({
  name: Name,
  value: z
    .string()
    .min(1)
    .refine((text) => new TextEncoder().encode(text).length <= maxValueBytes, `Use at most ${maxValueBytes} bytes.`),
  expiresAt: Future.optional(),
  destinations: Destinations.optional(),
})

/** A record with its lifecycle, never with its value. */
export const Secret = z.object({
  secretId: Id,
  kind: SecretKind,
  name: z.string(),
  status: SecretStatus,
  /** Null for a secret value. */
  apiKey: ApiKey.nullable(),
  createdBy: Actor,
  createdAt: Time,
  expiresAt: Time.nullable(),
  revokedAt: Time.nullable(),
  archivedAt: Time.nullable(),
  /** Last use of an API key, to the minute. Null if it was never used or is not a key. */
  lastUsedAt: Time.nullable(),
  /** The origins that a value is bound to. Null if it is not bound, and for API keys. */
  destinations: z.array(z.string()).nullable(),
  revision: Revision,
})
export type Secret = z.infer<typeof Secret>
export const CreateSecretOutput = z.object({ secret: Secret, secretId: Id })

/** `id` is the id of a secret or an API key. */
export const SecretInput = z.strictObject({ id: AnyId })
export const SecretOutput = z.object({ secret: Secret, secretId: Id })

/** `destinations` replaces the whole list. Null ends the binding. */
export const SetDestinationsInput = z.strictObject({
  id: AnyId,
  destinations: Destinations.nullable(),
  expectedRevision: Revision,
})

/** `includeValue` also requires the permission secret:read_value, and is recorded in the audit log. */
export const GetSecretInput = z.strictObject({ id: AnyId, includeValue: z.boolean().default(false) })
export const GetSecretOutput = SecretOutput.extend({ value: z.string().optional() })

/** Archived records are listed only on request. */
export const ListSecretsInput = z.strictObject({
  ...PageInput,
  kind: SecretKind.optional(),
  includeArchived: z.boolean().default(false),
})
export const SecretList = page(Secret)
