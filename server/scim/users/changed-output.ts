import { z } from 'zod'
import type { AuditEntry } from '#server/kernel/operation.ts'
import { Resource } from '../protocol/resource-schema.ts'

export const ChangedOutput = z.object({
  resource: Resource,
  action: z.string(),
  details: z.record(z.string(), z.json()).optional(),
})

/** The record of a change; none if the provider sent what is known already. */
export function recordOf(
  { id }: { id: string },
  output: z.infer<typeof ChangedOutput> | undefined,
): AuditEntry | undefined {
  const resource = { type: 'member', id }
  const reason = 'Changed by SCIM.'
  if (output === undefined) return { action: 'member.updated', resource, reason }
  if (output.details === undefined) return undefined
  return { action: output.action, resource, reason, details: output.details }
}
