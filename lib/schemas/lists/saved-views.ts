import { z } from 'zod'
import { limits } from '#lib/limits.ts'
import { Actor, Id } from '../common.ts'

/** The lists whose filters can be saved. */
export const SavedList = z.enum(['approvals', 'executions'])

/** The filters of a list as they are written into its address. */
const Search = z
  .record(z.string().regex(/^[a-z][a-zA-Z]{0,29}$/, 'Not the name of a filter.'), z.string().max(200))
  .refine((search) => Object.keys(search).length <= 20, 'At most 20 filters.')

export const SavedView = z.object({
  id: Id,
  name: z.string(),
  search: z.record(z.string(), z.string()),
  /** Shown to everyone who may see the list. */
  shared: z.boolean(),
  owner: Actor,
  /** Whether the caller may remove it: their own, and as an administrator a shared one. */
  removable: z.boolean(),
})
export type SavedView = z.infer<typeof SavedView>

/** Needs the permission to read the list. */
export const ListSavedViewsInput = z.strictObject({ list: SavedList })
/** The caller's own and the shared ones, by name. */
export const SavedViewList = z.object({ items: z.array(SavedView) })
/** A view of the caller's with the same name is replaced. */
export const SaveViewInput = z.strictObject({
  list: SavedList,
  name: z.string().trim().min(1).max(limits.savedViewName),
  search: Search,
  shared: z.boolean().default(false),
})
export const SaveViewOutput = z.object({ id: Id })
export const RemoveSavedViewInput = z.strictObject({ id: Id })
export const RemoveSavedViewOutput = z.object({ id: Id })
