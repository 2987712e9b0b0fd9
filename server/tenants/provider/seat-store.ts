import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'

/** A token says who is in a group for this long after it was issued; SCIM until it says otherwise. */
export const tokenHours = 24

/** Who gets a seat by a group of the provider now: the mapping, and the row that names the member. */
export const readMappedSeats = (tx: Transaction, tenantId: string) =>
  tx
    .selectFrom('groupMappings as mapping')
    .innerJoin('mappedMembers as named', (join) =>
      join.onRef('named.tenantId', '=', 'mapping.tenantId').onRef('named.name', '=', 'mapping.name'),
    )
    .innerJoin('members as holder', (join) =>
      join
        .onRef('holder.tenantId', '=', 'named.tenantId')
        .onRef('holder.id', '=', 'named.memberId')
        .onRef('holder.issuer', '=', 'mapping.issuer'),
    )
    .leftJoin('memberTokens as token', (join) =>
      join.onRef('token.tenantId', '=', 'named.tenantId').onRef('token.memberId', '=', 'named.memberId'),
    )
    .where('mapping.tenantId', '=', tenantId)
    .where((e) =>
      e.or([
        e('named.source', '=', 'scim'),
        e.and([
          // A row without a mac says nothing until the member's next request.
          e('token.mac', 'is not', null),
          e('token.issuedAt', '>', sql<Date>`now() - make_interval(hours => ${tokenHours})`),
        ]),
      ]),
    )

/**
 * Every seat in an approver group: of those whom approved changes put there, and of those whom a mapped group of the provider names.
 * All readers of eligibility, delegations and lists use this.
 */
export const readSeats = (tx: Transaction, tenantId: string) =>
  tx
    .selectFrom('approverGroupMembers as seat')
    .select(['seat.groupId', 'seat.memberId'])
    .where('seat.tenantId', '=', tenantId)
    .union(readMappedSeats(tx, tenantId).select(['mapping.groupId', 'named.memberId']))
