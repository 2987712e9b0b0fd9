/**
 * Limits that both the API's schemas and the console's forms state, in characters unless named otherwise. Without zod: it is
 * part of every page.
 */
export const limits = {
  /** Names in lower-case letters, digits and hyphens: environments, policies, groups. */
  slug: 63,
  personName: 120,
  groupDisplayName: 120,
  secretName: 120,
  /** A secret's destination: protocol, host and port. */
  origin: 300,
  serviceAccountName: 80,
  passkeyName: 80,
  savedViewName: 60,
  channelName: 60,
  /** Calls that one standing grant covers, and days until it ends. */
  grantUses: 1000,
  grantPattern: 200,
  grantDays: 90,
  policyDescription: 500,
  reason: 2000,
  /** Why masked values, or raw payloads in an export, are needed. `min` counts visible characters (lib/rules/justification.ts). */
  justification: { min: 20, max: 2000, different: 5 },
  purpose: { min: 3, max: 200 },
  traceText: 100,
  searchText: 200,
  /** Of each kind. */
  searchHits: 50,
  /** Rows in one answer of a list. */
  pageRows: 200,
} as const

/** A name of the kind `limits.slug`. */
export const slugPattern = new RegExp(`^[a-z0-9][a-z0-9-]{0,${limits.slug - 1}}$`)
