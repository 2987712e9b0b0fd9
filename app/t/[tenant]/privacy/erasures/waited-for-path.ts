import { approvalPath, auditPath, executionPath } from '#lib/paths.ts'
import type { Permission } from '#lib/permissions.ts'
import type { Answers } from '#lib/trpc.ts'

type Waiting = Pick<Answers['erasures']['list']['items'][number], 'waitsForObjects'>

/** The page of an object that an erasure waits for; its records in the audit log if the person can't open it, or for a mail. */
export function waitedForPath(
  tenant: string,
  { waitsForObjects }: Waiting,
  waitsFor: string,
  can: (permission: Permission) => boolean,
): string {
  // A server of the version before, in a rolling restart, does not send it.
  const object = waitsForObjects?.find(({ of }) => of === waitsFor)
  if (object?.type === 'execution' && can('execution:read')) return executionPath(tenant, object.id)
  if (object?.type === 'approval' && can('approval:list')) return approvalPath(tenant, object.id)
  return auditPath(tenant, { resourceId: waitsFor })
}
