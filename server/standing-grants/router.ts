import { procedure, router } from '#server/kernel/trpc.ts'
import { list } from './list.ts'
import { listUses } from './list-uses.ts'
import { preview } from './preview.ts'
import { propose } from './propose.ts'
import { revoke } from './revoke.ts'

/** Procedures for standing grants, added to the router of approvals. */
export const standingGrantApprovals = router({
  listGrantUses: procedure.query(listUses),
  listGrants: procedure.query(list),
  previewGrant: procedure.query(preview),
  proposeGrant: procedure.mutation(propose),
  revokeGrant: procedure.mutation(revoke),
})
