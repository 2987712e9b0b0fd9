import { z } from 'zod'
import { limits } from '#lib/limits.ts'
import { Time } from '../common.ts'

/** What can be found. */
export const FoundKind = z.enum(['approval', 'execution', 'agent', 'policy', 'trace', 'export', 'record'])
export type FoundKind = z.infer<typeof FoundKind>

export const FindInput = z.strictObject({
  /** Words, or the whole id of anything. */
  q: z.string().trim().min(1).max(limits.searchText),
  kinds: z.array(FoundKind).min(1).optional(),
  /** Of each kind. */
  limit: z.int().min(1).max(limits.searchHits).default(5),
})

export const Found = z.object({
  kind: FoundKind,
  id: z.string(),
  title: z.string(),
  /** What tells it from others with this title. */
  note: z.string().nullable(),
  status: z.string().nullable(),
  at: Time,
})
export type Found = z.infer<typeof Found>

export const FindOutput = z.object({ items: z.array(Found) })
