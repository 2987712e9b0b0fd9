import type { z } from 'zod'
import { ApiError } from '#lib/errors.ts'
import type { Permission } from '#lib/permissions.ts'
import type { SavedList } from '#lib/schemas/lists/saved-views.ts'
import type { Principal } from '#server/kernel/auth/principal.ts'

const reading: Record<z.infer<typeof SavedList>, Permission> = {
  approvals: 'approval:list',
  executions: 'execution:read',
}

/** Throws for a caller that may not see the list whose filters these are. */
export function requireList({ permissions }: Principal, list: z.infer<typeof SavedList>): void {
  const permission = reading[list]
  if (!permissions.has(permission))
    throw new ApiError('forbidden', `Filters of this list need the permission ${permission}.`, {
      details: { permission },
    })
}
