import { findLastTimes } from '#server/audit/last-record-store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'

const actions = [
  'member.roles_set',
  'member.roles_granted',
  'member.roles_from_token',
  'member.suspended',
  'member.resumed',
]

/**
 * When each of these members was last changed otherwise than by SCIM, which keeps the time of its own changes. The log is asked, because
 * the row of a member has only a revision.
 */
export const findChangesHere = (
  tx: Transaction,
  tenantId: string,
  ids: readonly string[],
): Promise<Map<string, Date>> => findLastTimes(tx, tenantId, { resourceIds: ids, actions, except: 'scim' })
