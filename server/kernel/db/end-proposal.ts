import { sql } from 'kysely'
import type { Transaction } from './database.ts'

/**
 * Tables of changes that are proposed, decided by people, and ended. Each is written through its own domain's store.
 */
type ProposalTable = 'releases' | 'policyBindings'
export type ProposalEnd = readonly ['proposed', 'withdrawn'] | readonly ['active', 'revoked']

/** `from` → `to`, once, if the caller knows the revision. False if the row has another status or revision by now. */
export const endProposalIn =
  (table: ProposalTable) =>
  async (
    tx: Transaction,
    tenantId: string,
    id: string,
    revision: number,
    [from, to]: ProposalEnd,
  ): Promise<boolean> => {
    const result = await sql`
      update ${sql.table(table)}
      set status = ${to}, decided_at = coalesce(decided_at, clock_timestamp()), revision = revision + 1
      where tenant_id = ${tenantId} and id = ${id} and status = ${from} and revision = ${revision}`.execute(tx)
    return result.numAffectedRows === 1n
  }
