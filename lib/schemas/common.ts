import { z } from 'zod'
import type { JsonValue } from '#lib/json.ts'
import { limits, slugPattern } from '#lib/limits.ts'
import { isJustification, justificationRule } from '#lib/rules/justification.ts'
import { riskTiers } from '#lib/rules/risk.ts'
import { isVisible } from '#lib/text/visible-text.ts'

/** UUID in lower case, as the server writes it; no other text is an object's id. */
export const Id = z.uuid().lowercase()
/** ISO 8601 has a year 0, but PostgreSQL does not. */
const isAfterYear0 = (text: string): boolean => text >= '0001'
/** ISO 8601 in UTC with milliseconds. */
export const Time = z.iso.datetime().refine(isAfterYear0, 'Must be a time from the year 1 or later.')
/** A calendar day that a caller gives. */
export const Day = z.iso.date().refine(isAfterYear0, 'Must be a date from the year 1 or later.')
/** `sha256:` and 64 lower-case hex digits. */
export const Digest = z.string().regex(/^sha256:[0-9a-f]{64}$/)
export const TraceId = z.string().regex(/^[0-9a-f]{32}$/)
export const SpanId = z.string().regex(/^[0-9a-f]{16}$/)
/** The name of an environment, a policy or a group. */
export const SlugName = z
  .string()
  .regex(
    slugPattern,
    `Use lower-case letters, digits and hyphens, up to ${limits.slug} characters, starting with a letter or digit.`,
  )
export const EnvironmentName = SlugName
export const RiskTier = z.enum(riskTiers)
const reasonLength = `Required, up to ${limits.reason.toLocaleString('en')} characters.`
/** A person's reason for an action; stored in the audit record. */
export const Reason = z
  .string()
  .trim()
  .min(1, { error: reasonLength, abort: true })
  .max(limits.reason, reasonLength)
  .refine(isVisible, 'Must contain visible characters.')
/** Why sensitive values are needed; alternatively in the header x-svc-justification, as percent-encoded UTF-8. */
export const Justification = z.string().trim().refine(isJustification, justificationRule)
export const Revision = z.int32().min(1)
/**
 * Any JSON value. Not z.json(), which copies and checks each value of what JSON.parse or the manifest's parser has created:
 * for a list of 20,000 that takes the time of 50 requests.
 */
export const Json = z.custom<JsonValue>((value) => value !== undefined, 'Required.')
export const JsonObject = z.record(z.string(), Json)

export const ById = z.strictObject({ id: Id })

/** Rows of a page that does not say how many. */
export const defaultPageRows = 50

/** Keyset pagination: `cursor` is the `nextCursor` of the previous page. */
export const PageInput = { limit: z.int().min(1).max(limits.pageRows).default(defaultPageRows), cursor: Id.optional() }
export const page = <T extends z.ZodType>(item: T) =>
  z.object({ items: z.array(item), nextCursor: z.string().nullable() })

/** A person or machine as shown to others. */
export const Actor = z.object({
  id: Id,
  displayName: z.string(),
  username: z.string(),
  kind: z.enum(['person', 'service_account', 'api_key']),
})
export type Actor = z.infer<typeof Actor>

export const Hex32 = z.string().regex(/^[0-9a-f]{64}$/, 'Must be 32 bytes in lower-case hex.')

/** An issue in a text; line and column count from 1 and are absent without a position. */
export const PlacedIssue = z.object({
  path: z.string(),
  message: z.string(),
  line: z.int().optional(),
  column: z.int().optional(),
})
