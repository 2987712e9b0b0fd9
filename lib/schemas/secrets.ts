import { z } from 'zod'
import { limits } from '#lib/limits.ts'
import { maxValueBytes, secretStatuses } from '#lib/rules/secrets.ts'
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

export const CreateSecretInput = z.strictObject({
  name: Name,
  value: z
    .string()
    .min(1)
    .refine((text) => new TextEncoder().encode(text).length <= maxValueBytes, `Use at most ${maxValueBytes} bytes.`),
  expiresAt: Future.optional(),
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
  revision: Revision,
})
export type Secret = z.infer<typeof Secret>
export const CreateSecretOutput = z.object({ secret: Secret, secretId: Id })

/** `id` is the id of a secret or an API key. */
export const SecretInput = z.strictObject({ id: AnyId })
export const SecretOutput = z.object({ secret: Secret, secretId: Id })

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
