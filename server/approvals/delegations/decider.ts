import type { Decider } from '#server/approvals/list-store.ts'
import type { Principal } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { selvesOf } from '#server/tenants/identities.ts'
import { seatsOf } from './seats.ts'

/** Who the caller decides as: themselves, and the absent members whose delegate they are. */
export async function deciderOf(
  tx: Transaction,
  tenantId: string,
  { kind, memberId }: Pick<Principal, 'kind' | 'memberId'>,
): Promise<Decider> {
  const seats = kind === 'person' ? await seatsOf(tx, tenantId, memberId) : []
  const standsInFor = [...new Set(seats.map((seat) => seat.delegatorId))]
  const selves = await selvesOf(tx, tenantId, [memberId, ...standsInFor])
  const counterparts = [memberId, ...standsInFor].flatMap((seat) =>
    selves(seat).counterparts.map(({ memberId: same, until }) => ({ seat, memberId: same, until })),
  )
  return { memberId, standsInFor, counterparts }
}
