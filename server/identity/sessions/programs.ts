import type { OwnProgram } from '#lib/schemas/sessions.ts'
import { familyOf } from '#server/identity/artifacts/adapter.ts'
import { isForeignClient } from '#server/identity/clients/foreign-clients.ts'
import { findClientNames } from '#server/identity/clients/registered-client-store.ts'
import { gatewayOf } from '#server/kernel/auth/gateway-address.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { findGrants, type SessionRow } from './store.ts'

/** The programs of other vendors that have access through each of the sessions, in the order of their ids. */
export async function programsOf(
  tx: Transaction,
  tenantId: string,
  sessions: readonly SessionRow[],
): Promise<(session: SessionRow) => OwnProgram[]> {
  const foreign = sessions.flatMap(({ grants }) =>
    Object.entries(grants).filter(([clientId]) => isForeignClient(clientId)),
  )
  if (foreign.length === 0) return () => []
  const found = await findGrants(
    tx,
    tenantId,
    foreign.map(([, grant]) => familyOf(grant)),
  )
  const alive = new Map(found.map((grant) => [grant.family, grant]))
  const clientIds = [...new Set(foreign.map(([clientId]) => clientId))]
  const names = await findClientNames(tx, tenantId, clientIds)
  return ({ grants }) =>
    Object.entries(grants)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([clientId, grantId]) => {
        const grant = isForeignClient(clientId) ? alive.get(familyOf(grantId)) : undefined
        if (grant === undefined) return []
        const gateways = grant.resources.flatMap((resource) => gatewayOf(resource) ?? [])
        return [
          {
            clientId,
            name: names.get(clientId) ?? null,
            gateways: gateways.map(({ agent, server, environment = null }) => ({ agent, server, environment })),
            allowedAt: grant.allowedAt.toISOString(),
          },
        ]
      })
}
