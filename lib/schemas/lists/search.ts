import { z } from 'zod'
import { limits } from '#lib/limits.ts'
import { Time } from '../common.ts'

/** What can be found. */
export const FoundKind = z.enum(['approval', 'execution', 'agent', 'policy', 'trace', 'export', 'record'])
export type FoundKind = z.infer<typeof FoundKind>

export const FindInput = z.strictObject({
  /** The whole id of anything, or words. */
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

/** Objects as audit records name them. */
const NamedObject = z.object({ type: z.string().max(60), id: z.string().max(200) })
export const NamesInput = z.strictObject({
  objects: z.array(z.strictObject(NamedObject.shape)).min(1).max(limits.pageRows),
})
/** The names of those that exist and that the caller may read; the others are left out. */
export const NamesOutput = z.object({ names: z.array(NamedObject.extend({ name: z.string() })) })
